// A view in a document of its own, with answers in the server's place; and what a person does with it.
import { render, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { act } from "preact/test-utils";
import { DoorError, type Json } from "../../src/door_error";
import { AppContext, readRoute, type App, type Toast } from "../../src/state";

export type Answers = Record<string, (input: Json) => unknown>;
interface Asked {
  tool: string;
  input: Json;
}

/** What stands in the place of `door.ts`: answers by tool, and what was asked. */
export const server = {
  answers: {} as Answers,
  asked: [] as Asked[],
  async call(tool: string, input: Json = {}, signal?: AbortSignal): Promise<unknown> {
    server.asked.push({ tool, input });
    const answer = server.answers[tool];
    await Promise.resolve();
    if (signal?.aborted) throw new DoorError("aborted", "");
    if (answer === undefined) throw new DoorError("not_found", `Nobody answers ${tool}.`);
    return answer(input);
  },
  inputs: (tool: string): Json[] => server.asked.filter((each) => each.tool === tool).map((each) => each.input),
};

export const refused = (code: string, message: string) => () => {
  throw new DoorError(code, message);
};

export interface Mounted {
  root: HTMLElement;
  told: Toast[];
  /** Something was committed. */
  commit(): Promise<void>;
  /** The page is about a state that has passed, or about now. */
  goBack(asOf: App["asOf"]): Promise<void>;
}

const WRITING = ["console_change", "console_settle", "console_undo", "knowledge-add"];

export async function mount(view: ComponentChildren, answers: Answers = {}, hash = "#/find", tools: string[] = WRITING): Promise<Mounted> {
  server.answers = answers;
  server.asked = [];
  location.hash = hash;
  const root = document.body.appendChild(document.createElement("main"));
  const told: Toast[] = [];
  let change: (app: Partial<App>) => void = () => undefined;
  let tick = 0;
  const Around = () => {
    const [own, setOwn] = useState<Partial<App>>({});
    change = (next) => setOwn((before) => ({ ...before, ...next }));
    const app: App = {
      route: readRoute(hash),
      tick: 0,
      tools: new Set(tools),
      isClosed: false,
      asOf: undefined,
      setAsOf: (asOf) => change({ asOf }),
      show: (toast) => told.push(toast),
      leave: () => undefined,
      ...own,
    };
    return <AppContext.Provider value={app}>{view}</AppContext.Provider>;
  };
  await act(() => render(<Around />, root));
  await settled();
  return {
    root,
    told,
    commit: async () => {
      await act(() => change({ tick: ++tick }));
      await settled();
    },
    goBack: async (asOf) => {
      await act(() => change({ asOf }));
      await settled();
    },
  };
}

/** Whatever was asked has been answered, and what it brings is shown. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await act(() => new Promise((done) => setTimeout(done, 0)));
}

export function unmount(): void {
  for (const root of document.querySelectorAll("main")) {
    render(null, root);
    root.remove();
  }
}

export const text = (root: ParentNode, selector: string): string => root.querySelector(selector)?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "";
export const texts = (root: ParentNode, selector: string): string[] => [...root.querySelectorAll(selector)].map((each) => (each.textContent ?? "").replaceAll(/\s+/g, " ").trim());
export const button = (root: ParentNode, name: string): HTMLButtonElement => {
  const found = [...root.querySelectorAll("button")].find((each) => (each.getAttribute("aria-label") ?? each.textContent ?? "").trim() === name);
  if (found === undefined) throw new Error(`There is no button ${name}, but ${texts(root, "button").join(", ")}`);
  return found;
};

export async function press(root: ParentNode, name: string): Promise<void> {
  await act(() => button(root, name).click());
  await settled();
}

export async function type(field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | null, value: string, event = "input"): Promise<void> {
  await act(() => {
    field!.value = value;
    field!.dispatchEvent(new Event(event, { bubbles: true }));
  });
  await settled();
}

export async function key(target: EventTarget, name: string): Promise<void> {
  await act(() => void target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })));
  await settled();
}
