// The way to the server: MCP over POST /mcp, stateless, and a stream that tells of commits. No other API.
import { DoorError, refuse, type Follower, type Json, type Offer } from "./door_error";

const REVISION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const HISTORY = "knowledge://history/transactions";
// The page of another collection than the usual one is at /c/NAME/, beside that collection's doors.
export const BASE = (typeof location === "undefined" ? undefined : /^\/c\/.+\//.exec(location.pathname)?.[0]) ?? "/";
export const MCP = `${BASE}mcp`;
const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

export { DoorError, type Follower, type Json, type Offer } from "./door_error";

let counter = 0;

function ask(method: string, params: Json, name: string | undefined, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Mcp-Protocol-Version": REVISION,
    "Mcp-Method": method,
  };
  if (name !== undefined) headers["Mcp-Name"] = name;
  const meta = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: "page", version: "1" },
    // Whoever shows pages is told of the tools that pages call.
    [`${META}clientCapabilities`]: { extensions: { [`${META}ui`]: { mimeTypes: ["text/html;profile=mcp-app"] } } },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++counter, method, params: { ...params, _meta: meta } });
  return fetch(MCP, { method: "POST", headers, body, signal, credentials: "same-origin" });
}

async function reach(method: string, params: Json, name?: string, signal?: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    answer = await ask(method, params, name, signal);
  } catch (error) {
    if (signal?.aborted) throw new DoorError("aborted", "");
    throw new DoorError("offline", String(error));
  }
  if (answer.status === 401) throw new DoorError("unauthorized", "");
  if (answer.status === 429) throw new DoorError("busy", "");
  return answer;
}

interface Wire {
  result?: {
    structuredContent?: Json;
    content?: { text?: string }[];
    isError?: boolean;
    tools?: { name: string }[];
    _meta?: { "memotheca/collections"?: { names?: string[]; usual?: string } };
  };
  error?: { message: string; data?: { code?: string; details?: string } };
}

async function request(method: string, params: Json, name?: string, signal?: AbortSignal) {
  const answer = await reach(method, params, name, signal);
  let said: Wire;
  try {
    said = (await answer.json()) as Wire;
  } catch {
    if (signal?.aborted) throw new DoorError("aborted", "");
    throw new DoorError(`http-${answer.status}`, answer.statusText);
  }
  if (said.error !== undefined) {
    const { data, message } = said.error;
    throw new DoorError(data?.code ?? "invalid", data?.details ?? message);
  }
  if (said.result === undefined) throw new DoorError(`http-${answer.status}`, answer.statusText);
  return said.result;
}

/** Call a tool; what it refuses is thrown, in its own words. */
export async function call<T>(tool: string, input: Json = {}, signal?: AbortSignal): Promise<T> {
  const result = await request("tools/call", { name: tool, arguments: input }, tool, signal);
  if (result.isError) refuse(result);
  return (result.structuredContent ?? {}) as T;
}

/** The tools that this server offers to whoever looks, and the collections that are open to them. */
export async function offered(): Promise<Offer> {
  const result = await request("tools/list", {});
  const { names = [], usual = "" } = result._meta?.["memotheca/collections"] ?? {};
  return { tools: new Set((result.tools ?? []).map((tool) => tool.name)), collections: names, usual };
}

/** Where the page of a collection is. */
export const placeOf = (collection: string, usual: string): string =>
  collection === usual ? "/" : `/c/${collection.split("/").map(encodeURIComponent).join("/")}/`;

/** Whether the server asks for a token: what is asked without the cookie is refused. */
export async function asksForToken(): Promise<boolean> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++counter, method: "ping" });
  return (await fetch(MCP, { method: "POST", headers, body, credentials: "omit" })).status === 401;
}

export async function logIn(token: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ token });
  const answer = await fetch("/login", { method: "POST", headers, body, credentials: "same-origin" });
  if (answer.status === 204) return;
  throw new DoorError(answer.status === 401 ? "unauthorized" : `http-${answer.status}`, answer.statusText);
}

export async function logOut(): Promise<void> {
  await fetch("/logout", { method: "POST", credentials: "same-origin" });
}

/** The transaction that a line of the stream tells of, if it does. */
export function told(line: string): number | undefined {
  if (!line.startsWith("data:")) return undefined;
  try {
    const note = JSON.parse(line.slice(5)) as { method?: string; params?: { _meta?: Json } };
    if (note.method !== "notifications/resources/updated") return undefined;
    const change = note.params?._meta?.["knowledge/change"] as { tx_id?: number } | undefined;
    return change?.tx_id ?? 0;
  } catch {
    return undefined;
  }
}

/** Follow every commit until the signal ends it, connecting again when the line is lost. */
export async function follow(follower: Follower, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const wanted = { notifications: { resourceSubscriptions: [HISTORY] } };
      const answer = await reach("subscriptions/listen", wanted, undefined, signal);
      if (!answer.ok || answer.body === null) throw new DoorError(`http-${answer.status}`, "");
      follower.connected(true);
      wait = FIRST_WAIT;
      let isHeard = false;
      await readLines(answer.body, (line) => {
        // The first line says that the stream has begun; what was committed since the last look and before is told by nobody.
        if ((!isHeard && line.startsWith("data:")) || told(line) !== undefined) follower.changed();
        isHeard ||= line.startsWith("data:");
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof DoorError && error.code === "unauthorized") return;
    }
    if (!signal.aborted) follower.connected(false);
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

async function readLines(body: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach((line) => take(line.trimEnd()));
  }
}

/** Send a file; fetch tells nothing of how far it is. Returns what `knowledge-add` takes as a path. */
export function upload(file: File, progress: (share: number) => void, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open("POST", `${BASE}uploads?name=${encodeURIComponent(file.name)}`);
    sent.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    sent.onerror = () => reject(new DoorError("offline", ""));
    sent.onabort = () => reject(new DoorError("aborted", ""));
    sent.onload = () => {
      let said: { file_path?: string; message?: string; error?: string } = {};
      try {
        said = JSON.parse(sent.responseText) as typeof said;
      } catch {
        // What is no JSON comes from what stands between; its status says enough.
      }
      if (sent.status === 201 && said.file_path) resolve(said.file_path);
      else reject(new DoorError(said.error ?? `http-${sent.status}`, said.message ?? sent.statusText));
    };
    signal.addEventListener("abort", () => sent.abort());
    sent.send(file);
  });
}

/** Save a file as browsers do. */
export async function saveFile(file: Blob, name: string): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const canSave = (): boolean => true;
