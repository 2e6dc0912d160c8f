// The map as views use it: read, read again when something changes, and the names of its nodes as they are wanted.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call } from "../door";
import { explain, useApp } from "../state";
import { marksOf, NO_MARKS, renumber, type Marks } from "./marked";
import { unpack, type Graph, type MapAnswer } from "./columns";
import { turnRound, type Incoming } from "./paths";

export interface NodeName {
  number: number;
  id: string;
  handle: string;
  title: string;
  kind: string;
  ghost: boolean;
}

export interface Mapped {
  answer: MapAnswer;
  graph: Graph;
  incoming: () => Incoming;
  names: Map<number, NodeName>;
}

const SOON = 400; // milliseconds until a map that is being drawn is asked for again
const AT_ONCE = 200; // names that are asked for in one call

/** What is marked on another map by its numbers there; what is gone is marked no more. */
async function carryOver(marks: Marks, was: Mapped | undefined, now: Mapped, signal: AbortSignal): Promise<Marks> {
  const numbers = new Map<number, number>();
  const wanted = was === undefined ? [] : marksOf(marks);
  await Promise.all(
    wanted.map(async (number) => {
      const handle = was!.names.get(number)?.id;
      if (handle === undefined) return;
      try {
        const { nodes } = await call<{ nodes: NodeName[] }>("console_map_nodes", { map: now.answer.map, handle }, signal);
        nodes.forEach((node) => now.names.set(node.number, node));
        if (nodes[0]) numbers.set(number, nodes[0].number);
      } catch {
        // It is gone, or this map is soon replaced.
      }
    }),
  );
  return renumber(marks, (number) => numbers.get(number) ?? -1);
}

/** The newest map there is, and what a person has marked on it; an older one stays until another is ready. */
export function useMap() {
  const app = useApp();
  const [{ mapped, marks }, setState] = useState<{ mapped: Mapped | undefined; marks: Marks }>({ mapped: undefined, marks: NO_MARKS });
  const newest = useRef({ mapped, marks });
  newest.current = { mapped, marks };
  const mark = useCallback((change: Partial<Marks>) => setState((before) => ({ ...before, marks: { ...before.marks, ...change } })), []);
  const [error, setError] = useState("");
  const known = useRef("");
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const asked = { wait: 1, columns: true, known: known.current, ...(app.asOf && { as_of: String(app.asOf.tx) }) };
        const answer = await call<MapAnswer>("console_map", asked, stop.signal);
        if (answer.map !== null && answer.map === known.current) {
          setState((before) => ({ ...before, mapped: before.mapped && { ...before.mapped, answer } }));
        } else if (answer.map !== null) {
          const graph = await unpack(answer);
          if (stop.signal.aborted) return;
          let turned: Incoming | undefined;
          const next: Mapped = { answer, graph, incoming: () => (turned ??= turnRound(graph)), names: new Map() };
          // What is marked while its numbers are asked for is carried over once more.
          for (let moved: Marks | undefined; moved === undefined; ) {
            const { mapped: was, marks: before } = newest.current;
            const carried = await carryOver(before, was, next, stop.signal);
            if (stop.signal.aborted) return;
            if (newest.current.marks === before) moved = carried;
            if (moved) setState({ mapped: next, marks: moved });
          }
          known.current = answer.map;
        }
        setError("");
        if (!answer.fresh) timer = setTimeout(() => void look(), SOON);
      } catch (problem) {
        if (!stop.signal.aborted) setError(explain(problem));
      }
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [app.tick, app.asOf?.tx]);
  return { mapped, marks, mark, error };
}

/** Asks for names that are not known yet; `version` changes when some have come. */
export function useNames(mapped: Mapped | undefined): { ask: (numbers: readonly number[]) => void; version: number } {
  const [version, setVersion] = useState(0);
  const asked = useRef(new Set<number>());
  useEffect(() => asked.current.clear(), [mapped?.names]);
  const ask = useCallback(
    (numbers: readonly number[]) => {
      const missing = [...new Set(numbers)].filter((each) => !asked.current.has(each) && !mapped!.names.has(each));
      for (let at = 0; at < missing.length; at += AT_ONCE) {
        const some = missing.slice(at, at + AT_ONCE);
        some.forEach((each) => asked.current.add(each));
        call<{ nodes: NodeName[] }>("console_map_nodes", { map: mapped!.answer.map, numbers: some }).then(
          ({ nodes }) => {
            nodes.forEach((node) => mapped!.names.set(node.number, node));
            setVersion((before) => before + 1);
          },
          // A map that is kept no longer is soon replaced by the next.
          () => some.forEach((each) => asked.current.delete(each)),
        );
      }
    },
    [mapped?.names],
  );
  return { ask, version };
}
