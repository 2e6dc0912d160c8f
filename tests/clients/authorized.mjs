// The TypeScript SDK 1.x before a server that asks who calls: with a token, or with nothing but the address (OAuth 2.1).
// Usage: authorized.mjs token URL TOKEN | authorized.mjs oauth URL

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// A user whose browser agrees at once; what was given is kept until the end.
class User {
  redirectUrl = 'http://127.0.0.1:1/back';
  clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };

  clientInformation = () => this.information;
  saveClientInformation = (information) => void (this.information = information);
  tokens = () => this.given;
  saveTokens = (given) => void (this.given = given);
  state = () => 'begun here';
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);

  async redirectToAuthorization(address) {
    const answer = await fetch(address, { redirect: 'manual' });
    this.code = new URL(answer.headers.get('location')).searchParams.get('code');
  }
}

async function connect(address, options) {
  const client = new Client({ name: 'authorized', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(address, options));
  return client;
}

async function login(address, user) {
  const transport = new StreamableHTTPClientTransport(address, { authProvider: user });
  try {
    await new Client({ name: 'authorized', version: '1' }).connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(user.code);
  }
  return connect(address, { authProvider: user });
}

const [kind, target, token] = process.argv.slice(2);
const address = new URL(target);
const client =
  kind === 'token'
    ? await connect(address, { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
    : await login(address, new User());
await client.callTool({ name: 'store', arguments: { topic: 'tea', content: 'Ada takes it black.' } });
const { structuredContent } = await client.callTool({ name: 'query', arguments: { topic: 'tea' } });
console.log(JSON.stringify(structuredContent));
await client.close();
