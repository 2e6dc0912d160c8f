import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { call, canSave, saveFile } from "../door";
import { Problem, ThingLink } from "../parts/small";
import { TimeTravel } from "../parts/time_slider";
import { layOut, type Spot } from "../logic/layout";
import type { GraphEdge, GraphNode, Neighbourhood } from "../shapes";
import { address, explain, useApp } from "../state";
import { kindName, t } from "../texts";
import { MapView } from "./map";

const FOLLOWED = 12; // things whose surroundings are looked at again when something changes
const MOST = 300; // nodes that a person can still tell apart
const NS = "http://www.w3.org/2000/svg";

interface Picture {
  nodes: Map<string, GraphNode>;
  edges: Map<string, GraphEdge>;
  spots: Map<string, Spot>;
  told: string;
}

const EMPTY: Picture = { nodes: new Map(), edges: new Map(), spots: new Map(), told: "" };

function grow(before: Picture, found: Neighbourhood): Picture {
  const nodes = new Map(before.nodes);
  for (const node of found.nodes) if (nodes.has(node.id) || nodes.size < MOST) nodes.set(node.id, node);
  const edges = new Map(before.edges);
  for (const edge of found.edges) {
    if (nodes.has(edge.source) && nodes.has(edge.target)) edges.set(`${edge.source} ${edge.predicate} ${edge.target}`, edge);
  }
  const spots = layOut([...nodes.keys()], [...edges.values()], before.spots);
  return { nodes, edges, spots, told: t.graph.shown(found.shown, found.total) };
}

/** What is near a thing; a click on a node brings what is near that one. */
export function Graph() {
  const app = useApp();
  const handle = app.route.rest;
  const [picture, setPicture] = useState<Picture>(EMPTY);
  const [problem, setProblem] = useState("");
  const [name, setName] = useState(handle);
  const [only, setOnly] = useState("");
  const [chosen, setChosen] = useState<string | undefined>();
  const walked = useRef<string[]>([]); // whose surroundings are on the picture
  const asOf = app.asOf && { as_of: String(app.asOf.tx) };
  const near = (from: string, signal?: AbortSignal) =>
    call<Neighbourhood>("console_neighbourhood", { handle: from, limit: 60, ties: 600, ...asOf }, signal);
  const goOn = async (from: string) => {
    try {
      const found = await near(from);
      walked.current = [...walked.current.filter((each) => each !== found.center), found.center].slice(-FOLLOWED);
      setPicture((before) => grow(before, found));
      setChosen(found.center);
      setProblem("");
    } catch (error) {
      setProblem(explain(error));
    }
  };
  useEffect(() => {
    setName(handle);
    setPicture(EMPTY);
    setChosen(undefined);
    walked.current = handle ? [handle] : [];
  }, [handle]);
  // All of it again when something was committed, or another time is looked at; what stays keeps its place.
  useEffect(() => {
    if (!handle) return undefined;
    const stop = new AbortController();
    void Promise.allSettled(walked.current.map((each) => near(each, stop.signal))).then((all) => {
      if (stop.signal.aborted) return;
      const found = all.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const first = all[0]!;
      setProblem(first.status === "rejected" ? explain(first.reason) : "");
      setPicture((before) => found.reduce(grow, { ...EMPTY, spots: before.spots }));
      setChosen((before) => before ?? found.at(-1)?.center);
    });
    return () => stop.abort();
  }, [handle, app.tick, app.asOf?.tx]);
  const node = chosen === undefined ? undefined : picture.nodes.get(chosen);
  const fades = (each: GraphNode) => only !== "" && !each.title.toLowerCase().includes(only.toLowerCase());
  const start = (event: Event) => {
    event.preventDefault();
    if (name.trim()) location.hash = address("graph", name.trim());
  };
  const edges = [...picture.edges.values()];
  return (
    <section class="graph">
      <h1>{t.views.graph}</h1>
      <TimeTravel />
      <form class="row" onSubmit={start}>
        <input aria-label={t.graph.label} placeholder={t.graph.placeholder} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        <button class="main" type="submit">
          {t.graph.go}
        </button>
        {handle !== "" && picture.nodes.size > 0 && (
          <>
            <a class="button" href={address("graph", "", { at: chosen ?? handle })}>
              {t.map.show}
            </a>
            <input aria-label={t.graph.hide} placeholder={t.graph.hide} value={only} onInput={(event) => setOnly(event.currentTarget.value)} />
            {canSave() && (
              <button type="button" onClick={saveSvg}>
                {t.graph.svg}
              </button>
            )}
          </>
        )}
      </form>
      <Problem text={problem} />
      {handle === "" ? (
        <MapView />
      ) : picture.nodes.size === 0 ? null : (
        <>
          <p class="status" role="status">
            {picture.told}
            {node && (
              <>
                {" · "}
                <ThingLink handle={node.handle}>{`${t.graph.open} ${node.title}`}</ThingLink>
              </>
            )}
            <span class="keys">{t.graph.hint}</span>
          </p>
          <Drawing picture={picture} chosen={chosen} fades={fades} pick={(each) => void goOn(each.id)} />
          <details class="twin">
            <summary>{t.graph.table}</summary>
            <div class="scroll" tabIndex={0}>
              <table>
                <thead>
                  <tr>
                    <th>{t.graph.from}</th>
                    <th>{t.graph.relation}</th>
                    <th>{t.graph.to}</th>
                  </tr>
                </thead>
                <tbody>
                  {edges.map((edge, index) => (
                    <tr key={index}>
                      <td>{picture.nodes.get(edge.source)?.title}</td>
                      <td>{edge.predicate}</td>
                      <td>{picture.nodes.get(edge.target)?.title}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
}

interface Drawn {
  picture: Picture;
  chosen: string | undefined;
  fades(node: GraphNode): boolean;
  pick(node: GraphNode): void;
}

function Drawing({ picture, chosen, fades, pick }: Drawn) {
  const box = useMemo(() => frame(picture.spots), [picture.spots]);
  const [zoom, setZoom] = useState(1);
  const drawing = useRef<SVGSVGElement>(null);
  const at = (id: string) => picture.spots.get(id)!;
  const width = box.width / zoom;
  const height = box.height / zoom;
  const view = [box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height].join(" ");
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
  // Names stay as large as they are read, however much is fitted into the picture.
  const [place, setPlace] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const sized = new ResizeObserver(([entry]) => entry && setPlace({ width: entry.contentRect.width, height: entry.contentRect.height }));
    sized.observe(drawing.current!);
    return () => sized.disconnect();
  }, []);
  const unit = place.width > 0 ? Math.max(width / place.width, height / place.height) : 1;
  return (
    <svg ref={drawing} id="drawing" class="drawing" viewBox={view} role="group" aria-label={t.graph.picture} style={{ "--unit": unit }}>
      {[...picture.edges.values()].map((edge, index) => {
        const from = at(edge.source);
        const to = at(edge.target);
        return (
          <line key={index} class={`edge e-${edge.type.toLowerCase()}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y}>
            <title>{edge.predicate}</title>
          </line>
        );
      })}
      {[...picture.nodes.values()].map((node) => (
        <g
          key={node.id}
          class={`node k-${node.kind}${node.ghost ? " ghost" : ""}${node.id === chosen ? " at" : ""}${fades(node) ? " faded" : ""}`}
          transform={`translate(${at(node.id).x} ${at(node.id).y})`}
          role="button"
          tabIndex={0}
          aria-label={`${node.title}, ${kindName(node.kind)}${node.ghost ? `, ${t.graph.ghost}` : ""}`}
          onClick={() => pick(node)}
          onDblClick={() => (location.hash = address("thing", node.handle))}
          onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(node))}
        >
          <circle r={unit * (5 + Math.min(9, Math.sqrt(node.degree) * 1.6))} />
          <text y={-unit * (10 + Math.min(9, Math.sqrt(node.degree) * 1.6))}>{short(node.title, Math.max(8, Math.round(26 / unit)))}</text>
        </g>
      ))}
    </svg>
  );
}

const short = (title: string, most: number) => (title.length > most ? `${title.slice(0, most - 1)}…` : title);

function frame(spots: Map<string, Spot>) {
  const xs = [...spots.values()].map((spot) => spot.x);
  const ys = [...spots.values()].map((spot) => spot.y);
  const x = Math.min(...xs, -150) - 90;
  const y = Math.min(...ys, -110) - 50;
  return { x, y, width: Math.max(...xs, 150) + 90 - x, height: Math.max(...ys, 110) + 50 - y };
}

/** The picture as a file, with the colours it has on the screen. */
function saveSvg(): void {
  const shown = document.getElementById("drawing");
  if (shown === null) return;
  const copy = shown.cloneNode(true) as SVGElement;
  copy.setAttribute("xmlns", NS);
  const originals = shown.querySelectorAll("line, circle, text");
  copy.querySelectorAll("line, circle, text").forEach((element, index) => {
    const style = getComputedStyle(originals[index]!);
    for (const name of ["fill", "stroke", "stroke-width", "font-size", "font-family", "text-anchor"]) {
      element.setAttribute(name, style.getPropertyValue(name));
    }
  });
  void saveFile(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), "graph.svg");
}
