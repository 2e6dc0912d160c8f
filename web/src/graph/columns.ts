// The map's columns as the server packs them (docs/page.md, The map), unpacked into typed arrays.

export const KINDS = ["entry", "entity", "note", "document", "section", "pattern", "memory", "conversation", "ghost"];
export const GHOST = KINDS.length - 1;
export const NO_TOPIC = 0xffff;
const FULL = 0xffff;

export interface Relation {
  type: string;
  predicate: string;
  count: number;
}

export interface MapAnswer {
  map: string | null;
  tx: number;
  at: string | null;
  fresh: boolean;
  drawing: boolean;
  nodes: number;
  edges: number;
  unlinked: number;
  box: { left: number; top: number; right: number; bottom: number };
  kinds: { kind: string; count: number }[];
  relations: Relation[];
  topics: { title: string; number: number; count: number }[];
  columns: string | null;
}

export interface Graph {
  count: number;
  links: number;
  x: Float32Array;
  y: Float32Array;
  topic: Uint16Array;
  kind: Uint8Array;
  degree: Uint32Array;
  starts: Uint32Array; // of each node's links, in `targets`
  sources: Uint32Array;
  targets: Uint32Array;
  relation: Uint8Array;
}

async function inflate(packed: string): Promise<ArrayBuffer> {
  const made = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  const bytes = made.fromBase64?.(packed) ?? Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

export async function unpack(answer: MapAnswer): Promise<Graph> {
  return arrange(await inflate(answer.columns ?? ""), answer);
}

export function arrange(content: ArrayBuffer, { nodes, edges, box }: Pick<MapAnswer, "nodes" | "edges" | "box">): Graph {
  let at = 0;
  const take = (bytes: number) => content.slice(at, (at += bytes));
  const leaving = new Uint32Array(take(4 * nodes));
  const steps = new Int32Array(take(4 * edges));
  const columns = [new Uint16Array(take(2 * nodes)), new Uint16Array(take(2 * nodes))] as const;
  const topic = new Uint16Array(take(2 * nodes));
  const kind = new Uint8Array(take(nodes));
  const relation = new Uint8Array(take(edges));
  const [x, y] = [new Float32Array(nodes), new Float32Array(nodes)];
  const starts = new Uint32Array(nodes + 1);
  const [sources, targets] = [new Uint32Array(edges), new Uint32Array(edges)];
  const degree = new Uint32Array(nodes);
  let link = 0;
  for (let node = 0; node < nodes; node += 1) {
    x[node] = box.left + (columns[0][node]! / FULL) * (box.right - box.left);
    y[node] = box.top + (columns[1][node]! / FULL) * (box.bottom - box.top);
    const stop = link + leaving[node]!;
    let target = 0;
    for (; link < stop; link += 1) {
      target += steps[link]!;
      sources[link] = node;
      targets[link] = target;
      degree[target]! += 1;
    }
    degree[node]! += leaving[node]!;
    starts[node + 1] = link;
  }
  return { count: nodes, links: edges, x, y, topic, kind, degree, starts, sources, targets, relation };
}
