import type { ComponentChildren } from "preact";
import { Findings, Problem, ThingLink } from "./small";
import { sayNumber } from "../logic/times";
import type { NotesState } from "../shapes";
import { useAnswer } from "../state";
import { t } from "../texts";

/** How the notes do: their folders, and what somebody may want to mend there. */
export function NotesHealth() {
  const { data, error } = useAnswer<NotesState>("console_notes", { limit: 100, thorough: true });
  return (
    <section class="notes">
      <h2>{t.notes.title}</h2>
      <Problem text={error} />
      {data?.vaults.length === 0 && (
        <p class="facts-of">
          <span>{t.notes.none}</span> <code>memotheca serve --vault DIR</code>
        </p>
      )}
      {data && data.vaults.length > 0 && <Mended state={data} />}
    </section>
  );
}

function Mended({ state }: { state: NotesState }) {
  const isWhole = state.broken_total + state.ambiguous_total + state.twins_total + state.warnings.length === 0;
  return (
    <>
      {state.vaults.map((each) => (
        <p key={each.name} class="line">
          <strong>{each.name}</strong>
          <span class={each.there ? "facts-of" : "ill"}>{each.there ? t.notes.count(sayNumber(each.notes)) : t.notes.gone}</span>
          {each.place && <code>{each.place}</code>}
        </p>
      ))}
      <p class="status">{t.notes.links(sayNumber(state.links), sayNumber(state.ghosts))}</p>
      {state.warnings.map((each) => (
        <p key={each} role="note" class="ill">
          {each}
        </p>
      ))}
      <Findings findings={state.findings.filter((each) => !each.well)} />
      {isWhole && <p class="facts-of">{t.notes.well}</p>}
      <Listed title={t.notes.broken} total={state.broken_total} shown={state.broken.length}>
        {state.broken.map((each) => (
          <li key={`${each.note} ${each.target}`}>
            <ThingLink handle={each.note}>{each.note}</ThingLink> <span class="ghost">[[{each.target}]]</span>
          </li>
        ))}
      </Listed>
      <Listed title={t.notes.ambiguous} total={state.ambiguous_total} shown={state.ambiguous.length}>
        {state.ambiguous.map((each) => (
          <li key={`${each.note} ${each.target}`}>
            <ThingLink handle={each.note}>{each.note}</ThingLink> [[{each.target}]]{" "}
            <span class="facts-of">{t.notes.couldBe(each.meant.join(", "))}</span>
          </li>
        ))}
      </Listed>
      <Listed title={t.notes.twins} total={state.twins_total} shown={state.twins.length}>
        {state.twins.map((each) => (
          <li key={each.notes.join()} class="line">
            {each.notes.map((note) => (
              <ThingLink key={note} handle={note}>
                {note}
              </ThingLink>
            ))}
          </li>
        ))}
      </Listed>
      <Listed title={t.notes.orphans} total={state.orphans_total} shown={state.orphans.length}>
        {state.orphans.map((note) => (
          <li key={note}>
            <ThingLink handle={note}>{note}</ThingLink>
          </li>
        ))}
      </Listed>
    </>
  );
}

function Listed(given: { title: string; total: number; shown: number; children: ComponentChildren }) {
  if (given.total === 0) return null;
  return (
    <details class="listed">
      <summary>
        {given.title} <span class="count">{sayNumber(given.total)}</span>
      </summary>
      <ul class="plain">{given.children}</ul>
      {given.shown < given.total && <p class="facts-of">{t.thing.of(given.shown, given.total)}</p>}
    </details>
  );
}
