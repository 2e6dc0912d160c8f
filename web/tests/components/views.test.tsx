// @vitest-environment happy-dom
// Views as they stand in a document, each with made-up answers: what they show, ask and offer.
import { DoorError } from "../../src/door_error";
import type { Found, Hit, Journal, Task, Thing } from "../../src/shapes";
import { t } from "../../src/texts";
import { Documents } from "../../src/views/documents";
import { Find } from "../../src/views/find";
import { Graph } from "../../src/views/graph";
import { Health } from "../../src/views/health";
import { History } from "../../src/views/history";
import { Login } from "../../src/views/login";
import { Memory } from "../../src/views/memory";
import { Review } from "../../src/views/review";
import { ThingView } from "../../src/views/thing";
import { button, key, mount, press, refused, server, settled, text, texts, type, unmount } from "./mounted";

const logIn = vi.hoisted(() => vi.fn());
vi.mock("../../src/door", async (original) => ({
  ...(await original<object>()),
  call: (...given: Parameters<typeof server.call>) => server.call(...given),
  upload: () => Promise.reject(new DoorError("offline", "")),
  logIn,
}));

afterEach(unmount);

const AT = "2026-03-01T10:00:00Z";
const hit = (id: string, title: string, passage: string, more: Partial<Hit> = {}): Hit => ({
  id,
  handle: id,
  title,
  kind: "entry",
  passage,
  start: 0,
  highlights: [],
  place: {},
  created_at: AT,
  updated_at: AT,
  source: null,
  tags: [],
  scores: { total: 0.9, semantic: 0.5, lexical: 1 },
  why: "words: tea",
  ...more,
});
const found = (hits: Hit[], more: Partial<Found> = {}): Found => ({
  hits,
  triples: [],
  more: false,
  total: hits.length,
  is_total: true,
  read_as: null,
  indexing: 0,
  ...more,
});

describe("Find", () => {
  it("shows a passage with what matched, where it is from and why", async () => {
    const place = { page: 3, heading: "Leaves" };
    const one = hit("d-1", "Tea book", "Black tea is steeped.", { kind: "document", start: 40, highlights: [[6, 9]], place, source: "a shelf", tags: ["kitchen"] });
    const { root } = await mount(<Find />, { console_search: () => found([one]) }, "#/find?q=tea");
    expect(texts(root, "mark")).toEqual(["tea"]);
    expect(text(root, ".hits .facts-of")).toContain("page 3 · Leaves");
    expect(text(root, ".hits .facts-of")).toMatch(/a shelf.*kitchen.*words: tea · score 0.90 · meaning 0.50 · words 1.00/);
    expect(root.querySelector(".hits a")?.getAttribute("href")).toBe("#/thing/d-1?page=3&at=40-61");
    expect(server.inputs("console_search")[0]).toMatchObject({ query: "tea" });
  });
  it("asks again as one types, keeps the question in the address, and says when there is nothing", async () => {
    const { root } = await mount(<Find />, { console_search: ({ query }) => found(query === "tea" ? [] : [hit("e-1", "A", "a")]) });
    await type(root.querySelector("input"), "tea");
    expect(location.hash).toBe("#/find?q=tea");
    expect(text(root, ".empty")).toBe(t.find.nothing);
  });
  it("narrows by kind, tag and date, and takes all of it back", async () => {
    const { root } = await mount(<Find />, { console_search: () => found([hit("e-1", "A", "a")]) });
    await press(root, "note");
    await type(root.querySelector(".fields input"), "kitchen, tea");
    await type(root.querySelector("input[type=date]"), "2026-01-02");
    expect(server.inputs("console_search").at(-1)).toMatchObject({ kinds: ["note"], tags: ["kitchen", "tea"], since: "2026-01-02" });
    await press(root, t.find.clear);
    const last = server.inputs("console_search").at(-1)!;
    expect([last.kinds, last.tags, last.since]).toEqual([undefined, undefined, undefined]);
  });
  it("is moved in by keys, and what is chosen stays so when another hit comes above it", async () => {
    let hits = [hit("e-1", "One", "1"), hit("e-2", "Two", "2")];
    const { root, commit } = await mount(<Find />, { console_search: () => found(hits) });
    const box = root.querySelector("input")!;
    await key(box, "ArrowDown");
    await key(box, "ArrowDown");
    expect(text(root, "li.at")).toContain("Two");
    hits = [hit("e-0", "New", "0"), ...hits];
    await commit();
    expect(text(root, "li.at")).toContain("Two");
    await key(box, "Enter");
    expect(location.hash).toBe("#/thing/e-2?at=0-1");
  });
  it("says why there is no answer, and searches the past in the past", async () => {
    const shown = await mount(<Find />, { console_search: refused("offline", "") });
    expect(text(shown.root, "[role=alert]")).toBe(t.offlineNow);
    await shown.goBack({ tx: 7, at: AT });
    expect(server.inputs("console_search").at(-1)).toMatchObject({ as_of: "7" });
  });
});

const thing = (more: Partial<Thing> = {}): Thing => ({
  id: "u-1",
  handle: "e-1",
  title: "Tea",
  kind: "entry",
  tx: 4,
  body: "It is **black**.",
  body_start: 0,
  body_cut: 0,
  tags: [],
  attributes: {},
  aliases: [],
  created_at: AT,
  updated_at: AT,
  valid_from: null,
  valid_to: null,
  expires_at: null,
  source: null,
  state: "current",
  owner: "row",
  links_out: [],
  links_out_total: 0,
  links_in: [],
  links_in_total: 0,
  versions: [],
  versions_total: 0,
  cited_by: [],
  cited_by_total: 0,
  ...more,
});

describe("a thing", () => {
  it("is opened at the passage that was found, with what is before and behind it", async () => {
    const body = "First lines.\n\nThe kiln was 🔥 hot.\n\n- one\n- two\n\nThe end.";
    const { root } = await mount(<ThingView />, { console_read: () => thing({ body }) }, "#/thing/e-1?at=14-20");
    expect(texts(root, ".sought")).toEqual(["The kiln was 🔥 hot."]);
    expect(server.inputs("console_read")[0]).toMatchObject({ start: 0 });
    await unmount();
    const part = thing({ body: `Cut.\n\nHere it is.\n\nOn.`, body_start: 150_000, body_cut: 1000 });
    const far = await mount(<ThingView />, { console_read: () => part }, "#/thing/e-1?at=150008-150012");
    expect(server.inputs("console_read").at(-1)).toMatchObject({ start: 50_008 });
    expect(texts(far.root, ".sought")).toEqual(["Here it is."]);
    expect(text(far.root, ".columns")).toMatch(/150,000 letters before this.*1,000 more letters/s);
    expect([...far.root.querySelectorAll("a")].map((each) => each.getAttribute("href"))).toContain("#/thing/e-1?at=350000-350000");
    expect(texts(far.root, "button")).not.toContain(t.thing.edit);
  });
  it("that does not stand out from all that there is stays unmarked, and a name that nothing has can be searched for", async () => {
    const { root } = await mount(<ThingView />, { console_read: () => thing() }, "#/thing/e-1?at=0-9");
    expect(texts(root, ".sought")).toEqual([]);
    await unmount();
    const none = await mount(<ThingView />, { console_read: refused("not_found", "There is nothing.") }, "#/thing/not there");
    expect(text(none.root, "h1")).toBe("not there");
    expect(none.root.querySelector("a")?.getAttribute("href")).toBe("#/find?q=not+there");
  });
  it("is shown with its text as elements, its links and its history", async () => {
    const tie = { id: "u-2", handle: "e-2", title: "Milk", kind: "entry", type: "Relational", predicate: "goes_with", weight: 1, evidence: null, ghost: false };
    const change = { field: "text", before: "green", after: "black", cut: false };
    const version = { tx: 4, at: AT, actor: "Ada", operation: "UPDATE", verb: "", why: null, undone_by: null, undoes: null, changes: [change] };
    const answer = thing({ links_out: [tie], links_out_total: 3, versions: [version, { ...version, tx: 1, operation: "CREATE" }], versions_total: 2 });
    const { root } = await mount(<ThingView />, { console_read: () => answer }, "#/thing/e-1");
    expect(text(root, ".prose strong")).toBe("black");
    expect(text(root, ".ties")).toContain("goes with Milk");
    expect(root.textContent).toContain(t.thing.of(1, 3));
    expect([text(root, ".versions del"), text(root, ".versions ins")]).toEqual(["green", "black"]);
    expect(text(root, ".versions li")).toContain("changed by Ada");
  });
  it("takes no text for HTML", async () => {
    const body = '<img src=x onerror="window.hacked=1"> [go](javascript:alert(1))';
    const { root } = await mount(<ThingView />, { console_read: () => thing({ body, title: body }) }, "#/thing/e-1");
    expect(root.querySelectorAll("img, script, a[href^='javascript']").length).toBe(0);
    expect(text(root, "h1")).toContain("<img");
  });
  it("is edited with what was seen; what somebody else wrote meanwhile is not written over unasked", async () => {
    let answer = thing();
    const { root, told, commit } = await mount(<ThingView />, { console_read: () => answer, console_change: () => ({ tx: 9, told: "Saved." }) }, "#/thing/e-1");
    await press(root, t.thing.edit);
    await type(root.querySelector("textarea"), "mine");
    answer = thing({ tx: 8, body: "theirs" });
    await commit();
    expect(text(root, "[role=alert]")).toContain("changed meanwhile");
    expect(button(root, t.thing.save).disabled).toBe(true);
    await press(root, t.thing.keepMine);
    await press(root, t.thing.save);
    expect(server.inputs("console_change")).toEqual([{ handle: "u-1", action: "edit", content: "mine", seen_tx: 8 }]);
    expect(told[0]).toMatchObject({ text: "Saved." });
    expect(told[0]!.undo).toBeDefined();
  });
  it("is forgotten only when somebody is sure, and what is gone can come back", async () => {
    let answer = thing();
    const { root, commit } = await mount(<ThingView />, { console_read: () => answer, console_change: () => ({ tx: 9, told: "Done." }) }, "#/thing/e-1");
    await press(root, t.thing.forget);
    expect(server.inputs("console_change")).toEqual([]);
    await press(root.querySelector("[role=alertdialog]")!, t.thing.forget);
    answer = thing({ state: "forgotten" });
    await commit();
    expect(texts(root, ".tools button")).toContain(t.thing.restore);
    expect(texts(root, ".tools button")).not.toContain(t.thing.edit);
  });
  it.each([
    ["who only reads", [], undefined],
    ["who looks at the past", ["console_change", "console_undo"], { tx: 2, at: AT }],
  ])("offers nothing that writes to %s", async (_, tools, asOf) => {
    const shown = await mount(<ThingView />, { console_read: () => thing() }, "#/thing/e-1", tools);
    if (asOf) await shown.goBack(asOf);
    expect(texts(shown.root, ".tools button")).toEqual([t.thing.raw]);
  });
  it("shows the page of a PDF beside its text, to be leafed through, or says why not", async () => {
    const document = thing({ kind: "document", attributes: { format: "pdf" } });
    const page = ({ page }: { page?: number }) => ({ title: "Tea", page: page || 1, pages: 2, width: 10, height: 14, picture: "AAAA" });
    const shown = await mount(<ThingView />, { console_read: () => document, console_page: page }, "#/thing/e-1?page=2");
    expect(text(shown.root, "figcaption span")).toBe("Page 2 of 2");
    expect(button(shown.root, t.thing.pageAfter).disabled).toBe(true);
    await press(shown.root, t.thing.pageBefore);
    expect(shown.root.querySelector("img")?.getAttribute("alt")).toBe("Page 1 of 2: Tea");
    unmount();
    const without = await mount(<ThingView />, { console_read: () => document, console_page: refused("conflict", "The file has changed.") }, "#/thing/e-1");
    expect(without.root.textContent).toContain(t.thing.noPage("The file has changed."));
  });
});

const line = (tx: number, sentence: string, more = {}) => ({
  tx,
  at: AT,
  actor: "Ada",
  sentence,
  subject: { id: "u", handle: "e-1", title: "Tea", kind: "entry" },
  changes: 1,
  undone_by: null,
  undoes: null,
  why: null,
  can_undo: true,
  ...more,
});
const journal = (more: Partial<Journal> = {}): Journal => ({
  transactions: [line(5, "Tea: green → black")],
  next_before: null,
  actors: ["Ada", "Bob"],
  newest: { tx: 5, at: AT },
  oldest: { tx: 1, at: AT },
  ...more,
});

describe("History", () => {
  it("tells transactions in words and filters by who, what and when", async () => {
    const { root } = await mount(<History />, { console_history: () => journal() }, "#/history");
    expect(text(root, ".lines li")).toMatch(/Tea: green → black ?by Ada,/);
    const [who, what] = root.querySelectorAll("select");
    await type(who!, "Bob", "change");
    await type(what!, "note", "change");
    await type(root.querySelector("input[type=date]"), "2026-02-02");
    expect(server.inputs("console_history").at(-1)).toMatchObject({ actor: "Bob", kind: "note", since: "2026-02-02" });
  });
  it("shows what an undo changes before it is done, and which is to be taken back first", async () => {
    const change = { id: "u", handle: "e-1", title: "Tea", kind: "entry", effect: "changed", fields: [{ field: "text", before: "black", after: "green", cut: false }] };
    const preview = { tx: 5, possible: true, reason: "It can be undone.", blocked_by: null as number | null, changes: [change], changes_total: 4 };
    const answers = { console_history: () => journal(), console_preview: () => preview, console_undo: () => ({ reverted_by: 6, told: "Done." }) };
    const { root, told } = await mount(<History />, answers, "#/history/5");
    expect(text(root, ".preview ins")).toBe("green");
    expect(root.textContent).toContain(t.history.total(1, 4));
    await press(root, t.history.undoThis);
    expect(server.inputs("console_undo")).toEqual([{ tx: 5 }]);
    expect(told[0]!.text).toBe("Done.");
    unmount();
    const blocked = await mount(<History />, { ...answers, console_preview: () => ({ ...preview, possible: false, blocked_by: 7 }) }, "#/history/5");
    expect(text(blocked.root, ".preview a.button")).toBe("Undo 7");
    expect(texts(blocked.root, ".preview button")).toEqual([t.close]);
  });
  it("leads everything into the past by a slider, and its far end back to now", async () => {
    const { root } = await mount(<History />, { console_history: () => journal() }, "#/history");
    const slider = root.querySelector<HTMLInputElement>("input[type=range]")!;
    expect(slider.getAttribute("aria-valuetext")).toBe(t.history.now);
    await type(slider, "3");
    await type(slider, "3", "change");
    expect(server.inputs("console_history")).toContainEqual({ limit: 1, before: 4 });
    expect(slider.getAttribute("aria-valuetext")).toMatch(/2026/);
    expect(root.querySelector(".lines a.button")).toBeNull();
    await type(slider, "5", "change");
    expect(slider.getAttribute("aria-valuetext")).toBe(t.history.now);
  });
});

const task = (id: string, sentence: string): Task => ({
  id,
  kind: "dispute",
  priority: "high",
  reason: "they differ",
  found_at: AT,
  sides: [
    { id: "a", handle: "e-1", title: "", kind: "memory", sentence, at: AT, source: "a letter" },
    { id: "b", handle: "e-2", title: "", kind: "memory", sentence: "the other", at: null, source: null },
  ],
  choices: [
    { choice: "first", label: "The first", tool: "console_settle", arguments: { task_id: id, choice: "first" } },
    { choice: "second", label: "The second", tool: "console_settle", arguments: { task_id: id, choice: "second" } },
  ],
});

describe("Review", () => {
  it("shows both sides with date and source, and one key settles the task that is chosen", async () => {
    const answers = { console_tasks: () => ({ tasks: [task("1", "one"), task("2", "two")], total: 2 }), console_settle: () => ({ told: "Settled so.", tx: 9 }) };
    const { root, told } = await mount(<Review />, answers, "#/review");
    expect(text(root, ".sides")).toMatch(/one.*a letter.*the other.*date unknown/);
    await key(window, "ArrowDown");
    expect(text(root, ".task.at")).toContain("two");
    await key(window, "2");
    expect(server.inputs("console_settle")).toEqual([{ task_id: "2", choice: "second" }]);
    expect(texts(root, ".task h2").length).toBe(1);
    expect(told[0]!.undo).toBeDefined();
  });
  it("lets nobody settle who may not, nor a key slip to another task", async () => {
    let tasks = [task("1", "one")];
    const shown = await mount(<Review />, { console_tasks: () => ({ tasks, total: 1 }) }, "#/review", []);
    await key(window, "1");
    expect(server.inputs("console_settle")).toEqual([]);
    expect(button(shown.root, "1 The first").disabled).toBe(true);
    tasks = [task("0", "urgent"), ...tasks];
    await shown.commit();
    expect(text(shown.root, ".task.at")).toContain("one");
  });
});

describe("the other views", () => {
  it("list files with how far each is, and keep a failed one until it is dismissed", async () => {
    const job = { id: "j", file: "a.pdf", step: "reading", percent: 42, state: "working", done: 1, total: 2, created_at: AT, reason: null, remaining_seconds: 70, document: null, cancellable: true };
    const failed = { ...job, id: "k", file: "b.pdf", state: "failed", cancellable: false, reason: "It is damaged." };
    const { root } = await mount(<Documents />, { console_jobs: () => ({ jobs: [job, failed] }), console_cancel: () => ({}) }, "#/documents");
    expect(text(root, ".jobs .bar")).toBe("reading · 42.0 % · 70 s left");
    expect(text(root, ".jobs .reason")).toBe("It is damaged.");
    await press(root, t.cancel);
    expect(server.inputs("console_cancel")).toEqual([{ id: "j" }]);
    await press(root, t.documents.dismiss);
    expect(root.textContent).not.toContain("b.pdf");
  });
  it("list what was read behind what waits or failed, the newest first and the rest when it is asked for", async () => {
    const job = (id: string, state: string) => ({ id, file: `${id}.pdf`, step: "", percent: 100, state, done: 1, total: 1, created_at: AT, reason: null, remaining_seconds: null, document: state === "completed" ? id : null, cancellable: false });
    const jobs = [...Array.from({ length: 12 }, (_, index) => job(`r${index}`, "completed")), job("late", "failed")];
    const { root } = await mount(<Documents />, { console_jobs: () => ({ jobs }) }, "#/documents");
    expect(texts(root, ".jobs .file").slice(0, 2)).toEqual(["late.pdf", "r0.pdf"]);
    expect(texts(root, ".jobs .file")).toHaveLength(9);
    await press(root, t.documents.allRead("12"));
    expect(texts(root, ".jobs .file")).toHaveLength(13);
  });
  it("say how the memory does", async () => {
    const topic = { id: "t", name: "tea", terms: ["tea", "leaf"], count: 12, trend: "growing", weeks: [0, 2, 4] };
    const missed = { query: "zebra", at: AT, times: 3, why: "nothing was found" };
    const state = { memories: 20, topics: [topic], topics_total: 1, topics_at: AT, unsorted: 2, asked: 9, missed: [missed], missed_total: 1, dreams: 0, is_dreaming: false, dream: null };
    const { root } = await mount(<Memory />, { console_memory: () => state }, "#/memory");
    expect(text(root, "table.topics tbody tr")).toMatch(/tea.*leaf.*12.*growing/);
    expect(text(root, ".lines")).toContain("zebra");
    expect(root.textContent).toContain(t.memory.noDream);
  });
  it("say what is ill, how to mend it, and how a client is told", async () => {
    const client = { name: "c", label: "Client", command: "run this", configuration: "{}", language: "json", file: "f.json", connect: "connect c", needs: "" };
    const ill = { name: "index", well: false, detail: "A file is gone.", fix: "memotheca reindex" };
    const state = { version: "1", collection: "default", place: null, well: false, findings: [ill, { ...ill, name: "log", well: true, fix: "" }], vitals: [], sizes: { entry: 3, bytes: 2048 }, backlog: {}, callers: [{ actor: "Ada", calls: 1, last_at: AT }], open_in: [], clients: [client] };
    const { root } = await mount(<Health />, { console_health: () => state }, "#/health");
    expect(text(root, ".verdict")).toBe(t.health.ill);
    expect(text(root, ".findings")).toContain("memotheca reindex");
    expect(texts(root, "aside dd")).toContain("2.0 kB");
    expect(texts(root, ".copied pre")).toEqual(["run this", "connect c", "{}"]);
  });
  it("grow what is near a thing, look again when something was committed, and say it as a table too", async () => {
    const node = (id: string) => ({ id, handle: id, title: id, kind: "entity", degree: 1, distance: 0, ghost: false });
    const edge = (source: string, target: string) => ({ source, target, type: "Relational", predicate: "knows", weight: 1 });
    const all: Record<string, string[]> = { Ada: ["Ada", "Bob"], Bob: ["Bob", "Ada", "Cyd"] };
    const near = ({ handle }: { handle?: string }) => {
      const nodes = all[handle!]!;
      return { center: handle, nodes: nodes.map(node), edges: nodes.slice(1).map((each) => edge(handle!, each)), shown: nodes.length, total: nodes.length };
    };
    const { root, commit, goBack } = await mount(<Graph />, { console_neighbourhood: near, console_history: () => journal() }, "#/graph/Ada");
    const names = () => texts(root, "svg g.node title").sort();
    expect(names()).toEqual(["Ada", "Bob"]);
    await key(root.querySelector('[aria-label="Bob, entity"]')!, "Enter");
    expect(names()).toEqual(["Ada", "Bob", "Cyd"]);
    all.Ada!.push("Dan");
    await commit();
    expect(names()).toEqual(["Ada", "Bob", "Cyd", "Dan"]);
    expect(texts(root, "td")).toContain("Dan");
    await goBack({ tx: 2, at: AT });
    expect(server.inputs("console_neighbourhood").at(-1)).toMatchObject({ as_of: "2" });
  });
  it("take a token, and say when it is none", async () => {
    const entered = vi.fn(() => Promise.resolve());
    logIn.mockRejectedValueOnce(new DoorError("unauthorized", "")).mockResolvedValueOnce(undefined);
    const { root } = await mount(<Login entered={entered} />);
    expect(document.activeElement).toBe(root.querySelector("input"));
    expect(text(root, "code")).toBe(t.login.command);
    const enter = async () => {
      await type(root.querySelector("input"), "mt_x");
      root.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
      await settled();
    };
    await enter();
    expect(text(root, "[role=alert]")).toBe(t.login.wrong);
    expect(entered).not.toHaveBeenCalled();
    await enter();
    expect(entered).toHaveBeenCalled();
    expect(root.querySelector("input")!.value).toBe("");
  });
});
