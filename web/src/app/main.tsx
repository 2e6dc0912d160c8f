// The views as a client shows them beside an answer: one at a time, through the door that the client is.
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { connect, enlarge, follow, offered, openLink, type Host } from "./door";
import { ToastLine } from "../parts/small";
import { address, AppContext, readRoute, useToast, type App } from "../state";
import type { Json } from "../door_error";
import { Find } from "../views/find";
import { Graph } from "../views/graph";
import { Review } from "../views/review";
import { ThingView } from "../views/thing";
import { t } from "../texts";

const VIEWS = { find: Find, thing: ThingView, graph: Graph, review: Review };
const NAMES = ["handle", "node_id", "id", "source", "source_id", "subject"];
const WORDS = ["query", "content", "topic"];

function first(given: Json, names: string[]): string {
  const found = names.map((name) => given[name]).find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? found : "";
}

/** What of a view is shown first: that which its tool was called with. */
export function opening(view: string, given: Json): string {
  if (view === "review") return address("review");
  if (view === "graph") return address("graph", first(given, NAMES));
  if (view === "passage" && first(given, NAMES)) return address("thing", first(given, NAMES));
  return address("find", "", { q: first(given, WORDS), ...(view === "passage" && { kinds: "document,section" }) });
}

/** Addresses of this frame are nobody's: its route is kept beside them, with a way back. */
class Addresses {
  private readonly past: string[] = [];
  constructor(private readonly changed: () => void) {
    // Views write where they are into the address; within a frame the browser refuses that.
    history.replaceState = (_, __, url) => {
      if (this.past.length > 0) this.past[this.past.length - 1] = String(url);
    };
    addEventListener("hashchange", () => this.go(location.hash));
    document.addEventListener("click", (event) => this.follow(event), true);
  }

  get here(): string {
    return this.past.at(-1) ?? "";
  }

  get canReturn(): boolean {
    return this.past.length > 1;
  }

  go(hash: string): void {
    if (hash !== this.here) this.past.push(hash);
    this.changed();
  }

  back(): void {
    this.past.pop();
    this.changed();
  }

  private follow(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest?.("a");
    const wanted = link?.getAttribute("href");
    if (!wanted) return;
    event.preventDefault();
    if (wanted.startsWith("#")) this.go(wanted);
    else if (/^(https?|mailto):/i.test(wanted)) void openLink(wanted).catch(() => undefined);
  }
}

function wear(host: Host): void {
  if (host.theme) document.body.style.colorScheme = host.theme;
  for (const [name, value] of Object.entries(host.styles?.variables ?? {})) {
    if (name.startsWith("--") && value) document.documentElement.style.setProperty(name, value);
  }
}

function Frame({ view }: { view: string }) {
  const [, redraw] = useState(0);
  const addresses = useMemo(() => new Addresses(() => redraw((before) => before + 1)), []);
  const [host, setHost] = useState<Host>({});
  const [tools, setTools] = useState<Set<string> | undefined>();
  const [tick, setTick] = useState(0);
  const [asOf, setAsOf] = useState<App["asOf"]>();
  const { toast, show, dismiss } = useToast();
  useEffect(() => {
    const taken = (context: Host) => {
      wear(context);
      setHost((before) => ({ ...before, ...context }));
    };
    void follow({ changed: () => setTick((before) => before + 1), connected: () => undefined }, new AbortController().signal);
    void connect({ input: (given) => addresses.go(opening(view, given)), host: taken }).then(async (context) => {
      taken(context);
      setTools((await offered()).tools);
    });
  }, []);
  const route = useMemo(() => readRoute(addresses.here), [addresses.here]);
  const app: App = {
    route,
    tick,
    tools: tools ?? new Set(),
    isClosed: false,
    asOf,
    setAsOf,
    show,
    leave: () => undefined,
  };
  if (tools === undefined || addresses.here === "") return <p class="status">{t.app.waiting}</p>;
  const View = VIEWS[route.view as keyof typeof VIEWS] ?? Find;
  const isWide = host.displayMode === "fullscreen";
  const resize = async () => {
    try {
      const displayMode = await enlarge(isWide ? "inline" : "fullscreen");
      setHost((before) => ({ ...before, displayMode }));
    } catch {
      // It stays as it is.
    }
  };
  return (
    <AppContext.Provider value={app}>
      <div class="line frame">
        {addresses.canReturn && (
          <button type="button" class="quiet" onClick={() => addresses.back()}>
            {t.app.back}
          </button>
        )}
        {host.availableDisplayModes?.includes("fullscreen") && (
          <button type="button" class="quiet" onClick={() => void resize()}>
            {isWide ? t.app.smaller : t.app.larger}
          </button>
        )}
      </div>
      <main id="content" tabIndex={-1}>
        <View key={`${route.view} ${addresses.here}`} />
      </main>
      {toast && <ToastLine toast={toast} dismiss={dismiss} />}
    </AppContext.Provider>
  );
}

const named = document.querySelector<HTMLMetaElement>('meta[name="view"]');
if (named) render(<Frame view={named.content} />, document.getElementById("page")!);
