// The way to the server from within a client (MCP Apps): messages to the window around this one, which calls for us.
// It has the same names as `door.ts`, so that the same views go through either.
import { DoorError, refuse, type Follower, type Json, type Offer } from "../door_error";

export { DoorError, type Follower, type Json } from "../door_error";

const REVISION = "2026-01-26";
const EVERY = 3000; // milliseconds between two looks whether others have committed something
const CHANGED = 60; // milliseconds in which many changes of the height are one
const WRITING = /^console_(settle|change|undo|cancel)/;
export const MCP = "";

export interface Host {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined> };
  displayMode?: string;
  availableDisplayModes?: string[];
}

export interface Told {
  input(given: Json): void;
  host(context: Host): void;
}

interface Wire {
  id?: number | string;
  method?: string;
  params?: Json;
  result?: Json;
  error?: { message?: string };
}

const waiting = new Map<number, { resolve(result: Json): void; reject(error: Error): void }>();
let counter = 0;
let changed: (() => void) | undefined;
let begin: (() => void) | undefined;
let capabilities: Json = {};

const post = (message: Json) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function request(method: string, params: Json, signal?: AbortSignal): Promise<Json> {
  const id = ++counter;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      reject(new DoorError("aborted", ""));
      post({ method: "notifications/cancelled", params: { requestId: id } });
    });
    post({ id, method, params });
  });
}

function settle(wire: Wire): void {
  const asked = waiting.get(Number(wire.id));
  if (asked === undefined) return;
  waiting.delete(Number(wire.id));
  if (wire.error) asked.reject(new DoorError("invalid", wire.error.message ?? ""));
  else asked.resolve(wire.result ?? {});
}

function answer(wire: Wire): void {
  const known = wire.method === "ping" || wire.method === "ui/resource-teardown";
  post(known ? { id: wire.id, result: {} } : { id: wire.id, error: { code: -32601, message: "Method not found" } });
}

/** Greet the client; it then tells what its tool was called with, and how it looks. */
export async function connect(told: Told): Promise<Host> {
  const notes: Record<string, (params: Json) => void> = {
    "ui/notifications/tool-input": (params) => told.input((params.arguments ?? {}) as Json),
    "ui/notifications/host-context-changed": (params) => told.host(params as Host),
    "ui/notifications/tool-result": () => changed?.(),
  };
  addEventListener("message", (event: MessageEvent<Wire | undefined>) => {
    if (event.source !== parent || typeof event.data !== "object") return;
    const wire = event.data;
    if (wire.method === undefined) settle(wire);
    else if (wire.id !== undefined) answer(wire);
    else notes[wire.method]?.(wire.params ?? {});
  });
  const appInfo = { name: "memotheca", version: "1" };
  const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
  const greeted = await request("ui/initialize", { appInfo, appCapabilities, protocolVersion: REVISION });
  capabilities = (greeted.hostCapabilities ?? {}) as Json;
  post({ method: "ui/notifications/initialized", params: {} });
  begin?.(); // before a view asks, so that nothing slips in between
  tellSize();
  return (greeted.hostContext ?? {}) as Host;
}

function tellSize(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    const { width, height } = document.body.getBoundingClientRect();
    post({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  };
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(tell, CHANGED);
  }).observe(document.body);
}

export async function call<T>(tool: string, input: Json = {}, signal?: AbortSignal): Promise<T> {
  const result = await request("tools/call", { name: tool, arguments: input }, signal);
  if (result.isError) refuse(result);
  // What this view changes it looks at again at once.
  if (!tool.startsWith("console_") || WRITING.test(tool)) changed?.();
  return (result.structuredContent ?? {}) as T;
}

/** The server says with the view itself which tools may be called. */
export async function offered(): Promise<Offer> {
  const named = document.querySelector<HTMLMetaElement>('meta[name="tools"]')?.content.split(" ");
  return { tools: new Set(named), collections: [], usual: "" };
}

/** No stream reaches such a frame: it asks now and then for the newest transaction, and no more where that is refused. */
export async function follow(follower: Follower, signal: AbortSignal): Promise<void> {
  changed = () => follower.changed();
  let seen: number | undefined;
  let isAsking = false;
  const look = async () => {
    if (isAsking || document.hidden || capabilities.serverTools === undefined) return;
    isAsking = true;
    const { newest } = await call<{ newest: { tx: number } }>("console_history", { limit: 1 }, signal);
    isAsking = false;
    if (seen !== undefined && newest.tx !== seen) follower.changed();
    seen = newest.tx;
  };
  const ask = () => void look().catch(() => clearInterval(timer));
  const timer = setInterval(ask, EVERY);
  begin = ask;
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    changed = undefined;
  });
}

export const openLink = (url: string): Promise<Json> => request("ui/open-link", { url });

/** Ask for another size; the client says which it gives. */
export const enlarge = async (mode: string): Promise<string> => String((await request("ui/request-display-mode", { mode })).mode ?? mode);

/** Hand a file to whoever the client is; a frame like this one may not save by itself. */
export async function saveFile(file: Blob, name: string): Promise<void> {
  if (capabilities.downloadFile === undefined) throw new DoorError("unsupported", "");
  const bytes = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const resource = { uri: `file:///${name}`, mimeType: file.type, blob: btoa(letters) };
  await request("ui/download-file", { contents: [{ type: "resource", resource }] });
}

export const canSave = (): boolean => capabilities.downloadFile !== undefined;

const nowhere = (): Promise<never> => Promise.reject(new DoorError("unsupported", ""));
export const upload = nowhere;
export const logIn = nowhere;
export const logOut = nowhere;
export const asksForToken = (): Promise<boolean> => Promise.resolve(false);
