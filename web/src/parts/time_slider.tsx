// As of: a slider through all transactions; wherever it stands, every view shows things as they were then.
import { useEffect, useState } from "preact/hooks";
import { call } from "../door";
import { sayFully } from "../logic/times";
import type { Journal } from "../shapes";
import { explain, useAnswer, useApp } from "../state";
import { t } from "../texts";

/** The far end is now. Nothing is to be seen elsewhere while there is but one state. */
export function TimeSlider({ newest, oldest }: { newest: number; oldest: number }) {
  const app = useApp();
  const [at, setAt] = useState(app.asOf?.tx ?? newest);
  useEffect(() => setAt(app.asOf?.tx ?? newest), [app.asOf?.tx, newest]);
  const choose = async (tx: number) => {
    if (tx >= newest) return app.setAsOf(undefined);
    try {
      const page = await call<Journal>("console_history", { limit: 1, before: tx + 1 });
      app.setAsOf({ tx, at: page.transactions[0]?.at ?? null });
    } catch (error) {
      app.show({ text: explain(error), isError: true });
    }
  };
  if (newest <= 1) return null;
  const said = at >= newest ? t.history.now : app.asOf?.tx === at ? sayFully(app.asOf.at) : String(at);
  return (
    <label class="slider">
      {t.history.asOf}: <output>{said}</output>
      <input
        type="range"
        min={Math.max(1, oldest)}
        max={newest}
        value={at}
        aria-valuetext={said}
        onInput={(event) => setAt(Number(event.currentTarget.value))}
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
