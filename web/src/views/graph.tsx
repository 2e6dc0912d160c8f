import { useEffect, useRef, useState } from "preact/hooks";
import { call, canSave, saveFile } from "../door";
import { Problem, ThingLink } from "../parts/small";
import { TimeTravel } from "../parts/time_slider";
import { layOut } from "../logic/layout";
import { sayRelation } from "../logic/plain";
import { keepPicture, NearDrawing, NearLegend, type Picture } from "../graph/near";
import type { GraphNode, Neighbourhood } from "../shapes";
import { address, explain, useApp } from "../state";
import { t } from "../texts";
import { MapView } from "./map";

const FOLLOWED = 12; // things whose surroundings are looked at again when something changes
const MOST = 300; // nodes that a person can still tell apart

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
  const looked = useRef(app.asOf?.tx);
  looked.current = app.asOf?.tx;
  const goOn = async (from: string) => {
    const then = app.asOf?.tx;
    walked.current = [...walked.current.filter((each) => each !== from), from].slice(-FOLLOWED);
    try {
      const found = await near(from);
      if (looked.current !== then) return; // another time is looked at by now, and this was asked for with the rest
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
  const keep = async (kind: "svg" | "png") => {
    try {
      const blob = await keepPicture(kind);
      if (blob) await saveFile(blob, `graph.${kind}`);
    } catch (problem) {
      app.show({ text: t.failed + explain(problem), isError: true });
    }
  };
  return (
    <section class="graph">
      <div class="heading">
        <h1>{t.views.graph}</h1>
        <form class="row" onSubmit={start}>
          <input aria-label={t.graph.label} placeholder={t.graph.placeholder} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          <button class="main" type="submit">
            {t.graph.go}
          </button>
        </form>
        <TimeTravel />
      </div>
      {handle !== "" && picture.nodes.size > 0 && (
        <div class="row">
          <a class="button" href={address("graph", "", { at: chosen ?? handle })}>
            {t.map.show}
          </a>
          <input type="search" aria-label={t.graph.hide} placeholder={t.graph.hide} value={only} onInput={(event) => setOnly(event.currentTarget.value)} />
          {canSave() && (
            <>
              <button type="button" onClick={() => void keep("svg")}>
                {t.graph.svg}
              </button>
              <button type="button" onClick={() => void keep("png")}>
                {t.map.png}
              </button>
            </>
          )}
        </div>
      )}
      <Problem text={problem} />
      {handle === "" ? (
        <MapView />
      ) : picture.nodes.size === 0 ? null : (
        <>
          <p class="status" role="status">
            <span>{picture.told}</span>
            {node && <ThingLink handle={node.handle}>{`${t.graph.open} ${node.title}`}</ThingLink>}
            <span class="keys">{t.graph.hint}</span>
          </p>
          <NearLegend picture={picture} />
          <NearDrawing picture={picture} chosen={chosen} fades={fades} pick={(each) => void goOn(each.id)} />
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
                      <td>{sayRelation(edge.predicate)}</td>
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
