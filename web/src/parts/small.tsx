// Small parts that several views are made of.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { cutAtMarks } from "../logic/marks";
import { withoutSigns } from "../logic/plain";
import { difference } from "../logic/difference";
import { sayFully, sayTime } from "../logic/times";
import { address, type Toast } from "../state";
import type { Change, Finding } from "../shapes";
import { kindName, t } from "../texts";

export const Kind = ({ kind }: { kind: string }) => <span class={`kind k-${kind}`}>{kindName(kind)}</span>;

export const Time = ({ at }: { at: string | null | undefined }) =>
  at ? (
    <time dateTime={at} title={sayFully(at)}>
      {sayTime(at)}
    </time>
  ) : null;

export const Problem = ({ text }: { text: string }) => (text ? <p role="alert">{text}</p> : null);

export const ThingLink = ({ handle, children }: { handle: string; children: ComponentChildren }) => (
  <a href={address("thing", handle)}>{children}</a>
);

export function Marked({ text, spans }: { text: string; spans: [number, number][] }) {
  return (
    <>{withoutSigns(cutAtMarks(text, spans)).map((piece, index) => (piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text))}</>
  );
}

/** What is too long for its place is scrolled, by keys too. */
const scrolls = (text: string) => (text.length > 240 || text.split("\n").length > 9 ? 0 : undefined);

export function Changes({ changes }: { changes: Change[] }) {
  return (
    <dl class="changes">
      {changes.map((change) => (
        <div key={change.field}>
          <dt>{change.field}</dt>
          <dd tabIndex={scrolls(`${change.before ?? ""}${change.after ?? ""}`)}>
            {difference(change.before ?? "", change.after ?? "").map((step, index) => {
              if (step.kind === "gone") return <del key={index}>{step.text}</del>;
              return step.kind === "new" ? <ins key={index}>{step.text}</ins> : <span key={index}>{step.text}</span>;
            })}
            {change.cut && " …"}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Names and what they stand for; what is empty is left out. */
export const Facts = ({ title, rows }: { title: string; rows: [string, string][] }) => (
  <section>
    <h2>{title}</h2>
    <dl class="details">
      {rows
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd tabIndex={scrolls(value)}>{value}</dd>
          </div>
        ))}
    </dl>
  </section>
);

/** What was looked at: what is not well with what to do, and the rest behind one line. */
export function Findings({ findings }: { findings: Finding[] }) {
  const ill = findings.filter((each) => !each.well);
  const well = findings.filter((each) => each.well);
  return (
    <>
      <ul class="plain findings">{ill.map(drawFinding)}</ul>
      {well.length > 0 && (
        <details class="listed" open={ill.length === 0}>
          <summary>{t.health.wellOnes(well.length)}</summary>
          <ul class="plain findings">{well.map(drawFinding)}</ul>
        </details>
      )}
    </>
  );
}

const drawFinding = (finding: Finding) => (
  <li key={finding.name}>
    <p class="line">
      <span class={finding.well ? "well" : "ill"}>{finding.well ? "✓" : "✗"}</span>
      <strong>{finding.name}</strong>
    </p>
    <p class="facts-of">{finding.detail}</p>
    {finding.fix && <p class="fix">{`${t.health.fix} ${finding.fix}`}</p>}
  </li>
);

/** What was just done, with the way back, or why it was not. */
export const ToastLine = ({ toast, dismiss }: { toast: Toast; dismiss(): void }) => (
  <div class={`toast${toast.isError ? " bad" : ""}`} role={toast.isError ? "alert" : "status"}>
    <span>{toast.text}</span>
    {toast.undo && <button onClick={() => (dismiss(), toast.undo?.())}>{t.thing.undo}</button>}
    <button class="quiet" aria-label={t.close} onClick={dismiss}>
      ×
    </button>
  </div>
);

/** A text to be taken elsewhere, and the button that copies it. */
export function Copied({ title, text }: { title: string; text: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      // Over plain HTTP from another machine there is no clipboard: what is selected is copied by the keyboard.
      const place = document.getElementById(`copied-${title}`);
      if (place) getSelection()?.selectAllChildren(place);
    }
  };
  return (
    <div class="copied">
      <p class="line whole">
        <span class="facts-of">{title}</span>
        <button class="quiet" aria-label={`${t.copy}: ${title}`} onClick={() => void copy()}>
          {isDone ? t.copied : t.copy}
        </button>
      </p>
      <pre id={`copied-${title}`} tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
