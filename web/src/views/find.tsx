import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Kind, Marked, Problem, ThingLink, Time } from "../parts/small";
import { sayNumber } from "../logic/times";
import type { Found, Hit } from "../shapes";
import { address, useAnswer, useApp } from "../state";
import { kindName, t } from "../texts";

const KINDS = ["entry", "entity", "note", "document", "pattern", "memory", "conversation"];
const WAIT = 60; // milliseconds after a key: less than between two keys of a fast typist
const PAGE = 20;
const MOST = 50;
const GIVEN = /^(|node_[0-9a-f]+)$/;

/** Search over everything, as one types; the address has the question, so that a reload and "back" keep it. */
export function Find() {
  const app = useApp();
  const params = app.route.params;
  const [query, setQuery] = useState(params.get("q") ?? "");
  const [kinds, setKinds] = useState<string[]>(params.get("kinds")?.split(",").filter(Boolean) ?? []);
  const [tag, setTag] = useState(params.get("tag") ?? "");
  const [since, setSince] = useState(params.get("since") ?? "");
  const [until, setUntil] = useState(params.get("until") ?? "");
  const [isOpen, setOpen] = useState(tag !== "" || since !== "" || until !== ""); // what narrows is never out of sight
  const [limit, setLimit] = useState(PAGE);
  const [chosen, setChosen] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const asked = useAnswer<Found>(
    "console_search",
    {
      query,
      limit,
      ...(kinds.length > 0 && { kinds }),
      ...(tag && { tags: tag.split(",").map((each) => each.trim()).filter(Boolean) }),
      ...(since && { since }),
      ...(until && { until: `${until}T23:59:59Z` }),
      ...(app.asOf && { as_of: String(app.asOf.tx) }),
    },
    WAIT,
  );
  const found = asked.data;
  const hits = found?.hits ?? [];
  const at = hits.findIndex((hit) => hit.id === chosen); // a hit that comes meanwhile takes nobody's place
  useEffect(() => {
    const here = address("find", "", { q: query, kinds: kinds.join(","), tag, since, until });
    if (location.hash !== here) history.replaceState(history.state, "", here);
    setChosen("");
    setLimit(PAGE);
  }, [query, kinds.join(), tag, since, until]);
  useLayoutEffect(() => box.current?.focus({ preventScroll: true }), []); // before anything can be typed
  useEffect(() => {
    const slash = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      box.current?.select();
    };
    addEventListener("keydown", slash);
    return () => removeEventListener("keydown", slash);
  }, []);
  const move = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = Math.max(-1, Math.min(hits.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      setChosen(hits[next]?.id ?? "");
      document.getElementById(`hit-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      const hit = hits[Math.max(at, 0)];
      if (hit) location.hash = passageOf(hit);
    } else if (event.key === "Escape") setQuery("");
  };
  const isFiltered = kinds.length > 0 || tag !== "" || since !== "" || until !== "";
  const clear = () => {
    setKinds([]);
    setTag("");
    setSince("");
    setUntil("");
  };
  return (
    <section class="find">
      <h1 class="hidden">{t.views.find}</h1>
      <input
        ref={box}
        class="search"
        type="search"
        aria-label={t.find.label}
        placeholder={t.find.placeholder}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={move}
        autocomplete="off"
        spellcheck={false}
      />
      <div class="chips" role="group" aria-label={t.find.kinds}>
        {KINDS.map((kind) => (
          <button
            key={kind}
            class="chip"
            aria-pressed={kinds.includes(kind)}
            onClick={() => setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind])}
          >
            {kindName(kind)}
          </button>
        ))}
        <details class="filters" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{t.find.filters}</summary>
          <div class="fields">
            <label>
              {t.find.tag}
              <input value={tag} onInput={(event) => setTag(event.currentTarget.value)} />
            </label>
            <label>
              {t.find.since}
              <input type="date" value={since} onInput={(event) => setSince(event.currentTarget.value)} />
            </label>
            <label>
              {t.find.until}
              <input type="date" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
            </label>
          </div>
        </details>
        {isFiltered && (
          <button class="quiet" onClick={clear}>
            {t.find.clear}
          </button>
        )}
      </div>
      <p class="status" role="status">
        {found && summary(found, query)}
        {found !== undefined && found.indexing > 0 && ` · ${t.find.indexing(found.indexing)}`}
        <span class="keys">{t.find.hint}</span>
      </p>
      <Problem text={asked.error} />
      {found && hits.length === 0 && found.triples.length === 0 && (
        <p class="empty">{query || isFiltered ? t.find.nothing : t.find.empty}</p>
      )}
      {found !== undefined && found.triples.length > 0 && (
        <ul class="facts" aria-label={t.find.facts}>
          {found.triples.map((fact) => (
            <li key={fact.handle}>
              <ThingLink handle={fact.handle}>{fact.sentence}</ThingLink>
            </li>
          ))}
        </ul>
      )}
      <ol class="hits" aria-busy={asked.waiting}>
        {hits.map((hit, index) => (
          <HitRow key={hit.id} hit={hit} index={index} isAt={index === at} />
        ))}
      </ol>
      {found?.more && limit < MOST && <button onClick={() => setLimit(MOST)}>{t.more}</button>}
      {found?.more && limit >= MOST && <p class="facts-of">{t.find.rest}</p>}
    </section>
  );
}

function summary(found: Found, query: string): string {
  const count = `${sayNumber(found.total)}${found.is_total ? "" : "+"}`;
  const said = query === "" ? `${t.find.newest} · ${count}` : t.find.found(count);
  return found.read_as ? `${said} · ${t.find.readAs(found.read_as)}` : said;
}

/** Where in a document a passage is, in words. */
export function sayPlace(place: Record<string, unknown>): string {
  const said: string[] = [];
  for (const name of ["page", "slide", "sheet"] as const) {
    if (place[name] !== undefined && place[name] !== null) said.push(`${t.find[name]} ${String(place[name])}`);
  }
  const heading = place.heading ?? place.section;
  if (typeof heading === "string") said.push(heading);
  return said.join(" · ");
}

/** Where the passage of a hit is read, with what is around it. */
function passageOf(hit: Hit): string {
  const page = Number(hit.place.page) || 0;
  const at = hit.passage === "" ? "" : `${hit.start}-${hit.start + [...hit.passage].length}`;
  return address("thing", hit.handle, { page: page ? String(page) : "", at });
}

function HitRow({ hit, index, isAt }: { hit: Hit; index: number; isAt: boolean }) {
  const place = sayPlace(hit.place);
  const { total, semantic, lexical } = hit.scores;
  // A name that a program gave says nothing; what it is of does.
  const isNamed = hit.passage === "" || !GIVEN.test(hit.title);
  return (
    <li id={`hit-${index}`} class={isAt ? "at" : ""} aria-current={isAt ? "true" : undefined}>
      <div class="line">
        <Kind kind={hit.kind} />
        {isNamed && <a href={passageOf(hit)}>{hit.title || hit.handle}</a>}
        <Time at={hit.updated_at} />
      </div>
      <p class="passage">
        {isNamed ? (
          <Marked text={hit.passage} spans={hit.highlights} />
        ) : (
          <a href={passageOf(hit)}>
            <Marked text={hit.passage} spans={hit.highlights} />
          </a>
        )}
      </p>
      <p class="facts-of">
        {hit.document && hit.document.id !== hit.id && (
          <ThingLink handle={hit.document.handle}>{hit.document.title}</ThingLink>
        )}
        {place && place !== hit.title && <span>{place}</span>}
        {hit.source && hit.source !== hit.title && <span>{hit.source}</span>}
        {hit.tags.slice(0, 6).map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        {hit.why && (
          <details class="why">
            <summary>{t.find.why}</summary>
            {hit.why}
            {total !== null && ` · ${t.find.score} ${total.toFixed(2)}`}
            {semantic !== null && ` · ${t.find.semantic} ${semantic.toFixed(2)}`}
            {lexical !== null && ` · ${t.find.lexical} ${lexical.toFixed(2)}`}
          </details>
        )}
      </p>
    </li>
  );
}
