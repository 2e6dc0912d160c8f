// What is near a thing, drawn: circles with names, links as arrows in the colours of their types; and the picture as a file.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fitLabels } from "../logic/labels";
import type { Spot } from "../logic/layout";
import { sayRelation } from "../logic/plain";
import type { GraphEdge, GraphNode } from "../shapes";
import { address } from "../state";
import { kindName, t } from "../texts";
import { LINK_TYPES } from "./looks";

const NS = "http://www.w3.org/2000/svg";
const SIDE = 70; // pixels around the outermost nodes, for their names
const TOP = 34;
const USUAL = 800; // pixels, until it is known how wide the picture is
const MOST_STRETCHED = 2; // a round picture may become so much wider or higher to fill its frame
const MOST_SAID = 40; // links whose relation is written beside them; where there are more it would be all that one sees
const GAP = 4; // pixels between a node and its name
const TIP = 7; // pixels that the head of an arrow is long
const SHARP = 2; // pixels of a picture for one on the screen
const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "text-anchor", "opacity"];

export interface Picture {
  nodes: Map<string, GraphNode>;
  edges: Map<string, GraphEdge>;
  spots: Map<string, Spot>;
  told: string;
}

interface Drawn {
  picture: Picture;
  chosen: string | undefined;
  fades(node: GraphNode): boolean;
  pick(node: GraphNode): void;
}

/** What the colours mean that are on the picture. */
export function NearLegend({ picture }: { picture: Picture }) {
  const nodes = [...picture.nodes.values()];
  const kinds = [...new Set(nodes.map((node) => (node.ghost ? "ghost" : node.kind)))];
  const types = LINK_TYPES.filter((type) => [...picture.edges.values()].some((edge) => edge.type === type));
  return (
    <ul class="plain legend" aria-label={t.map.legend}>
      {kinds.map((kind) => (
        <li key={kind} class="meaning">
          <span class={`dot k-${kind}`} />
          {kindName(kind)}
        </li>
      ))}
      {types.map((type) => (
        <li key={type} class="meaning">
          <span class={`dot is-link l-${type.toLowerCase()}`} />
          {t.map.types[type] ?? type}
        </li>
      ))}
    </ul>
  );
}

const sizeOf = (node: GraphNode): number => 5 + Math.min(9, Math.sqrt(node.degree) * 1.6);

export function NearDrawing({ picture, chosen, fades, pick }: Drawn) {
  const [zoom, setZoom] = useState(1);
  const drawing = useRef<SVGSVGElement>(null);
  const [place, setPlace] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const sized = new ResizeObserver(([entry]) => entry && setPlace({ width: entry.contentRect.width, height: entry.contentRect.height }));
    sized.observe(drawing.current!);
    return () => sized.disconnect();
  }, []);
  useEffect(() => {
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      setZoom((before) => Math.min(6, Math.max(0.5, before * (event.deltaY < 0 ? 1.15 : 0.87))));
    };
    const element = drawing.current;
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, []);
  const { spots, box, unit } = useMemo(() => frame(picture.spots, place, zoom), [picture.spots, place, zoom]);
  const at = (id: string) => spots.get(id)!;
  // Who is chosen and who has most links is named first.
  const order = [...picture.nodes.values()].sort((one, other) => Number(other.id === chosen) - Number(one.id === chosen) || other.degree - one.degree);
  const points = order.map((node) => ({
    x: (at(node.id).x - box.x) / unit,
    y: (at(node.id).y - box.y) / unit - sizeOf(node) - GAP,
    below: GAP + 2 * sizeOf(node),
    title: node.title,
  }));
  // What a link says is written where there is room left; what a note's links say their colour does.
  const edges = [...picture.edges.values()];
  const told = edges.length <= MOST_SAID ? edges.filter((edge) => edge.type !== "Link" && edge.predicate !== "") : [];
  const between = told.map(({ source, target, predicate }) => ({
    x: ((at(source).x + at(target).x) / 2 - box.x) / unit,
    y: ((at(source).y + at(target).y) / 2 - box.y) / unit + GAP,
    below: 0,
    title: sayRelation(predicate),
  }));
  const said = fitLabels([...points, ...between], place.width || USUAL);
  return (
    <svg
      ref={drawing}
      id="drawing"
      class="drawing"
      viewBox={[box.x, box.y, box.width, box.height].join(" ")}
      role="group"
      aria-label={t.graph.picture}
      style={{ "--unit": unit }}
    >
      {edges.map((edge, index) => (
        <Arrow key={index} edge={edge} from={at(edge.source)} to={at(edge.target)} gap={unit * (sizeOf(picture.nodes.get(edge.target)!) + 2)} unit={unit} />
      ))}
      {[...picture.nodes.values()].map((node) => (
        <g
          key={node.id}
          class={`node k-${node.ghost ? "ghost" : node.kind}${node.ghost ? " ghost" : ""}${node.id === chosen ? " at" : ""}${fades(node) ? " faded" : ""}`}
          transform={`translate(${at(node.id).x} ${at(node.id).y})`}
          role="button"
          tabIndex={0}
          aria-label={`${node.title}, ${kindName(node.kind)}${node.ghost ? `, ${t.graph.ghost}` : ""}`}
          onClick={() => pick(node)}
          onDblClick={() => (location.hash = address("thing", node.handle))}
          onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(node))}
        >
          <title>{node.title}</title>
          <circle r={unit * sizeOf(node)} />
        </g>
      ))}
      <g class="names" aria-hidden="true">
        {order.map((node, index) => (
          <text key={node.id} class={`${node.ghost ? "ghost" : ""}${fades(node) ? " faded" : ""}`} x={at(node.id).x} y={at(node.id).y - unit * (sizeOf(node) + GAP)}>
            {said[index]}
          </text>
        ))}
        {between.map((each, index) => (
          <text key={index} class="relation" x={box.x + unit * each.x} y={box.y + unit * each.y}>
            {said[order.length + index]}
          </text>
        ))}
      </g>
    </svg>
  );
}

function Arrow({ edge, from, to, gap, unit }: { edge: GraphEdge; from: Spot; to: Spot; gap: number; unit: number }) {
  const far = Math.max(1, Math.hypot(to.x - from.x, to.y - from.y));
  const [along, across] = [(to.x - from.x) / far, (to.y - from.y) / far];
  const end = { x: to.x - along * gap, y: to.y - across * gap };
  const back = { x: end.x - along * unit * TIP, y: end.y - across * unit * TIP };
  const wide = (unit * TIP) / 2.4;
  const corners = [end.x, end.y, back.x - across * wide, back.y + along * wide, back.x + across * wide, back.y - along * wide];
  const kind = `l-${edge.type.toLowerCase()}`;
  return (
    <g class={`edge ${kind}`}>
      <title>{sayRelation(edge.predicate) || (t.map.types[edge.type] ?? edge.type)}</title>
      <line x1={from.x} y1={from.y} x2={back.x} y2={back.y} />
      {far > gap + unit * TIP && <polygon points={corners.map((each) => each.toFixed(1)).join(" ")} />}
    </g>
  );
}

/** The nodes spread over the frame, what of the plane is shown, and how much of it a pixel is. */
function frame(spots: ReadonlyMap<string, Spot>, place: { width: number; height: number }, zoom: number) {
  const half = (values: number[]) => Math.max(60, ...values.map(Math.abs));
  const all = [...spots.values()];
  const xs = half(all.map((spot) => spot.x));
  const ys = half(all.map((spot) => spot.y));
  const room = { width: Math.max(120, place.width || USUAL) - 2 * SIDE, height: Math.max(120, place.height || 600) - 2 * TOP };
  const shape = room.width / room.height / (xs / ys);
  const wider = Math.min(MOST_STRETCHED, Math.max(1, shape));
  const higher = Math.min(MOST_STRETCHED, Math.max(1, 1 / shape));
  const fitted = Math.max((2 * xs * wider) / room.width, (2 * ys * higher) / room.height);
  const unit = fitted / zoom;
  const width = (room.width + 2 * SIDE) * unit;
  const height = (room.height + 2 * TOP) * unit;
  return {
    spots: new Map([...spots].map(([id, spot]) => [id, { x: spot.x * wider, y: spot.y * higher }])),
    box: { x: -width / 2, y: -height / 2, width, height },
    unit,
  };
}

/** The picture by itself, with the colours it has on the screen. */
function copyOf(shown: SVGElement): SVGElement {
  const copy = shown.cloneNode(true) as SVGElement;
  copy.setAttribute("xmlns", NS);
  const { width, height } = shown.getBoundingClientRect();
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(height)));
  const wanted = "line, polygon, circle, text, g.node";
  const originals = shown.querySelectorAll(wanted);
  copy.querySelectorAll(wanted).forEach((element, index) => {
    const style = getComputedStyle(originals[index]!);
    for (const name of COPIED) element.setAttribute(name, style.getPropertyValue(name));
  });
  const [x, y, wide, high] = copy.getAttribute("viewBox")!.split(" ");
  const ground = document.createElementNS(NS, "rect");
  for (const [name, value] of Object.entries({ x, y, width: wide, height: high, fill: getComputedStyle(shown).backgroundColor })) {
    ground.setAttribute(name, value ?? "");
  }
  copy.prepend(ground);
  return copy;
}

export async function keepPicture(kind: "svg" | "png"): Promise<Blob | undefined> {
  const shown = document.getElementById("drawing");
  if (shown === null) return undefined;
  const copy = copyOf(shown as unknown as SVGElement);
  // No letter that XML has no way to hold.
  const told = new XMLSerializer().serializeToString(copy).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "");
  if (kind === "svg") return new Blob([told], { type: "image/svg+xml" });
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(told)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SHARP * image.width, SHARP * image.height];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob((blob) => done(blob ?? undefined), "image/png"));
}
