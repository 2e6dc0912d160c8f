// The map once more, as a table: every node that the picture shows, the most linked first, a page at a time.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Kind } from "../parts/small";
import { t } from "../texts";
import { NO_TOPIC } from "./columns";
import type { Look } from "./raster";
import { kindOf } from "./scene";
import type { Mapped } from "./use_map";

const ROWS = 50;

interface Given {
  mapped: Mapped;
  look: Look;
  version: number;
  ask(numbers: readonly number[]): void;
  choose(node: number): void;
}

export function MapTable({ mapped, look, version, ask, choose }: Given) {
  const { graph, names, answer } = mapped;
  const [isOpen, setOpen] = useState(false);
  const [page, setPage] = useState(0);
  const order = useMemo(() => {
    if (!isOpen) return [];
    const shown = Array.from({ length: graph.count }, (_, node) => node).filter((node) => look.shown[node] === 2);
    return shown.sort((one, other) => graph.degree[other]! - graph.degree[one]! || one - other);
  }, [graph, look, isOpen]);
  const last = Math.max(0, Math.ceil(order.length / ROWS) - 1);
  const at = Math.min(page, last);
  const rows = order.slice(at * ROWS, (at + 1) * ROWS);
  useEffect(() => ask(rows), [order, at, version]);
  const topic = (node: number) => {
    const rank = graph.topic[node]!;
    return rank === NO_TOPIC ? "" : (answer.topics[rank]?.title ?? `${rank + 1}`);
  };
  return (
    <details class="twin" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t.graph.table}</summary>
      {isOpen && (
        <>
          <p class="row">
            <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
              {t.map.before}
            </button>
            <button type="button" disabled={at === last} onClick={() => setPage(at + 1)}>
              {t.map.after}
            </button>
            <span class="status">{t.map.rows(at * ROWS + 1, at * ROWS + rows.length, order.length)}</span>
          </p>
          <div class="scroll" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>{t.map.node}</th>
                  <th>{t.map.kind}</th>
                  <th>{t.map.degree}</th>
                  <th>{t.map.topic}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((node) => (
                  <tr key={node}>
                    <td>
                      <button type="button" onClick={() => choose(node)}>
                        {names.get(node)?.title ?? "…"}
                      </button>
                    </td>
                    <td>
                      <Kind kind={kindOf(graph, node)} />
                    </td>
                    <td>{graph.degree[node]!.toLocaleString()}</td>
                    <td>{topic(node)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </details>
  );
}
