import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { arrange, unpack } from "../src/graph/columns";
import { findWay, follow, isCause, turnRound } from "../src/graph/paths";
import { mix, parseColour, spell } from "../src/graph/raster";
import { byDegree } from "../src/graph/scene";

// 0 → 1 → 2 → 3 and 0 → 3, and 4 alone.
const LINKS = [[0, 1], [0, 3], [1, 2], [2, 3]] as const; // prettier-ignore
const BOX = { left: 0, top: 0, right: 65535, bottom: 131070 };

function packed(): Buffer {
  const leaving = Uint32Array.of(2, 1, 1, 0, 0);
  const steps = Int32Array.of(1, 2, 2, 3);
  const x = Uint16Array.of(0, 1, 2, 3, 65535);
  const y = Uint16Array.of(5, 5, 5, 5, 65535);
  const topics = Uint16Array.of(0, 0, 0, 0, 65535);
  const kinds = Uint8Array.of(0, 1, 2, 3, 8);
  const relations = Uint8Array.of(0, 1, 0, 0);
  return Buffer.concat([leaving, steps, x, y, topics, kinds, relations].map((column) => Buffer.from(column.buffer)));
}

const graph = arrange(new Uint8Array(packed()).buffer, { nodes: 5, edges: 4, box: BOX });

test("columns are unpacked as they were packed", async () => {
  expect([...graph.sources].map((source, link) => [source, graph.targets[link]])).toEqual(LINKS);
  expect([...graph.degree]).toEqual([2, 2, 2, 2, 0]);
  expect([graph.x[4], graph.y[4], graph.y[0]]).toEqual([65535, 131070, 10]);
  const answer = { columns: deflateSync(packed()).toString("base64"), nodes: 5, edges: 4, box: BOX };
  expect(await unpack(answer as never)).toEqual(graph);
});

test("the shortest way is found whichever way links point, and only over those that are wanted", () => {
  const incoming = turnRound(graph);
  expect(findWay(graph, incoming, 2, 0)).toHaveLength(2);
  expect(findWay(graph, incoming, 3, 0)).toEqual([1]);
  expect(findWay(graph, incoming, 0, 3, (link) => graph.relation[link] === 0)).toEqual([0, 2, 3]);
  expect(findWay(graph, incoming, 0, 4)).toBeUndefined();
  expect(findWay(graph, incoming, 1, 1)).toEqual([]);
});

test("causes lead to a node and effects on from it", () => {
  const incoming = turnRound(graph);
  const causal = (link: number) => graph.relation[link] === 0;
  expect(follow(graph, incoming, 2, "causes", causal)).toEqual([2, 0]);
  expect(follow(graph, incoming, 0, "effects", causal)).toEqual([0, 2, 3]);
  expect(follow(graph, incoming, 4, "effects", () => true)).toEqual([]);
  const said = [{ type: "Causal", predicate: "causes" }, { type: "Causal", predicate: "prevents" }, { type: "Semantic", predicate: "" }];
  expect(said.map((each) => isCause({ ...each, count: 1 }))).toEqual([true, false, false]);
});

test("colours are read as style sheets tell them, and mixed", () => {
  expect(spell(parseColour("rgb(1, 2, 3)"))).toBe("rgb(1 2 3)");
  expect(spell(parseColour("rgba(1, 2, 3, 0.5)"))).toBe("rgb(1 2 3)");
  expect(spell(parseColour("color(srgb 1 0.5 0)"))).toBe("rgb(255 128 0)");
  expect(spell(mix(parseColour("rgb(0, 0, 0)"), parseColour("rgb(100, 200, 0)"), 0.5))).toBe("rgb(50 100 0)");
});

test("the most linked come first, of equals the older", () => {
  expect([...byDegree({ ...graph, degree: Uint32Array.of(1, 3, 0, 3, 2) })]).toEqual([1, 3, 4, 0, 2]);
});
