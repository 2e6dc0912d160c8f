// A client that shows views, as the extension's own host side has it: runs in a browser on the server's own origin.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const PAGES = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
// What the specification (2026-01-26, Sandbox proxy) has a view do that declares nothing: restrictive defaults, no frames
// within, nothing embedded, no other base.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; " +
  "connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";

window.meet = async (isModern) => {
  const given = isModern ? { versionNegotiation: { mode: "auto" } } : {};
  const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions: PAGES }, ...given });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
  window.client = client;
  return client.getServerCapabilities();
};

/** Call a tool and show its view; `heard` has what the view asked the client for. Behind a proxy of another origin, as
 * clients that are web pages must have it, or in a frame of no origin at all, as others do. */
window.display = async (name, input, proxy) => {
  const { tools } = await client.listTools();
  const meta = tools.find((tool) => tool.name === name)._meta;
  const { contents } = await client.readResource({ uri: meta.ui.resourceUri });
  const [view] = contents;
  const result = await client.callTool({ name, arguments: input });
  const frame = document.createElement("iframe");
  frame.sandbox = proxy ? "allow-scripts allow-same-origin" : "allow-scripts";
  frame.width = "640";
  frame.height = "480";
  document.body.replaceChildren(frame);
  const heard = (window.heard = { sizes: [], links: [], modes: [], files: [], cancelled: [] });
  const hostContext = { theme: "light", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
  const abilities = { openLinks: {}, serverTools: {}, downloadFile: {} };
  const bridge = (window.bridge = new AppBridge(client, { name: "host", version: "1" }, abilities, { hostContext }));
  bridge.onsizechange = (size) => heard.sizes.push(size);
  bridge.onopenlink = async ({ url }) => (heard.links.push(url), {});
  bridge.onrequestdisplaymode = async ({ mode }) => (heard.modes.push(mode), { mode });
  bridge.ondownloadfile = async ({ contents: files }) => (heard.files.push(files[0].resource), {});
  window.onmessage = ({ data }) => data?.method === "notifications/cancelled" && heard.cancelled.push(data.params.requestId);
  bridge.oninitialized = () => {
    void bridge.sendToolInput({ arguments: input });
    void bridge.sendToolResult(result);
  };
  // Before the frame has anything in it, or its first message would be lost.
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  if (proxy) {
    bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html: view.text, csp: view._meta.ui.csp });
    frame.src = `${proxy}?policy=${encodeURIComponent(POLICY)}`;
  } else {
    frame.srcdoc = view.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  }
  return { meta, type: view.mimeType, bytes: new TextEncoder().encode(view.text).length, wants: view._meta.ui };
};
