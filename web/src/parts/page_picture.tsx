// How a page of a document looks, beside its text: drawn anew by the server, one page at a time.
import { useEffect, useState } from "preact/hooks";
import { call, DoorError } from "../door";
import type { PageShape, Thing } from "../shapes";
import { explain, useApp } from "../state";
import { t } from "../texts";

const WIDE = 1000; // pixels: type is read well, on a screen of many pixels too
const DRAWABLE = ["pdf", "svg", "png", "jpg", "gif", "webp"];

/** Whether there is something to draw; what a section is part of only the server knows. */
export const mayBeDrawn = (thing: Thing): boolean =>
  thing.state === "current" && (thing.kind === "section" || (thing.kind === "document" && DRAWABLE.includes(String(thing.attributes.format))));

/** The page that is asked for, and what came of asking; a page stays until the next one has come. */
function usePage(thing: Thing, page: number) {
  const { asOf } = useApp();
  const [state, setState] = useState<{ shown?: PageShape; problem: string }>({ problem: "" });
  useEffect(() => {
    const stop = new AbortController();
    const input = { handle: thing.id, page, width: WIDE, ...(asOf && { as_of: String(asOf.tx) }) };
    call<PageShape>("console_page", input, stop.signal).then(
      (shown) => setState({ shown, problem: "" }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        // Most sections are of files that have no pages.
        const isNone = error instanceof DoorError && error.code === "unsupported";
        setState({ problem: isNone ? "" : explain(error) });
      },
    );
    return () => stop.abort();
    // Not whenever others commit: a picture is of one version.
  }, [thing.id, thing.tx, page, asOf?.tx]);
  return state;
}

export function PagePicture({ thing }: { thing: Thing }) {
  const wanted = Number(useApp().route.params.get("page")) || 0;
  const [page, setPage] = useState(wanted);
  const [isLarge, setLarge] = useState(false);
  useEffect(() => setPage(wanted), [wanted]);
  const { shown, problem } = usePage(thing, page);
  if (problem) return <p class="facts-of">{t.thing.noPage(problem)}</p>;
  if (shown?.picture == null) return null;
  const said = t.thing.pageOf(shown.page, shown.pages);
  return (
    <figure class={`page${isLarge ? " large" : ""}`}>
      <figcaption class="row">
        {shown.pages > 1 && (
          <button aria-label={t.thing.pageBefore} disabled={shown.page === 1} onClick={() => setPage(shown.page - 1)}>
            ‹
          </button>
        )}
        <span aria-live="polite">{said}</span>
        {shown.pages > 1 && (
          <button aria-label={t.thing.pageAfter} disabled={shown.page === shown.pages} onClick={() => setPage(shown.page + 1)}>
            ›
          </button>
        )}
        <button class="quiet" aria-pressed={isLarge} onClick={() => setLarge(!isLarge)}>
          {isLarge ? t.thing.smaller : t.thing.larger}
        </button>
      </figcaption>
      <img
        src={`data:image/png;base64,${shown.picture}`}
        width={shown.width}
        height={shown.height}
        alt={t.thing.looks(said, shown.title)}
      />
    </figure>
  );
}
