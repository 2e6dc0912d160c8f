// The TypeScript SDK 1.x as a client: does everything once and prints one JSON report of what it saw.
// Usage: smoke.mjs http URL | smoke.mjs sse URL | smoke.mjs stdio COMMAND ARGUMENT...

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const PATIENCE = 30000;
const ENTRIES = 'knowledge://entries';
const TRANSACTIONS = 'knowledge://history/transactions';

function within(promise, awaited) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain for ${awaited}`)), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// What is sent before the stream of notifications is open does not arrive, so `listening` says when it is.
function openTransport(kind, target) {
  if (kind === 'stdio') {
    const [command, ...args] = target;
    return { transport: new StdioClientTransport({ command, args }), listening: Promise.resolve() };
  }
  if (kind === 'sse') return { transport: new SSEClientTransport(new URL(target[0])), listening: Promise.resolve() };
  let opened;
  const listening = new Promise((resolve) => (opened = resolve));
  const watchedFetch = async (url, options) => {
    const response = await fetch(url, options);
    if ((options?.method ?? 'GET') === 'GET' && response.ok) opened();
    return response;
  };
  return { transport: new StreamableHTTPClientTransport(new URL(target[0]), { fetch: watchedFetch }), listening };
}

// Collects the notes of changes, and wakes whoever waits for one.
class Notes {
  seen = [];
  waiting = [];

  take(notification) {
    this.seen.push(notification.params);
    this.waiting = this.waiting.filter(({ fits, resolve }) => !(fits(notification.params) && (resolve(), true)));
  }

  until(uri, tx) {
    const fits = (params) => params.uri === uri && params._meta?.['knowledge/change']?.tx_id === tx;
    if (this.seen.some(fits)) return Promise.resolve();
    return within(new Promise((resolve) => this.waiting.push({ fits, resolve })), `a note on ${uri} about ${tx}`);
  }
}

async function failureOf(promise) {
  try {
    return { answered: await promise };
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data };
  }
}

async function callTools(client) {
  const call = async (name, args) => (await client.callTool({ name, arguments: args }));
  const stored = await call('store', { topic: 'tea', content: 'Ada takes it black.', confidence: 0.9 });
  for (const n of [2, 3, 4, 5]) await call('store', { topic: `cup ${n}`, content: `Cup number ${n}.` });
  const related = await call('relate', { subject: 'Ada', predicate: 'works_at', object: 'Engines Ltd' });
  const clashed = await call('relate', { subject: 'Ada', predicate: 'works_at', object: 'Looms Ltd' });
  const queried = await call('query', { content: 'how does Ada take her tea' });
  const undone = await call('undo', {});
  const refused = await call('store', { topic: 'tea' });
  const unknown = await call('undo', { tx_id: 999 });
  return { stored, related, clashed, queried, undone, refused, unknown };
}

async function readResources(client) {
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const pages = [];
  let cursor = null;
  do {
    const uri = `${ENTRIES}?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const { contents } = await client.readResource({ uri });
    pages.push(JSON.parse(contents[0].text));
    cursor = pages.at(-1).next_cursor;
  } while (cursor);
  const missing = await failureOf(client.readResource({ uri: `${ENTRIES}/e-999` }));
  return { resources, resourceTemplates, pages, missing };
}

async function followChanges(client, notes) {
  const store = async (topic) => {
    const { structuredContent } = await client.callTool({ name: 'store', arguments: { topic, content: 'needed' } });
    return structuredContent;
  };
  await client.subscribeResource({ uri: ENTRIES });
  await client.subscribeResource({ uri: TRANSACTIONS });
  const first = await store('heard');
  await notes.until(ENTRIES, first.tx_id);
  await client.callTool({ name: 'delete', arguments: { id: first.id } });
  await notes.until(ENTRIES, first.tx_id + 1);
  await client.unsubscribeResource({ uri: ENTRIES });
  const heard = notes.seen.length;
  const second = await store('unheard');
  // The note on transactions is the last one about a commit: nothing else can still be on its way.
  await notes.until(TRANSACTIONS, second.tx_id);
  await client.unsubscribeResource({ uri: TRANSACTIONS });
  return { first, second, subscribed: notes.seen.slice(0, heard), unsubscribed: notes.seen.slice(heard) };
}

async function abort(client) {
  const controller = new AbortController();
  const call = client.callTool({ name: 'history', arguments: {} }, undefined, { signal: controller.signal });
  controller.abort('changed my mind');
  return failureOf(call);
}

async function main([kind, ...target]) {
  const { transport, listening } = openTransport(kind, target);
  const client = new Client({ name: 'smoke', version: '1.0.0' }, { capabilities: {} });
  const notes = new Notes();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification) => notes.take(notification));
  await client.connect(transport);
  await within(listening, 'the stream of notifications');
  const report = {
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    tools: (await client.listTools()).tools,
    calls: await callTools(client),
    ...(await readResources(client)),
    changes: await followChanges(client, notes),
    prompts: (await client.listPrompts()).prompts,
    prompt: await client.getPrompt({ name: 'retrieve-context', arguments: { question: 'Who is Ada?' } }),
    promptless: await failureOf(client.getPrompt({ name: 'retrieve-context', arguments: {} })),
    completion: await client.complete({
      ref: { type: 'ref/prompt', name: 'correct-stale-facts' },
      argument: { name: 'topic', value: 'te' },
    }),
    aborted: await abort(client),
    ping: await client.ping(),
    unknownTool: await failureOf(client.callTool({ name: 'no_such_tool', arguments: {} })),
  };
  await client.close();
  console.log(JSON.stringify(report));
}

await main(process.argv.slice(2));
