// @vitest-environment happy-dom
// What somebody sees at a glance: names before numbers, which is newer, what a filter hides, what is only linked to.
import { Markdown } from "../../src/parts/markdown";
import { t } from "../../src/texts";
import { Documents } from "../../src/views/documents";
import { Find } from "../../src/views/find";
import { Graph } from "../../src/views/graph";
import { Memory } from "../../src/views/memory";
import { Review } from "../../src/views/review";
import { ThingView } from "../../src/views/thing";
import { mount, press, server, text, texts, unmount } from "./mounted";

vi.mock("../../src/door", async (original) => ({
  ...(await original<object>()),
  call: (...given: Parameters<typeof server.call>) => server.call(...given),
}));

afterEach(unmount);

const AT = "2026-03-01T10:00:00Z";
const NOTHING = { hits: [], triples: [], more: false, total: 0, is_total: true, read_as: null, indexing: 0 };
const tie = (title: string, more: object = {}) => ({ id: title, handle: title, title, kind: "note", type: "Link", predicate: "links_to", weight: 1, evidence: null, ghost: false, ...more });

it("a filter that narrows is to be seen, whatever kinds are chosen besides", async () => {
  const opened = async (hash: string) => {
    const { root } = await mount(<Find />, { console_search: () => NOTHING }, hash);
    return root.querySelector<HTMLDetailsElement>("details.filters")!.open;
  };
  expect(await opened("#/find?q=tea&kinds=note&tag=kitchen")).toBe(true);
  expect(await opened("#/find?kinds=note")).toBe(false);
});

it("a thing is named before its kind and its number, says where it is cited, and what is not there is no link", async () => {
  const thing = {
    id: "u-1", handle: "e-1", title: "Tea", kind: "entry", tx: 4, body: "# Tea\n\n### Steeping\n\n#### How long", body_start: 0, body_cut: 0, tags: [],
    attributes: { remark: "long ".repeat(80) }, aliases: [], created_at: AT, updated_at: AT, valid_from: null, valid_to: null, expires_at: null, source: null, state: "current",
    owner: "row", links_out: [tie("Milk"), tie("Sugar", { ghost: true })], links_out_total: 2, links_in: [], links_in_total: 0, versions: [], versions_total: 0,
    cited_by: [tie("A letter", { predicate: "cites" })], cited_by_total: 1,
  };
  const { root } = await mount(<ThingView />, { console_read: () => thing }, "#/thing/e-1");
  expect(text(root, ".head")).toMatch(/^Tea.*entry.*e-1/);
  expect(texts(root, ".prose :is(h1, h2, h3, h4)")).toEqual(["Steeping", "How long"]);
  expect([text(root, ".prose h2"), text(root, ".prose h3")]).toEqual(["Steeping", "How long"]);
  expect(texts(root, "aside h2")).toContain(t.thing.cited);
  expect(texts(root, ".ties a")).toEqual(["Milk", "A letter"]);
  expect(text(root, ".ties .ghost")).toBe("Sugar");
  expect(texts(root, "dd[tabindex='0']")).toHaveLength(1); // what is scrolled can be by keys
});

it("headings of a text come below those of the page, also in a quotation", async () => {
  const { root } = await mount(<Markdown text={"> # Said\n\n## One\n\n# Two"} />);
  expect(texts(root, "h1")).toEqual([]);
  expect(texts(root, "h2")).toEqual(["Said", "Two"]);
  expect(texts(root, "h3")).toEqual(["One"]);
});

it("a task says which side is newer, and where there is nothing to choose how it ends", async () => {
  const side = (sentence: string) => ({ id: sentence, handle: sentence, title: "", kind: "memory", sentence, at: AT, source: null });
  const task = (id: string, kind: string, sentences: string[], labels: string[]) => ({
    id, kind, priority: "high", reason: "so", found_at: AT, state: "open", sides: sentences.map(side),
    choices: labels.map((label) => ({ choice: label, label, tool: "console_settle", arguments: {} })),
  });
  const tasks = [task("1", "update", ["at nine", "at ten"], ["“at nine”", "Both"]), task("2", "unexplained", ["Pugh"], [])];
  const { root } = await mount(<Review />, { console_tasks: () => ({ tasks, total: 2 }) }, "#/review");
  expect(texts(root, ".sides footer strong")).toEqual([t.review.earlier, t.review.later]);
  expect(texts(root, "button.quoting")).toEqual(["1 “at nine”"]);
  expect(texts(root, ".task")[1]).toContain(t.review.unanswered);
});

it("a file that waits promises nothing", async () => {
  const job = { id: "j", file: "a.pdf", step: "Waiting in the queue", percent: 0, state: "waiting", done: 0, total: 0, created_at: AT, reason: null, remaining_seconds: 1, document: null, cancellable: true };
  const { root } = await mount(<Documents />, { console_jobs: () => ({ jobs: [job] }) }, "#/documents");
  expect(text(root, ".jobs .bar")).toBe("Waiting in the queue");
});

it("the first topics are shown, and all when they are asked for", async () => {
  const topics = Array.from({ length: 14 }, (_, index) => ({ id: `${index}`, name: `topic ${index}`, terms: [], count: 3, trend: "steady", weeks: [1] }));
  const state = { memories: 50, topics, topics_total: 14, topics_at: AT, unsorted: 0, asked: 0, missed: [], missed_total: 0, dreams: 0, is_dreaming: false, dream: null };
  const { root } = await mount(<Memory />, { console_memory: () => state }, "#/memory");
  expect(texts(root, ".topics tbody tr")).toHaveLength(12);
  await press(root, t.memory.allTopics("14"));
  expect(texts(root, ".topics tbody tr")).toHaveLength(14);
});

it("near a thing it is written what links say, and what is not there is drawn as such", async () => {
  const node = (id: string, ghost = false) => ({ id, handle: id, title: id, kind: "entity", degree: 1, distance: 0, ghost });
  const near = {
    center: "Ada", nodes: [node("Ada"), node("Bob"), node("nobody", true)], shown: 3, total: 3,
    edges: [{ source: "Ada", target: "Bob", type: "Relational", predicate: "works_with", weight: 1 }, { source: "Ada", target: "nobody", type: "Link", predicate: "links_to", weight: 1 }],
  };
  const { root } = await mount(<Graph />, { console_neighbourhood: () => near, console_history: () => ({ transactions: [], actors: [], newest: { tx: 1 }, oldest: { tx: 1 }, next_before: null }) }, "#/graph/Ada");
  expect(texts(root, ".names .relation")).toEqual(["works with"]);
  expect(root.querySelector("g.node.ghost")?.getAttribute("aria-label")).toContain(t.graph.ghost);
  expect(texts(root, ".legend li")).toContain(t.kinds.ghost);
  expect(texts(root, "td")).toContain("links to");
});
