// Small parts that several views are made of.
import type { ComponentChildren } from "preact";
import { cutAtMarks } from "../logic/marks";
import { difference } from "../logic/difference";
import { sayFully, sayTime } from "../logic/times";
import { address } from "../state";
import type { Change } from "../shapes";
import { kindName } from "../texts";

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
    <>{cutAtMarks(text, spans).map((piece, index) => (piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text))}</>
  );
}

export function Changes({ changes }: { changes: Change[] }) {
  return (
    <dl class="changes">
      {changes.map((change) => (
        <div key={change.field}>
          <dt>{change.field}</dt>
          <dd>
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
