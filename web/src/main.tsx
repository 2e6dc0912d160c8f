import { render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { asksForToken, BASE, DoorError, follow, logIn, logOut, offered, placeOf, type Offer } from "./door";
import { useScrolling } from "./scrolling";
import { address, AppContext, explain, readRoute, useToast, type App } from "./state";
import { ToastLine } from "./parts/small";
import { t } from "./texts";
import { sayFully } from "./logic/times";
import { Documents } from "./views/documents";
import { Find } from "./views/find";
import { Graph } from "./views/graph";
import { History } from "./views/history";
import { Health } from "./views/health";
import { Login } from "./views/login";
import { Memory } from "./views/memory";
import { Review } from "./views/review";
import { ThingView } from "./views/thing";

const VIEWS = { find: Find, thing: ThingView, graph: Graph, history: History, review: Review, documents: Documents, memory: Memory, health: Health };
type ViewName = keyof typeof VIEWS;
const TABS = Object.keys(t.views) as (keyof typeof t.views)[];
const OF_NOW = new Set(["review", "documents", "memory", "health"]); // what waits and how things are has no past
const GATHER = 120; // milliseconds: many commits in a row are one change to the eye

function useRoute() {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(readRoute(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/** A token in the address is for one login, and gone from it at once. */
function takeToken(): string | undefined {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (given === undefined) return undefined;
  history.replaceState(null, "", location.pathname);
  return decodeURIComponent(given);
}

/** Which collection this is; where others are open to whoever looks, they are a choice away. */
function Collections({ offer: { collections, usual } }: { offer: Offer }) {
  const here = BASE === "/" ? usual : decodeURIComponent(BASE.slice(3, -1));
  if (collections.length < 2) return BASE === "/" ? null : <span class="collection">{here}</span>;
  return (
    <select class="collection" aria-label={t.collection} value={here} onChange={(event) => location.assign(placeOf(event.currentTarget.value, usual))}>
      {collections.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Page() {
  const route = useRoute();
  useScrolling();
  const [offer, setOffer] = useState<Offer | undefined>();
  const tools = offer?.tools;
  const [needsToken, setNeedsToken] = useState(false);
  const [isClosed, setClosed] = useState(false);
  const [problem, setProblem] = useState("");
  const [tick, setTick] = useState(0);
  const [isUp, setUp] = useState(true);
  const [asOf, setAsOf] = useState<App["asOf"]>();
  const { toast, show, dismiss } = useToast();

  const enter = useCallback(async () => {
    try {
      setOffer(await offered());
      setNeedsToken(false);
      setProblem("");
      setClosed(await asksForToken());
    } catch (error) {
      if (error instanceof DoorError && error.code === "unauthorized") setNeedsToken(true);
      else {
        setProblem(explain(error));
        setTimeout(() => void enter(), 2000);
      }
    }
  }, []);
  useEffect(() => {
    const token = takeToken();
    if (token === undefined) void enter();
    else logIn(token).then(enter, () => setNeedsToken(true));
  }, []);
  useEffect(() => {
    if (tools === undefined || needsToken) return undefined;
    const stop = new AbortController();
    let gathered: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      gathered ??= setTimeout(() => {
        gathered = undefined;
        setTick((before) => before + 1);
      }, GATHER);
    };
    void follow({ changed, connected: setUp }, stop.signal);
    return () => stop.abort();
  }, [tools, needsToken]);

  const app = useMemo<App>(
    () => ({
      route,
      tick,
      tools: tools ?? new Set(),
      isClosed,
      asOf,
      setAsOf,
      show,
      leave: () => setNeedsToken(true),
    }),
    [route, tick, tools, isClosed, asOf],
  );
  useEffect(() => {
    const title = t.views[route.view as keyof typeof t.views] ?? route.rest;
    document.title = title ? `${title} · ${t.name}` : t.name;
  }, [route]);

  if (needsToken) return <Login entered={enter} />;
  if (tools === undefined) return <main class="alone">{problem && <p role="alert">{problem}</p>}</main>;
  const View = VIEWS[route.view as ViewName] ?? Find;
  const leave = async () => {
    await logOut();
    location.reload();
  };
  return (
    <AppContext.Provider value={app}>
      <a class="skip" href="#content" onClick={(event) => (event.preventDefault(), document.getElementById("content")?.focus())}>
        {t.skip}
      </a>
      <header class="top">
        <a class="brand" href="#/find">
          {t.name}
        </a>
        <Collections offer={offer!} />
        <nav aria-label={t.name}>
          {TABS.map((name) => (
            <a key={name} href={address(name)} aria-current={route.view === name ? "page" : undefined}>
              {t.views[name]}
            </a>
          ))}
        </nav>
        {isClosed && (
          <button class="quiet" onClick={() => void leave()}>
            {t.logOut}
          </button>
        )}
      </header>
      {!isUp && (
        <p class="banner" role="status">
          {t.offline}
        </p>
      )}
      {asOf && (
        <p class="banner past" role="status">
          {t.history.then(sayFully(asOf.at))}. {OF_NOW.has(route.view) ? t.history.ofNow : t.history.past}{" "}
          <button onClick={() => setAsOf(undefined)}>{t.history.back}</button>
        </p>
      )}
      <main id="content" tabIndex={-1}>
        <View key={route.view} />
      </main>
      {toast && <ToastLine toast={toast} dismiss={dismiss} />}
    </AppContext.Provider>
  );
}

render(<Page />, document.getElementById("page")!);
