// What all views share: where one is, what may be done, and when something has changed.
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { call, DoorError, type Json } from "./door";
import { t } from "./texts";

export interface Route {
  view: string;
  rest: string;
  params: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...rest] = path.split("/");
  return { view: view || "find", rest: decode(rest.join("/")), params: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function address(view: string, rest = "", params: Record<string, string> = {}): string {
  const kept = Object.entries(params).filter(([, value]) => value !== "");
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${rest === "" ? "" : `/${encodeURIComponent(rest)}`}${query === "" ? "" : `?${query}`}`;
}

export interface Toast {
  text: string;
  undo?: () => void;
  isError?: boolean;
}

export interface App {
  route: Route;
  tick: number;
  tools: Set<string>;
  isClosed: boolean;
  asOf: { tx: number; at: string | null } | undefined;
  setAsOf(state: App["asOf"]): void;
  show(toast: Toast): void;
  leave(): void;
}

export const AppContext = createContext<App>(null as unknown as App);
export const useApp = (): App => useContext(AppContext);

export function explain(error: unknown): string {
  if (!(error instanceof DoorError)) return String(error);
  if (error.code === "offline") return t.offlineNow;
  return error.code === "busy" ? t.busy : error.message || error.code;
}

export interface Asked<T> {
  data: T | undefined;
  error: string;
  waiting: boolean;
}

/** A number that grows while somebody looks, for what changes without a transaction. */
function useBeat(every: number): number {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    if (every === 0) return undefined;
    const timer = setInterval(() => document.hidden || setBeat((before) => before + 1), every);
    return () => clearInterval(timer);
  }, [every]);
  return beat;
}

/** The answer of a tool, asked again whenever the question or the data changes; an older answer never replaces a newer.
 * While one is under way the next question waits a moment, as another may follow; else it is asked at once. */
export function useAnswer<T>(tool: string, input: Json | undefined, wait = 0, every = 0): Asked<T> {
  const app = useApp();
  const beat = useBeat(every);
  const [asked, setAsked] = useState<Asked<T>>({ data: undefined, error: "", waiting: true });
  const key = JSON.stringify(input);
  const last = useRef("");
  const underWay = useRef(0);
  useEffect(() => {
    if (input === undefined) {
      setAsked({ data: undefined, error: "", waiting: false });
      return undefined;
    }
    const stop = new AbortController();
    const isOther = last.current !== key;
    last.current = key;
    setAsked((before) => ({ ...before, waiting: true }));
    const timer = setTimeout(
      () => {
        underWay.current++;
        const answer = call<T>(tool, input, stop.signal).finally(() => underWay.current--);
        answer.then(
          (data) => !stop.signal.aborted && setAsked({ data, error: "", waiting: false }),
          (error: unknown) => {
            if (stop.signal.aborted) return;
            if (error instanceof DoorError && error.code === "unauthorized") app.leave();
            setAsked((before) => ({ data: isOther ? undefined : before.data, error: explain(error), waiting: false }));
          },
        );
      },
      isOther && underWay.current > 0 ? wait : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [tool, key, app.tick, beat]);
  return asked;
}

const TOLD = 9000; // milliseconds that a line without a button stays
const OFFERED = 60_000; // a way back stays for long: who reads slowly or goes by keys needs it too

/** What was just done; what failed stays until it was seen. */
export function useToast(): { toast: Toast | undefined; show(next: Toast): void; dismiss(): void } {
  const [toast, setToast] = useState<Toast | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const dismiss = useCallback(() => setToast(undefined), []);
  const show = useCallback((next: Toast) => {
    clearTimeout(timer.current);
    setToast(next);
    if (!next.isError) timer.current = setTimeout(dismiss, next.undo ? OFFERED : TOLD);
  }, []);
  return { toast, show, dismiss };
}

/** Take a transaction back, and offer to take that back. */
export async function takeBack(app: App, tx: number): Promise<boolean> {
  try {
    const done = await call<{ reverted_by: number; told: string }>("console_undo", { tx });
    app.show({ text: done.told, undo: () => void takeBack(app, done.reverted_by) });
    return true;
  } catch (error) {
    app.show({ text: t.failed + explain(error), isError: true });
    return false;
  }
}
