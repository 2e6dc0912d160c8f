// Where one was on a view: a new one is begun at its top, one that is gone back to stands as it was left.
import { useEffect } from "preact/hooks";

const PATIENCE = 3000; // milliseconds: what is gone back to is read anew, and as long as before only then

const left = new Map<string, number>();

interface Visit {
  visit?: string;
}

const visitOf = (): string | undefined => (history.state as Visit | null)?.visit;

/** Every entry of the browser's history gets a name by which its place is known; what views write there keeps it. */
function mark(): string {
  const known = visitOf();
  if (known !== undefined) return known;
  const visit = `${Date.now()}-${left.size}`;
  left.set(visit, 0);
  history.replaceState({ visit }, "");
  return visit;
}

export function useScrolling(): void {
  useEffect(() => {
    history.scrollRestoration = "manual";
    let here = mark();
    let wanted: ResizeObserver | undefined;
    const settle = () => (wanted?.disconnect(), (wanted = undefined));
    let isLeaving = false; // what is drawn by then is shorter, and scrolls by itself
    const scrolled = () => isLeaving || wanted !== undefined || left.set(here, scrollY);
    const arrived = () => {
      settle();
      isLeaving = false;
      const isBack = visitOf() !== undefined;
      here = mark();
      const place = isBack ? (left.get(here) ?? 0) : 0;
      scrollTo(0, place);
      // Whoever goes by keys goes on in what has come, where the link that led here is gone.
      if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
      if (place === 0) return;
      wanted = new ResizeObserver(() => {
        scrollTo(0, place);
        if (Math.abs(scrollY - place) < 2) settle();
      });
      wanted.observe(document.body);
      setTimeout(settle, PATIENCE);
    };
    const after = () => {
      isLeaving = true;
      requestAnimationFrame(arrived);
    };
    addEventListener("hashchange", after);
    addEventListener("scroll", scrolled, { passive: true });
    for (const act of ["wheel", "touchmove", "keydown"]) addEventListener(act, settle, { passive: true });
    return () => {
      settle();
      removeEventListener("hashchange", after);
      removeEventListener("scroll", scrolled);
      for (const act of ["wheel", "touchmove", "keydown"]) removeEventListener(act, settle);
    };
  }, []);
}
