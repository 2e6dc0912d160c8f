import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Json } from "../door_error";
import { Changes, Kind, Problem, ThingLink, Time } from "../parts/small";
import { TimeSlider } from "../parts/time_slider";
import type { Journal, Line, Preview } from "../shapes";
import { address, takeBack, useAnswer, useApp } from "../state";
import { kindName, t } from "../texts";

const KINDS = ["entry", "entity", "triple", "note", "document", "section", "pattern", "memory", "conversation"];

const PAGE = 30;
const LARGE_PAGE = 100;

/** Every transaction in words, what taking one back would change, and everything as it was. */
export function History() {
  const app = useApp();
  const [query, setQuery] = useState("");
  const [actor, setActor] = useState("");
  const [kind, setKind] = useState("");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const filter = {
    limit: PAGE,
    ...(query && { query }),
    ...(actor && { actor }),
    ...(kind && { kind }),
    ...(since && { since }),
    ...(until && { until: `${until}T23:59:59Z` }),
  };
  const { data, error } = useAnswer<Journal>("console_history", filter, 60);
  const chosen = Number(app.route.rest) || undefined;
  return (
    <section class="history">
      <div class="heading">
        <h1>{t.views.history}</h1>
        {data && <TimeSlider newest={data.newest.tx} oldest={data.oldest.tx} />}
      </div>
      <div class="fields">
        <label>
          {t.history.search}
          <input type="search" value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
        </label>
        <label>
          {t.history.actor}
          <select value={actor} onChange={(event) => setActor(event.currentTarget.value)}>
            <option value="">{t.history.anybody}</option>
            {data?.actors.map((name) => <option key={name}>{name}</option>)}
          </select>
        </label>
        <label>
          {t.history.kind}
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="">{t.history.anything}</option>
            {KINDS.map((name) => (
              <option key={name} value={name}>
                {kindName(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.history.since}
          <input type="date" value={since} onInput={(event) => setSince(event.currentTarget.value)} />
        </label>
        <label>
          {t.history.until}
          <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
        </label>
      </div>
      <Problem text={error} />
      {chosen !== undefined && <UndoPreview key={chosen} tx={chosen} />}
      {data?.transactions.length === 0 && <p class="empty">{t.history.nothing}</p>}
      {data && <Lines key={JSON.stringify(filter)} journal={data} filter={filter} />}
    </section>
  );
}

/** A page of lines, and what is older when it is asked for; every page is read anew when something happens. */
function Lines({ journal, filter }: { journal: Journal; filter: Json }) {
  const [isMore, setMore] = useState(false);
  const next = journal.next_before;
  return (
    <>
      <ol class="plain lines">
        {journal.transactions.map((line) => (
          <JournalRow key={line.tx} line={line} />
        ))}
      </ol>
      {next !== null && isMore && <Older before={next} filter={filter} />}
      {next !== null && !isMore && <button onClick={() => setMore(true)}>{t.more}</button>}
    </>
  );
}

function Older({ before, filter }: { before: number; filter: Json }) {
  const { data, error } = useAnswer<Journal>("console_history", { ...filter, limit: LARGE_PAGE, before });
  return data ? <Lines journal={data} filter={filter} /> : <Problem text={error} />;
}

function JournalRow({ line }: { line: Line }) {
  const app = useApp();
  const isGone = line.undone_by !== null;
  return (
    <li class={isGone ? "undone" : ""}>
      <div class="line entry">
        <Kind kind={line.subject.kind} />
        <span class="said">
          <ThingLink handle={line.subject.handle}>{line.sentence}</ThingLink>
          {line.why && <span class="facts-of">{line.why}</span>}
        </span>
        <span class="facts-of">
          {t.history.by} {line.actor}, <Time at={line.at} />
        </span>
        {isGone && <span class="facts-of">{t.history.undone(line.undone_by!)}</span>}
        {line.can_undo && app.tools.has("console_undo") && !app.asOf && (
          <a class="button" href={address("history", String(line.tx))} aria-label={`${t.history.undo}: ${line.sentence}`}>
            {t.history.undo}
          </a>
        )}
      </div>
    </li>
  );
}

function UndoPreview({ tx }: { tx: number }) {
  const app = useApp();
  const [isBusy, setBusy] = useState(false);
  const place = useRef<HTMLElement>(null);
  // It stands above the lines, perhaps far from the one that it is about. At once: whoever goes on by keys goes on from here.
  useLayoutEffect(() => place.current?.focus(), []);
  const { data, error } = useAnswer<Preview>("console_preview", { tx });
  const close = () => {
    location.hash = address("history");
  };
  const undo = async () => {
    setBusy(true);
    if (await takeBack(app, tx)) close();
    setBusy(false);
  };
  return (
    <section class="card preview" aria-label={t.history.preview} tabIndex={-1} ref={place}>
      <h2>{t.history.preview}</h2>
      <Problem text={error} />
      {data && <p>{data.reason}</p>}
      {data?.changes.map((change) => (
        <div key={change.id}>
          <p class="line">
            <Kind kind={change.kind} />
            <ThingLink handle={change.handle}>{change.title || change.handle}</ThingLink>
            <span class="facts-of">{t.history.effect[change.effect] ?? change.effect}</span>
          </p>
          <Changes changes={change.fields} />
        </div>
      ))}
      {data && data.changes.length < data.changes_total && (
        <p class="facts-of">{t.history.total(data.changes.length, data.changes_total)}</p>
      )}
      {data === undefined && !error && (
        <p class="status" role="status">
          {t.history.looking}
        </p>
      )}
      {(data || error) && (
        <div class="row">
          {data?.possible && (
            <button class="main" disabled={isBusy} onClick={() => void undo()}>
              {t.history.undoThis}
            </button>
          )}
          {data?.blocked_by != null && (
            <a class="button" href={address("history", String(data.blocked_by))}>{`${t.history.undo} ${data.blocked_by}`}</a>
          )}
          <button onClick={close}>{t.close}</button>
        </div>
      )}
    </section>
  );
}
