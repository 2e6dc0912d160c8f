// @vitest-environment happy-dom
// Beside the map: its table, and what is told of the node that is chosen.
import { arrange, KINDS } from "../../src/graph/columns";
import { NodePanel } from "../../src/graph/panel";
import { turnRound } from "../../src/graph/paths";
import type { Look } from "../../src/graph/raster";
import { MapTable } from "../../src/graph/table";
import type { Mapped } from "../../src/graph/use_map";
import { TimeTravel } from "../../src/parts/time_slider";
import { t } from "../../src/texts";
import { mount, press, server, settled, text, texts, type, unmount } from "./mounted";

vi.mock("../../src/door", async (original) => ({
  ...(await original<object>()),
  call: (...given: Parameters<typeof server.call>) => server.call(...given),
}));

afterEach(unmount);

const TITLES = ["Rain", "Flood", "Halt"];
const ENTITY = KINDS.indexOf("entity");

/** Rain causes Flood, Flood causes Halt: as the server packs it. */
function chain(): Mapped {
  const numbers: [new (length: number) => Uint8Array | Uint16Array | Uint32Array | Int32Array, number[]][] = [
    [Uint32Array, [1, 1, 0]],
    [Int32Array, [1, 2]],
    [Uint16Array, [0, 100, 200]],
    [Uint16Array, [0, 0, 0]],
    [Uint16Array, [0, 0, 0]],
    [Uint8Array, [ENTITY, ENTITY, ENTITY]],
    [Uint8Array, [0, 0]],
  ];
  const bytes = numbers.flatMap(([Column, values]) => {
    const column = new Column(values.length);
    column.set(values);
    return [...new Uint8Array(column.buffer)];
  });
  const box = { left: 0, top: 0, right: 1, bottom: 1 };
  const graph = arrange(new Uint8Array(bytes).buffer, { nodes: 3, edges: 2, box });
  const relations = [{ type: "Causal", predicate: "causes", count: 2 }];
  const answer = { map: "m", tx: 1, at: null, fresh: true, drawing: false, nodes: 3, edges: 2, unlinked: 0, box, kinds: [], relations, topics: [{ title: "Rain", number: 0, count: 3 }], columns: null };
  const names = new Map(TITLES.map((title, number) => [number, { number, id: title, handle: title, title, kind: "entity", ghost: false }]));
  return { answer, graph, incoming: () => turnRound(graph), names };
}

describe("beside the map", () => {
  const acts = () => ({ ask: vi.fn(), choose: vi.fn(), begin: vi.fn(), end: vi.fn(), causes: vi.fn(), leave: vi.fn() });
  it("the node that is chosen is told of with its links, ways from it, its causes and effects", async () => {
    const [mapped, done] = [chain(), acts()];
    const given = { mapped, wants: () => true, acts: done, shown: undefined };
    const { root } = await mount(<NodePanel {...given} chosen={1} from={-1} />);
    expect(text(root, "h2")).toBe("Flood");
    expect(texts(root, ".near-by li")).toEqual(["→ causes Halt", "← causes Rain"]);
    await press(root, t.map.whatCauses);
    await press(root, t.map.whatFollows);
    expect(done.causes.mock.calls).toEqual([["causes"], ["effects"]]);
    await press(root, t.map.begin);
    expect(done.begin).toHaveBeenCalledWith(1);
    unmount();
    const shown = { told: t.map.causes(1), highlight: { links: [0], nodes: [0, 1] } };
    const marked = await mount(<NodePanel {...given} shown={shown} chosen={1} from={0} />);
    expect(texts(marked.root, "ol li")).toEqual(["Rain causes → Flood"]);
    await press(marked.root, t.map.end("Rain"));
    expect(done.end).toHaveBeenCalledWith(1);
  });
  it("a table says what the picture shows, the most linked first, and nothing that is hidden", async () => {
    const [mapped, choose] = [chain(), vi.fn()];
    const look = { shown: new Uint8Array([2, 2, 1]) } as unknown as Look;
    const { root } = await mount(<MapTable mapped={mapped} look={look} version={0} ask={() => undefined} choose={choose} />);
    const table = root.querySelector("details")!;
    table.open = true;
    table.dispatchEvent(new Event("toggle"));
    await settled();
    expect(texts(root, "tbody tr")).toEqual(["Floodentity2Rain", "Rainentity1Rain"]);
    await press(root, "Flood");
    expect(choose).toHaveBeenCalledWith(1);
  });
  it("a slider leads to how it was, where there is a past", async () => {
    const journal = (newest: number) => ({ transactions: [{ at: "2026-03-01T10:00:00Z" }], actors: [], next_before: null, newest: { tx: newest, at: null }, oldest: { tx: 1, at: null } });
    const none = await mount(<TimeTravel />, { console_history: () => journal(1) });
    expect(none.root.querySelector("input")).toBeNull();
    unmount();
    const { root } = await mount(<TimeTravel />, { console_history: () => journal(9) });
    const slider = root.querySelector<HTMLInputElement>("input")!;
    await type(slider, "4");
    expect(text(root, "output")).toMatch(/2026/); // already while it moves
    await type(slider, "4", "change");
    expect(text(root, "output")).toMatch(/2026/);
  });
});
