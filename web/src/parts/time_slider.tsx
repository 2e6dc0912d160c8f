// As of: a slider through all transactions; wherever it stands, every view shows things as they were then.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../door";
import { sayFully } from "../logic/times";
import type { Journal } from "../shapes";
import { explain, useAnswer, useApp } from "../state";
import { t } from "../texts";

/** When a transaction was. */
async function timeOf(tx: number, signal?: AbortSignal): Promise<string | null> {
  const page = await call<Journal>("console_history", { limit: 1, before: tx + 1 }, signal);
  return page.transactions[0]?.at ?? null;
}

/** The far end is now. Nothing is to be seen elsewhere while there is but one state. */
export function TimeSlider({ newest, oldest }: { newest: number; oldest: number }) {
  const app = useApp();
  const [at, setAt] = useState(app.asOf?.tx ?? newest);
  useEffect(() => setAt(app.asOf?.tx ?? newest), [app.asOf?.tx, newest]);
  const [passed, setPassed] = useState<{ tx: number; at: string | null } | undefined>();
  const asking = useRef<AbortController>(undefined);
  // While it moves it says when that was; everything else follows once it rests.
  const move = (tx: number) => {
    setAt(tx);
    asking.current?.abort();
    const stop = (asking.current = new AbortController());
    timeOf(tx, stop.signal).then((time) => stop.signal.aborted || setPassed({ tx, at: time }), () => undefined);
  };
  const choose = async (tx: number) => {
    if (tx >= newest) return app.setAsOf(undefined);
    try {
      app.setAsOf({ tx, at: await timeOf(tx) });
    } catch (error) {
      app.show({ text: explain(error), isError: true });
    }
  };
  if (newest <= 1) return null;
  const known = [app.asOf, passed].find((each) => each?.tx === at) ?? passed;
  const said = at >= newest ? t.history.now : sayFully(known?.at);
  return (
    <label class="slider">
      {t.history.asOf}: <output>{said}</output>
      <input
        type="range"
        min={Math.max(1, oldest)}
        max={newest}
        value={at}
        aria-valuetext={said}
        onInput={(event) => move(Number(event.currentTarget.value))}
        onChange={(event) => void choose(Number(event.currentTarget.value))}
      />
    </label>
  );
}

/** The same for a view that has no journal of its own. */
export function TimeTravel() {
  const { data } = useAnswer<Journal>("console_history", { limit: 1 });
  return data ? <TimeSlider newest={data.newest.tx} oldest={data.oldest.tx} /> : null;
}
