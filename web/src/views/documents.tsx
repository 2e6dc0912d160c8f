import { useEffect, useRef, useState } from "preact/hooks";
import { call, upload } from "../door";
import { NotesHealth } from "../parts/notes";
import { Problem, ThingLink, Time } from "../parts/small";
import { filesOf } from "../logic/dropped";
import { sayNumber, saySeconds } from "../logic/times";
import type { Job } from "../shapes";
import { address, explain, useApp } from "../state";
import { t } from "../texts";

const EVERY = 400; // milliseconds between two looks while something is read
const AT_ONCE = 3;
const READ = 8; // files that were read are shown at first; what waits or failed always is

interface Sending {
  id: number;
  file: string;
  share: number;
  problem: string;
  stop: AbortController;
}

let numbered = 0;

/** Files dropped here are sent, read and listed, how far each is and why one failed. */
export function Documents() {
  const app = useApp();
  const [jobs, setJobs] = useState<Job[] | undefined>();
  const [problem, setProblem] = useState("");
  const [sending, setSending] = useState<Sending[]>([]);
  const [isOver, setOver] = useState(false);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const [look, setLook] = useState(0);
  const chooser = useRef<HTMLInputElement>(null);
  const mayAdd = app.tools.has("knowledge-add");

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOn = true;
    const ask = async () => {
      let isBusy = true;
      try {
        const found = await call<{ jobs: Job[] }>("console_jobs", { limit: 100 });
        if (!isOn) return;
        setJobs(found.jobs);
        setProblem("");
        isBusy = found.jobs.some((job) => job.cancellable);
      } catch (error) {
        if (isOn) setProblem(explain(error));
      }
      if (isOn && isBusy) timer = setTimeout(() => void ask(), EVERY);
    };
    void ask();
    return () => {
      isOn = false;
      clearTimeout(timer);
    };
  }, [app.tick, look]);

  const amend = (id: number, change: Partial<Sending>) =>
    setSending((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)));
  const drop = (id: number) => setSending((all) => all.filter((each) => each.id !== id));
  const send = async (file: File, entry: Sending) => {
    try {
      const path = await upload(file, (share) => amend(entry.id, { share }), entry.stop.signal);
      await call("knowledge-add", { file_path: path, async: true });
      drop(entry.id);
      setLook((before) => before + 1);
    } catch (error) {
      if (entry.stop.signal.aborted) drop(entry.id);
      else amend(entry.id, { problem: explain(error) });
    }
  };
  const add = async (files: File[]) => {
    const entries = files.map((file) => ({ id: ++numbered, file: file.name, share: 0, problem: "", stop: new AbortController() }));
    setSending((all) => [...entries, ...all]);
    const waiting = files.map((file, index) => [file, entries[index]!] as const);
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        if (next[1].stop.signal.aborted) drop(next[1].id);
        else await send(...next);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  const cancel = async (id: string) => {
    try {
      await call("console_cancel", { id });
    } catch (error) {
      app.show({ text: t.failed + explain(error), isError: true });
    }
    setLook((before) => before + 1);
  };
  const [isWhole, setWhole] = useState(false);
  const known = (jobs ?? []).filter((job) => !dismissed.has(job.id));
  const open = known.filter((job) => job.state !== "completed");
  const read = known.filter((job) => job.state === "completed");
  const shown = [...open, ...(isWhole ? read : read.slice(0, READ))];
  const over = useRef(0); // elements that the file is over: leaving one for another within is no leaving
  useEffect(() => {
    // A file that is dropped beside the place for it would else be opened instead of this page.
    const enter = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && setOver(++over.current > 0);
    const leave = () => setOver((over.current = Math.max(0, over.current - 1)) > 0);
    const hold = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && event.preventDefault();
    const take = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver((over.current = 0) > 0);
      if (mayAdd) void filesOf(event.dataTransfer).then(add);
    };
    const acts = { dragenter: enter, dragleave: leave, dragover: hold, drop: take };
    for (const [name, act] of Object.entries(acts)) addEventListener(name, act as EventListener);
    return () => {
      for (const [name, act] of Object.entries(acts)) removeEventListener(name, act as EventListener);
    };
  }, [mayAdd]);
  return (
    <section class="documents">
      <h1>{t.documents.title}</h1>
      {mayAdd ? (
        <div class={`drop${isOver ? " over" : ""}`}>
          <p>{t.documents.drop}</p>
          <button onClick={() => chooser.current?.click()}>{t.documents.choose}</button>
          <input
            ref={chooser}
            class="hidden"
            type="file"
            multiple
            tabIndex={-1}
            aria-label={t.documents.choose}
            onChange={(event) => {
              void add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </div>
      ) : (
        <p class="empty">{t.documents.readOnly}</p>
      )}
      <Problem text={problem} />
      {jobs && shown.length === 0 && sending.length === 0 && <p class="empty">{t.documents.nothing}</p>}
      <ul class="plain jobs" aria-label={t.documents.tasks}>
        {sending.map((each) => (
          <li key={each.id} class={each.problem ? "failed" : ""}>
            <span class="file">{each.file}</span>
            {each.problem ? (
              <span role="alert">{each.problem}</span>
            ) : (
              <Bar label={each.file} percent={100 * each.share} said={t.documents.sending} />
            )}
            <button class="quiet" onClick={() => (each.problem ? drop(each.id) : each.stop.abort())}>
              {each.problem ? t.documents.dismiss : t.cancel}
            </button>
          </li>
        ))}
        {shown.map((job) => (
          <li key={job.id} class={job.state}>
            <span class="file">{job.document ? <ThingLink handle={job.document}>{job.file}</ThingLink> : job.file}</span>
            {job.cancellable ? (
              <Bar label={job.file} percent={job.percent} said={sayJob(job)} />
            ) : (
              <span class="facts-of">
                {t.documents.states[job.state] ?? job.state} <Time at={job.created_at} />
              </span>
            )}
            {job.reason && <span class="reason">{job.reason}</span>}
            {job.cancellable && mayAdd && (
              <button class="quiet" onClick={() => void cancel(job.id)}>
                {t.cancel}
              </button>
            )}
            {(job.state === "failed" || job.state === "cancelled") && (
              <button class="quiet" onClick={() => setDismissed(new Set(dismissed).add(job.id))}>
                {t.documents.dismiss}
              </button>
            )}
          </li>
        ))}
      </ul>
      {read.length > READ && !isWhole && <button onClick={() => setWhole(true)}>{t.documents.allRead(sayNumber(read.length))}</button>}
      <p class="row shelves">
        <a href={address("find", "", { kinds: "document" })}>{t.documents.browse}</a>
        <a href={address("find", "", { kinds: "note" })}>{t.documents.browseNotes}</a>
      </p>
      <NotesHealth />
    </section>
  );
}

function sayJob(job: Job): string {
  const said = [job.step || (t.documents.states[job.state] ?? job.state)];
  if (job.percent === 0) return said.join(); // how long others before it take nobody knows
  said.push(`${job.percent.toFixed(1)} %`);
  if (job.remaining_seconds !== null) said.push(t.documents.left(saySeconds(job.remaining_seconds)));
  return said.join(" · ");
}

const Bar = ({ label, percent, said }: { label: string; percent: number; said: string }) => (
  <span class="bar">
    <progress max={100} value={percent} aria-label={label} />
    <span class="facts-of">{said}</span>
  </span>
);
