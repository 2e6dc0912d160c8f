// Ways through the graph: from one node to another, and what causes what.
import type { Graph, Relation } from "./columns";

/** The links of each node the other way round, by their numbers. */
export interface Incoming {
  starts: Uint32Array;
  links: Uint32Array;
}

export function turnRound(graph: Graph): Incoming {
  const starts = new Uint32Array(graph.count + 1);
  for (let link = 0; link < graph.links; link += 1) starts[graph.targets[link]! + 1]! += 1;
  for (let node = 0; node < graph.count; node += 1) starts[node + 1]! += starts[node]!;
  const next = starts.slice(0, graph.count);
  const links = new Uint32Array(graph.links);
  for (let link = 0; link < graph.links; link += 1) links[next[graph.targets[link]!]!++] = link;
  return { starts, links };
}

export interface Step {
  link: number;
  node: number; // where the link leads, seen from where one comes
}

/** The links at a node, out and in, by their numbers; those that are wanted. */
export function stepsAt(graph: Graph, incoming: Incoming, node: number, wants: (link: number) => boolean = () => true): Step[] {
  const found: Step[] = [];
  for (let link = graph.starts[node]!; link < graph.starts[node + 1]!; link += 1) {
    if (wants(link)) found.push({ link, node: graph.targets[link]! });
  }
  for (let at = incoming.starts[node]!; at < incoming.starts[node + 1]!; at += 1) {
    const link = incoming.links[at]!;
    if (wants(link)) found.push({ link, node: graph.sources[link]! });
  }
  return found;
}

/** The links of a shortest way between two nodes, whichever way they point; nothing where there is none. */
export function findWay(
  graph: Graph,
  incoming: Incoming,
  from: number,
  to: number,
  wants: (link: number) => boolean = () => true,
): number[] | undefined {
  if (from === to) return [];
  const came = new Int32Array(graph.count).fill(-1); // the link by which a node was reached
  const seen = new Uint8Array(graph.count);
  seen[from] = 1;
  let front = [from];
  while (front.length > 0 && !seen[to]) {
    const next: number[] = [];
    for (const node of front) {
      for (const step of stepsAt(graph, incoming, node, wants)) {
        if (seen[step.node]) continue;
        seen[step.node] = 1;
        came[step.node] = step.link;
        next.push(step.node);
      }
    }
    front = next;
  }
  if (!seen[to]) return undefined;
  const way: number[] = [];
  for (let node = to; node !== from; ) {
    const link = came[node]!;
    way.push(link);
    node = graph.sources[link] === node ? graph.targets[link]! : graph.sources[link]!;
  }
  return way.reverse();
}

/** All links by which something leads to a node, or on from it, as far as they are wanted. */
export function follow(
  graph: Graph,
  incoming: Incoming,
  node: number,
  direction: "causes" | "effects",
  wants: (link: number) => boolean,
  most = 2000,
): number[] {
  const seen = new Set([node]);
  const found: number[] = [];
  const waiting = [node];
  while (waiting.length > 0 && found.length < most) {
    const at = waiting.shift()!;
    const isHere = (link: number) => (direction === "effects" ? graph.sources[link] : graph.targets[link]) === at;
    for (const step of stepsAt(graph, incoming, at, (link) => isHere(link) && wants(link))) {
      found.push(step.link);
      if (seen.has(step.node)) continue;
      seen.add(step.node);
      waiting.push(step.node);
    }
  }
  return found.slice(0, most);
}

/** Whether a link says that something brings another about; what it prevents is no effect of it. */
export const isCause = (relation: Relation): boolean => relation.type === "Causal" && relation.predicate !== "prevents";
