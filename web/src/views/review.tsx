import { useLayoutEffect, useState } from "preact/hooks";
import { call } from "../door";
import { Kind, Problem, ThingLink, Time } from "../parts/small";
import { sayNumber } from "../logic/times";
import type { Board, Task } from "../shapes";
import { explain, takeBack, useAnswer, useApp } from "../state";
import { t } from "../texts";

const SHOWN = 50; // the next ones come as these are settled
// Of whose two sides the first is what stood there before.
const ORDERED = new Set(["conflict", "update", "dispute", "duplicate", "doubtful"]);
const EVERY = 5000; // milliseconds: what is found and kept is no transaction

/** What waits for a decision: both sides, and one key for each answer. */
export function Review() {
  const app = useApp();
  const { data, error } = useAnswer<Board>("console_tasks", { limit: SHOWN }, 0, EVERY);
  const [chosen, setChosen] = useState({ id: "", place: 0 });
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());
  const tasks = (data?.tasks ?? []).filter((task) => !settled.has(task.id));
  // A task that comes meanwhile does not slip under the key that answers another; where the chosen one is gone, its place counts.
  const found = tasks.findIndex((task) => task.id === chosen.id);
  const here = found >= 0 ? found : Math.min(chosen.place, Math.max(0, tasks.length - 1));
  const go = (place: number) => setChosen({ id: tasks[place]?.id ?? "", place });
  useLayoutEffect(() => {
    if (tasks[here] && (tasks[here].id !== chosen.id || here !== chosen.place)) go(here);
  });
  const settle = async (task: Task, index: number) => {
    const choice = task.choices[index];
    if (choice === undefined || app.asOf || !app.tools.has(choice.tool)) return;
    try {
      const done = await call<{ told?: string; tx?: number | null; tx_id?: number }>(choice.tool, choice.arguments);
      const tx = done.tx ?? done.tx_id;
      setSettled((before) => new Set(before).add(task.id));
      const again = () => void takeBack(app, tx!).then(() => setSettled(new Set()));
      app.show({ text: done.told ?? t.review.settled, undo: tx == null ? undefined : again });
    } catch (error) {
      app.show({ text: t.failed + explain(error), isError: true });
    }
  };
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
      const task = tasks[here];
      if (event.key === "ArrowDown") go(Math.min(here + 1, tasks.length - 1));
      else if (event.key === "ArrowUp") go(Math.max(here - 1, 0));
      else if (task && /^[1-9]$/.test(event.key)) void settle(task, Number(event.key) - 1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
  return (
    <section class="review">
      <h1>{t.views.review}</h1>
      <Problem text={error} />
      {data && tasks.length === 0 && <p class="empty">{t.review.nothing}</p>}
      {tasks.length > 0 && (
        <p class="status" role="status">
          {t.review.left(sayNumber(data!.total - (data!.tasks.length - tasks.length)))}
          <span class="keys">{t.review.hint}</span>
        </p>
      )}
      <ol class="plain">
        {tasks.map((task, index) => (
          <li key={task.id} class={`card task${index === here ? " at" : ""}`} aria-current={index === here}>
            <h2>{t.review.kinds[task.kind] ?? task.kind}</h2>
            <p class="facts-of">
              <span>{task.reason}</span>
              <Time at={task.found_at} />
            </p>
            <div class="sides">
              {task.sides.map((side, number) => (
                <blockquote key={number}>
                  <p>{side.handle ? <ThingLink handle={side.handle}>{side.sentence}</ThingLink> : side.sentence}</p>
                  <footer class="facts-of">
                    {ORDERED.has(task.kind) && task.sides.length === 2 && <strong>{number === 0 ? t.review.earlier : t.review.later}</strong>}
                    <Kind kind={side.kind} />
                    {side.at ? <Time at={side.at} /> : t.review.unknown}
                    {side.source && <span>{side.source}</span>}
                  </footer>
                </blockquote>
              ))}
            </div>
            <div class="row">
              {task.choices.map((choice, number) => (
                <button
                  key={choice.choice}
                  class={choice.label.startsWith("“") ? "quoting" : ""}
                  title={choice.label}
                  disabled={!!app.asOf || !app.tools.has(choice.tool)}
                  onClick={() => void settle(task, number)}
                >
                  <kbd>{number + 1}</kbd> {choice.label}
                </button>
              ))}
              {task.choices.length === 0 && <span class="facts-of">{t.review.unanswered}</span>}
              {task.choices.some((choice) => !app.tools.has(choice.tool)) && <span class="facts-of">{t.review.readOnly}</span>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
