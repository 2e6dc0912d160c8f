import { useState } from "preact/hooks";
import { call } from "../door";
import { Markdown, type Stretch } from "../parts/markdown";
import { mayBeDrawn, PagePicture } from "../parts/page_picture";
import { Changes, Facts, Kind, Problem, ThingLink, Time } from "../parts/small";
import { sayBytes, sayFully, sayNumber, sayValue } from "../logic/times";
import { deedsOf, type Deed } from "../logic/families";
import type { Thing, Tie, Version } from "../shapes";
import { address, explain, takeBack, useAnswer, useApp } from "../state";
import { sayRelation } from "../logic/plain";
import { kindName, t } from "../texts";

const LENGTH = 200_000; // letters that are shown at once: a hundred pages
const BEFORE = LENGTH / 2; // of them at most before a passage

/** Which letters of the text are meant, where the address says so. */
function stretchIn(told: string | null): Stretch | undefined {
  const found = /^(\d{1,12})-(\d{1,12})$/.exec(told ?? "");
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/** One thing: its text, what it is tied to both ways, and how it became what it is. */
export function ThingView() {
  const app = useApp();
  const at = stretchIn(app.route.params.get("at"));
  const start = Math.max(0, (at?.[0] ?? 0) - BEFORE);
  const input = { handle: app.route.rest, start, length: LENGTH, limit: 100, ...(app.asOf && { as_of: String(app.asOf.tx) }) };
  const { data: thing, error } = useAnswer<Thing>("console_read", input);
  if (thing === undefined) return error ? <Missing name={app.route.rest} why={error} /> : null;
  const ties = (
    <>
      <Ties title={t.thing.linksOut} ties={thing.links_out} total={thing.links_out_total} />
      <Ties title={t.thing.linksIn} ties={thing.links_in} total={thing.links_in_total} />
      {thing.cited_by.length > 0 && <Ties title={t.thing.cited} ties={thing.cited_by} total={thing.cited_by_total} />}
    </>
  );
  const details = <Details thing={thing} />;
  // A page stays beside the text that is read; what has no text is what it is tied to.
  const isPaged = thing.kind === "document" && mayBeDrawn(thing);
  const isText = thing.body !== "" || thing.kind === "document";
  return (
    <article class="thing" key={thing.id}>
      <Head thing={thing} />
      <Problem text={error} />
      <div class={mayBeDrawn(thing) ? "columns beside-page" : "columns"}>
        <div>
          <Body thing={thing} at={at} />
          {thing.sections && <Sections thing={thing} />}
          {(isPaged || !isText) && ties}
          <Versions thing={thing} />
          {isPaged && details}
        </div>
        <aside>
          {mayBeDrawn(thing) && <PagePicture thing={thing} />}
          {!isPaged && isText && ties}
          {!isPaged && details}
        </aside>
      </div>
    </article>
  );
}

/** A name that nothing has, as of a link to a note that is not written yet. */
const Missing = ({ name, why }: { name: string; why: string }) => (
  <section>
    <h1>{name}</h1>
    <Problem text={why} />
    <a class="button" href={address("find", "", { q: name })}>
      {t.thing.seek}
    </a>
  </section>
);

function Head({ thing }: { thing: Thing }) {
  return (
    <header class="head">
      <h1>{thing.title || thing.handle}</h1>
      <p class="facts-of">
        <Kind kind={thing.kind} />
        {thing.state !== "current" && <span class="state">{thing.state}</span>}
        <code>{thing.handle}</code>
        {thing.document && (
          <span>
            {t.thing.in} <ThingLink handle={thing.document.handle}>{thing.document.title}</ThingLink>
          </span>
        )}
        <span>
          {t.thing.changed} <Time at={thing.updated_at} />
        </span>
        {thing.tags.map((tag) => (
          <a key={tag} class="tag" href={address("find", "", { tag })}>
            {tag}
          </a>
        ))}
      </p>
      {thing.held && <p role="note" class="held">{`${t.thing.held}${thing.held.reason}`}</p>}
      {thing.ends && (
        <p class="ends">
          <ThingLink handle={thing.ends.source.handle}>{thing.ends.source.title}</ThingLink> {sayRelation(thing.ends.source.predicate)}{" "}
          <ThingLink handle={thing.ends.target.handle}>{thing.ends.target.title}</ThingLink>
        </p>
      )}
    </header>
  );
}

function Body({ thing, at }: { thing: Thing; at: Stretch | undefined }) {
  const app = useApp();
  const [doing, setDoing] = useState<Deed | undefined>();
  const [isRaw, setRaw] = useState(false);
  const deeds = app.asOf ? new Set<Deed>() : deedsOf(thing, app.tools);
  const stop = () => setDoing(undefined);
  const write: Write = async (action, input) => {
    try {
      const done = await call<{ tx: number; told: string }>("console_change", { handle: thing.id, action, ...input });
      app.show({ text: done.told, undo: () => void takeBack(app, done.tx) });
      stop();
    } catch (error) {
      app.show({ text: t.failed + explain(error), isError: true });
    }
  };
  const passage = at && ([at[0] - thing.body_start, at[1] - thing.body_start] as const);
  const end = thing.body_start + LENGTH;
  if (doing === "edit") return <Editor thing={thing} write={write} stop={stop} />;
  return (
    <>
      <div class="row tools">
        {deeds.has("restore") && (
          <button class="main" onClick={() => void write("restore", {})}>
            {t.thing.restore}
          </button>
        )}
        {deeds.has("edit") && <button onClick={() => setDoing("edit")}>{t.thing.edit}</button>}
        {deeds.has("annotate") && <button onClick={() => setDoing("annotate")}>{t.thing.annotate}</button>}
        {deeds.has("forget") && doing !== "forget" && <button onClick={() => setDoing("forget")}>{t.thing.forget}</button>}
        <a class="button" href={address("graph", thing.ends ? thing.ends.source.handle : thing.handle)}>
          {t.thing.graph}
        </a>
        {thing.body && (
          <button class="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? t.thing.rendered : t.thing.raw}
          </button>
        )}
      </div>
      {doing === "forget" && (
        <p class="sure" role="alertdialog" aria-label={t.thing.forget}>
          {t.thing.sureForget}{" "}
          <button class="bad" onClick={() => void write("forget", {})}>
            {t.thing.forget}
          </button>{" "}
          <button onClick={stop}>{t.cancel}</button>
        </p>
      )}
      {doing === "annotate" && <Annotator write={write} stop={stop} />}
      {thing.body_start > 0 && (
        <p class="facts-of">
          {t.thing.before(sayNumber(thing.body_start))} <ThingLink handle={thing.handle}>{t.thing.begin}</ThingLink>
        </p>
      )}
      {thing.body && (isRaw ? <pre tabIndex={0}>{thing.body}</pre> : <Markdown text={thing.body} title={thing.title} passage={passage} />)}
      {thing.body_cut > 0 && (
        <p class="facts-of">
          {t.thing.cut(sayNumber(thing.body_cut))} <a href={address("thing", thing.handle, { at: `${end}-${end}` })}>{t.thing.goOn}</a>
        </p>
      )}
    </>
  );
}

type Write = (action: Deed, input: Record<string, unknown>) => Promise<void>;

/** What somebody else writes meanwhile is told of, and neither text is lost without being asked. */
function Editor({ thing, write, stop }: { thing: Thing; write: Write; stop(): void }) {
  const [draft, setDraft] = useState(thing.body);
  const [seen, setSeen] = useState(thing.tx);
  const save = (event: Event) => {
    event.preventDefault();
    void write("edit", { content: draft, seen_tx: seen });
  };
  return (
    <form class="editor" onSubmit={save}>
      {thing.tx !== seen && (
        <p class="sure" role="alert">
          {t.thing.meanwhile(thing.versions[0]?.actor ?? "")}{" "}
          <button type="button" onClick={() => setSeen(thing.tx)}>
            {t.thing.keepMine}
          </button>{" "}
          <button type="button" onClick={() => (setDraft(thing.body), setSeen(thing.tx))}>
            {t.thing.takeTheirs}
          </button>
        </p>
      )}
      <label>
        {t.thing.text}
        <textarea rows={12} value={draft} onInput={(event) => setDraft(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button class="main" type="submit" disabled={thing.tx !== seen}>
          {t.thing.save}
        </button>
        <button type="button" onClick={stop}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}

function Annotator({ write, stop }: { write: Write; stop(): void }) {
  const [note, setNote] = useState("");
  const [tags, setTags] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    const named = tags.split(",").map((each) => each.trim()).filter(Boolean);
    void write("annotate", { ...(note.trim() && { note: note.trim() }), ...(named.length > 0 && { tags: named }) });
  };
  return (
    <form class="card annotator" onSubmit={add}>
      <label>
        {t.thing.note}
        <textarea rows={3} maxLength={2000} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <label>
        {t.thing.tags}
        <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button class="main" type="submit" disabled={!note.trim() && !tags.trim()}>
          {t.thing.add}
        </button>
        <button type="button" onClick={stop}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}

function Sections({ thing }: { thing: Thing }) {
  const sections = thing.sections ?? [];
  return (
    <section>
      <h2>{t.thing.sections}</h2>
      <ol class="plain">
        {sections.map((section) => (
          <li key={section.id}>
            <ThingLink handle={section.handle}>{section.title || section.handle}</ThingLink>
            {section.page !== undefined && (
              <a class="facts-of" href={address("thing", thing.handle, { page: String(section.page) })}>{`${t.find.page} ${section.page}`}</a>
            )}
          </li>
        ))}
      </ol>
      <Shown shown={sections.length} total={thing.sections_total ?? sections.length} />
    </section>
  );
}

const Shown = ({ shown, total }: { shown: number; total: number }) =>
  shown < total ? <p class="facts-of">{t.thing.of(shown, total)}</p> : null;

function Ties({ title, ties, total }: { title: string; ties: Tie[]; total: number }) {
  return (
    <section>
      <h2>{title}</h2>
      {ties.length === 0 && <p class="facts-of">{t.thing.none}</p>}
      <ul class="plain ties">
        {ties.map((tie, index) => (
          <li key={`${tie.id}-${index}`} title={tie.evidence ?? undefined}>
            <span class={`edge e-${tie.type.toLowerCase()}`}>{sayRelation(tie.predicate)}</span>{" "}
            {tie.ghost ? (
              <span class="ghost">{tie.title}</span>
            ) : (
              <ThingLink handle={tie.handle}>{tie.title || tie.handle}</ThingLink>
            )}{" "}
            <span class="facts-of">{kindName(tie.kind)}</span>
          </li>
        ))}
      </ul>
      <Shown shown={ties.length} total={total} />
    </section>
  );
}

function Details({ thing }: { thing: Thing }) {
  const rows: [string, string][] = [
    [t.thing.created, sayFully(thing.created_at)],
    [t.thing.changed, sayFully(thing.updated_at)],
    [t.thing.source, thing.source ?? ""],
    [t.thing.valid, [thing.valid_from, thing.valid_to].map(sayFully).filter(Boolean).join(" – ")],
    [t.thing.expires, sayFully(thing.expires_at)],
    ...Object.entries(thing.attributes).map(([name, value]): [string, string] => [
      t.thing.ofFile[name] ?? name.replaceAll("_", " "),
      name === "size" && typeof value === "number" ? sayBytes(value) : sayValue(value),
    ]),
  ];
  return <Facts title={t.thing.details} rows={rows} />;
}

function Versions({ thing }: { thing: Thing }) {
  return (
    <section>
      <h2>{t.thing.versions}</h2>
      <ol class="plain versions">
        {thing.versions.map((version, index) => (
          <VersionRow key={version.tx} version={version} isFirst={index === thing.versions_total - 1} />
        ))}
      </ol>
      <Shown shown={thing.versions.length} total={thing.versions_total} />
    </section>
  );
}

function sayDeed(version: Version): string {
  const said = (version.verb || version.operation).toLowerCase();
  return t.history.deeds[said] ?? said.replaceAll("_", " ");
}

// What the files of a vault say is changed there, and what was erased is gone.
const LASTING = ["INDEX", "ERASE"];

function VersionRow({ version, isFirst }: { version: Version; isFirst: boolean }) {
  const app = useApp();
  const isLasting = LASTING.includes(version.operation);
  const mayUndo = app.tools.has("console_undo") && !app.asOf && version.undone_by === null && !isLasting;
  return (
    <li class={version.undone_by === null ? "" : "undone"}>
      <div class="line">
        <span>
          {sayDeed(version)} {t.history.by} {version.actor}
        </span>
        <Time at={version.at} />
        {version.undone_by !== null && <span class="facts-of">{t.history.undone(version.undone_by)}</span>}
        {mayUndo && (
          <a class="button" href={address("history", String(version.tx))}>
            {t.history.undo}
          </a>
        )}
      </div>
      {version.why && <p class="facts-of">{version.why}</p>}
      {isFirst ? (
        <details class="listed">
          <summary>{t.thing.began}</summary>
          <Changes changes={version.changes} />
        </details>
      ) : (
        <Changes changes={version.changes} />
      )}
    </li>
  );
}
