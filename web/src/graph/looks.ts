// What the map looks like: colours by kind or by topic, what is hidden and what is faded.
import { KINDS, type Graph, type Relation } from "./columns";
import { parseColour, topicColour, TOPICS, type Colours, type Look } from "./raster";

export type ColourBy = "kind" | "topic";

export const LINK_TYPES = ["Relational", "Semantic", "Causal", "Temporal", "Hierarchical", "Link"];

export function dressNodes(
  graph: Graph,
  relations: readonly Relation[],
  by: ColourBy,
  hidden: { kinds: ReadonlySet<string>; types: ReadonlySet<string> },
  found: ReadonlySet<number> | undefined,
): Look {
  const colour = by === "kind" ? graph.kind : Uint8Array.from(graph.topic, topicColour);
  const isHidden = KINDS.map((kind) => hidden.kinds.has(kind));
  const shown = new Uint8Array(graph.count);
  for (let node = 0; node < graph.count; node += 1) {
    shown[node] = isHidden[graph.kind[node]!] ? 0 : found === undefined || found.has(node) ? 2 : 1;
  }
  const linkType = Uint8Array.from(relations, ({ type }) => {
    const number = LINK_TYPES.indexOf(type);
    return hidden.types.has(type) ? 255 : number < 0 ? 0 : number;
  });
  return { colour, shown, linkType };
}

/** The colours of the page's style sheet, as it has them now: asked of elements that wear them. */
export function readColours(host: HTMLElement, by: ColourBy): { colours: Colours; ink: string } {
  const probe = document.createElement("span");
  host.append(probe);
  const ask = (name: string) => {
    probe.className = `probe ${name}`;
    return parseColour(getComputedStyle(probe).color);
  };
  const names = by === "kind" ? KINDS.map((kind) => `k-${kind}`) : Array.from({ length: TOPICS + 1 }, (_, at) => `topic-${at}`);
  const colours = {
    paper: ask("of-card"),
    faded: ask("of-line"),
    nodes: Uint32Array.from(names, ask),
    links: Uint32Array.from(LINK_TYPES, (type) => ask(`of-link l-${type.toLowerCase()}`)),
  };
  const ink = ask("of-ink");
  probe.remove();
  return { colours, ink: `rgb(${ink & 255} ${(ink >>> 8) & 255} ${(ink >>> 16) & 255})` };
}
