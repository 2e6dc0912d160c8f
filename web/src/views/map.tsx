import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { call, canSave, saveFile } from "../door";
import { Problem, Time } from "../parts/small";
import { dressNodes, LINK_TYPES, readColours, type ColourBy } from "../graph/looks";
import { marksOf, NO_MARKS, type Marks, type Question } from "../graph/marked";
import { NodePanel } from "../graph/panel";
import { findWay, follow, isCause, stepsAt } from "../graph/paths";
import { toPng, toSvg } from "../graph/picture";
import { NONE, Scene, type Highlight } from "../graph/scene";
import { MapTable } from "../graph/table";
import { useMap, useNames, type Mapped, type NodeName } from "../graph/use_map";
import { address, explain, useApp } from "../state";
import { kindName, t } from "../texts";
import { topicColour, TOPICS } from "../graph/raster";

const STANDING_OUT = 300; // links of a hub that are drawn over the others
const TYPING = 250; // milliseconds after which a word is looked for

/** Everything that is stored and how it hangs together, laid out by the server. */
export function MapView() {
  const { mapped, marks, mark, error } = useMap();
  if (mapped === undefined) return error ? <Problem text={error} /> : <p class="status" role="status">{t.map.drawing}</p>;
  if (mapped.answer.nodes === 0) return <p class="empty">{t.map.nothing}</p>;
  return (
    <>
      <Problem text={error} />
      <Drawn mapped={mapped} marks={marks} mark={mark} />
    </>
  );
}

function toggled(set: ReadonlySet<string>, name: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** The links of a node, so that they stand out from all others. */
function around(mapped: Mapped, node: number, wants: (link: number) => boolean): Highlight {
  if (node < 0) return NONE;
  const steps = stepsAt(mapped.graph, mapped.incoming(), node, wants).slice(0, STANDING_OUT);
  return { links: steps.map((step) => step.link), nodes: [node, ...steps.map((step) => step.node)] };
}

export interface Shown {
  highlight: Highlight;
  told: string; // what is highlighted, in words
}

interface Given {
  mapped: Mapped;
  marks: Marks;
  mark(change: Partial<Marks>): void;
}

/** What was asked about the nodes that are marked, answered on this map. */
function answerTo(mapped: Mapped, question: Question, wants: (link: number) => boolean): Shown {
  const { graph, answer } = mapped;
  const light = (links: number[], told: string): Shown => ({
    highlight: { links, nodes: [...new Set(links.flatMap((link) => [graph.sources[link]!, graph.targets[link]!]))] },
    told,
  });
  if (question.kind === "way") {
    const way = findWay(graph, mapped.incoming(), question.from, question.to, wants);
    return way === undefined ? { highlight: NONE, told: t.map.noWay } : light(way, t.map.way(way.length));
  }
  const isCausal = (link: number) => isCause(answer.relations[graph.relation[link]!]!) && wants(link);
  const links = follow(graph, mapped.incoming(), question.of, question.kind, isCausal);
  return light(links, t.map[question.kind](links.length));
}

function Drawn({ mapped, marks, mark }: Given) {
  const app = useApp();
  const { answer, graph, names } = mapped;
  const { ask, version } = useNames(mapped);
  const [by, setBy] = useState<ColourBy>("kind");
  const [kinds, setKinds] = useState<ReadonlySet<string>>(new Set());
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set());
  const [query, setQuery] = useState("");
  const { found, told, of } = useFound(mapped, query);
  const isWanted = useRef(false); // Enter was pressed before the answer to what was typed has come
  const { chosen, from, question } = marks;
  const setChosen = (node: number) => mark({ chosen: node });
  const stage = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene | undefined>(undefined);
  const look = useMemo(() => dressNodes(graph, answer.relations, by, { kinds, types }, found), [graph, answer.relations, by, kinds, types, found]);
  const wants = (link: number) => look.linkType[graph.relation[link]!] !== 255;
  const open = (node: number) => names.has(node) && (location.hash = address("thing", names.get(node)!.handle));
  const shown = useMemo(() => question && answerTo(mapped, question, wants), [mapped, question, look]);
  const acts = useRef({ pick: setChosen, open, ask });
  acts.current = { pick: setChosen, open, ask };
  const view = useRef<Scene["view"] | undefined>(undefined);

  useEffect(() => {
    const made = new Scene(graph, base.current!, over.current!, names, {
      picked: (node) => acts.current.pick(node),
      opened: (node) => acts.current.open(node),
      pointed: () => undefined,
      needed: (nodes) => acts.current.ask(nodes),
    });
    scene.current = made;
    if (view.current === undefined) made.fit();
    else made.view = view.current;
    return () => {
      view.current = made.view;
      made.close();
    };
  }, [graph]);
  useEffect(() => {
    const dress = () => {
      const { colours, ink } = readColours(stage.current!, by);
      scene.current!.dress(look, colours, ink);
    };
    dress();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", dress);
    return () => scheme.removeEventListener("change", dress);
  }, [look, by]);
  useEffect(() => scene.current!.named(), [version]);
  useEffect(() => scene.current!.show(shown?.highlight ?? around(mapped, chosen, wants), chosen), [graph, shown, chosen, look]);
  useEffect(() => ask(marksOf(marks)), [marks, graph]);
  useEffect(() => ask(shown?.highlight.nodes.slice(0, 200) ?? []), [shown]);
  useEffect(() => {
    const handle = app.route.params.get("at");
    if (handle) void goTo(handle);
  }, [app.route.params.get("at"), graph]);
  const goTo = async (handle: string) => {
    try {
      const { nodes } = await call<{ nodes: NodeName[] }>("console_map_nodes", { map: answer.map, handle });
      nodes.forEach((node) => names.set(node.number, node));
      const [node] = nodes;
      if (node === undefined) return;
      setChosen(node.number);
      scene.current!.focus(node.number);
    } catch (problem) {
      app.show({ text: explain(problem), isError: true });
    }
  };
  const choose = (node: number) => {
    setChosen(node);
    scene.current!.focus(node);
  };
  const chooseFound = () => {
    if (!isWanted.current || of !== query || found === undefined) return;
    isWanted.current = false;
    if (found.size > 0) choose([...found][0]!);
  };
  useEffect(chooseFound, [found]);
  const keep = async (kind: "png" | "svg") => {
    const blob = kind === "png" ? await toPng(scene.current!, base.current!, over.current!) : toSvg(scene.current!, base.current!);
    try {
      await saveFile(blob, `graph.${kind}`);
    } catch (problem) {
      app.show({ text: t.failed + explain(problem), isError: true });
    }
  };
  const isElsewhen = app.asOf !== undefined && answer.tx !== app.asOf.tx;
  const late = isElsewhen ? t.map.drawing : answer.fresh ? "" : t.map.stale;
  return (
    <>
      <div class="row">
        <input
          type="search"
          aria-label={t.map.search}
          placeholder={t.map.seek}
          value={query}
          onInput={(event) => ((isWanted.current = false), setQuery(event.currentTarget.value))}
          onKeyDown={(event) => event.key === "Enter" && ((isWanted.current = true), chooseFound())}
        />
        <select aria-label={t.map.colour} value={by} onChange={(event) => setBy(event.currentTarget.value as ColourBy)}>
          <option value="kind">{t.map.byKind}</option>
          <option value="topic">{t.map.byTopic}</option>
        </select>
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
      <p class="status" role="status">
        {t.map.size(answer.nodes, answer.edges, answer.unlinked)}
        {told && <span>{told}</span>}
        {shown && <span>{shown.told}</span>}
        {late && <span>{late}</span>}
        <span>
          {t.map.drawn} <Time at={answer.at} />
        </span>
      </p>
      <div class="legend" role="group" aria-label={t.map.legend}>
        {answer.kinds.map(({ kind, count }) => (
          <button key={kind} type="button" class="chip" aria-pressed={!kinds.has(kind)} onClick={() => setKinds(toggled(kinds, kind))}>
            <span class={by === "kind" ? `dot k-${kind}` : "dot"} />
            {`${kindName(kind)} ${count.toLocaleString()}`}
          </button>
        ))}
        {LINK_TYPES.filter((type) => answer.relations.some((each) => each.type === type)).map((type) => (
          <button key={type} type="button" class="chip" aria-pressed={!types.has(type)} onClick={() => setTypes(toggled(types, type))}>
            <span class={`dot is-link l-${type.toLowerCase()}`} />
            {t.map.types[type] ?? type}
          </button>
        ))}
      </div>
      {by === "topic" && (
        <div class="legend" role="group" aria-label={t.map.topics}>
          {answer.topics.slice(0, TOPICS).map((topic, rank) => (
            <button key={topic.number} type="button" class="chip" onClick={() => choose(topic.number)}>
              <span class={`dot topic-${topicColour(rank)}`} />
              {`${topic.title} ${topic.count.toLocaleString()}`}
            </button>
          ))}
        </div>
      )}
      <div class={chosen >= 0 || from >= 0 ? "beside" : ""}>
        <div ref={stage} class="stage">
          <canvas ref={base} aria-hidden="true" />
          <canvas ref={over} tabIndex={0} role="application" aria-label={t.map.picture} />
          <div class="zooms">
            <button type="button" aria-label={t.map.closer} onClick={() => scene.current!.zoom(1.5)}>
              +
            </button>
            <button type="button" aria-label={t.map.farther} onClick={() => scene.current!.zoom(1 / 1.5)}>
              −
            </button>
            <button type="button" aria-label={t.map.whole} onClick={() => scene.current!.fit()}>
              ⤢
            </button>
          </div>
        </div>
        {(chosen >= 0 || from >= 0) && (
          <NodePanel
            mapped={mapped}
            chosen={chosen}
            from={from}
            shown={shown}
            wants={wants}
            acts={{
              ask,
              choose,
              begin: (node) => mark({ from: node }),
              end: (node) => mark({ from: -1, question: { kind: "way", from, to: node } }),
              causes: (kind) => mark({ question: { kind, of: chosen } }),
              leave: () => mark(NO_MARKS),
            }}
          />
        )}
      </div>
      <MapTable mapped={mapped} look={look} version={version} ask={ask} choose={choose} />
    </>
  );
}

interface Found {
  of: string; // what was looked for
  found: ReadonlySet<number> | undefined;
  told: string;
}
const NOT_FOUND: Found = { of: "", found: undefined, told: "" };

/** The nodes that a word means, once it has been typed. */
function useFound(mapped: Mapped, query: string): Found {
  const [state, setState] = useState<Found & { map: string | null }>({ map: null, of: "", found: undefined, told: "" });
  const { map, nodes } = mapped.answer;
  useEffect(() => {
    if (!query.trim()) {
      setState({ map, of: query, found: undefined, told: "" });
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call<{ found: number[]; total: number }>("console_map_nodes", { map, query, limit: Math.max(1, nodes) }, stop.signal).then(
        ({ found, total }) => setState({ map, of: query, found: new Set(found), told: t.find.found(total.toLocaleString()) }),
        (error: unknown) => !stop.signal.aborted && setState({ map, of: query, found: undefined, told: explain(error) }),
      );
    }, TYPING);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [map, query]);
  // Numbers are of one map; on the next they mean others.
  return state.map === map ? state : NOT_FOUND;
}
