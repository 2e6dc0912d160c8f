import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { linesOf, parsePlaced, safeAddress, type Block, type Inline } from "../logic/markdown";
import { address } from "../state";
import { t } from "../texts";

type Placed = ReturnType<typeof parsePlaced>;
export type Stretch = readonly [start: number, stop: number];

/** A stored text as elements; nothing in it is taken for HTML. A first heading that says the title again is left out.
 * The blocks that a passage is in are marked, and brought into view. */
export function Markdown({ text, title = "", passage }: { text: string; title?: string; passage?: Stretch }) {
  const place = useRef<HTMLDivElement>(null);
  const placed = useMemo(() => lifted(withoutTitle(parsePlaced(text), title)), [text, title]);
  const [start, stop] = passage ?? [-1, -1];
  const sought = useMemo(() => blocksOf(placed, text, start, stop), [placed, start, stop]);
  useLayoutEffect(() => place.current?.querySelector(".sought")?.scrollIntoView({ block: "center" }), [start, stop]);
  return (
    <div class="prose" ref={place}>
      {placed.map(({ block }, index) => {
        const drawn = drawBlock(block, index);
        return sought.has(index) ? (
          <div key={index} class="sought">
            {drawn}
          </div>
        ) : (
          drawn
        );
      })}
    </div>
  );
}

/** Which blocks a stretch of the text is in; where it is all there is, none stands out. */
function blocksOf(placed: Placed, text: string, start: number, stop: number): ReadonlySet<number> {
  if (stop < 0) return new Set();
  const [first, last] = linesOf(text, start, stop);
  const found = placed.map((_, index) => index).filter((index) => placed[index]!.line <= last && (placed[index + 1]?.line ?? Infinity) > first);
  return new Set(found.length < placed.length ? found : []);
}

function withoutTitle(blocks: Placed, title: string): Placed {
  const first = blocks[0]?.block;
  const isSame = first?.is === "heading" && first.inside.every((part) => part.is === "text") && title !== "";
  const said = isSame ? first.inside.map((part) => (part.is === "text" ? part.text : "")).join("") : "";
  return isSame && said.trim() === title.trim() ? blocks.slice(1) : blocks;
}

/** Its highest headings come right below the page's own. */
function lifted(blocks: Placed): Placed {
  const levels = blocks.flatMap(({ block }) => (block.is === "heading" ? [block.level] : []));
  const by = 2 - Math.min(...levels);
  return blocks.map((each) => (each.block.is === "heading" ? { ...each, block: { ...each.block, level: each.block.level + by } } : each));
}

const ALARMS = ["warning", "caution", "attention", "danger", "error", "bug", "failure", "fail", "missing"];

function drawBlock(block: Block, key: number): JSX.Element {
  switch (block.is) {
    case "heading": {
      const Level = `h${Math.min(Math.max(block.level, 2), 6)}` as "h3";
      return <Level key={key}>{block.inside.map(drawInline)}</Level>;
    }
    case "paragraph":
      return <p key={key}>{block.inside.map(drawInline)}</p>;
    case "code":
      return (
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote key={key}>{block.blocks.map(drawBlock)}</blockquote>;
    case "callout":
      return (
        <blockquote key={key} class={`callout${ALARMS.includes(block.of) ? " is-alarm" : ""}`}>
          <p>
            <strong>{block.title.map(drawInline)}</strong>
          </p>
          {block.blocks.map(drawBlock)}
        </blockquote>
      );
    case "rule":
      return <hr key={key} />;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List key={key}>
          {block.items.map((item, index) => (
            <li key={index} class={item.done === undefined ? undefined : "to-do"}>
              {item.done !== undefined && <span>{item.done ? "☑ " : "☐ "}</span>}
              {item.blocks.map(drawBlock)}
            </li>
          ))}
        </List>
      );
    }
    case "table":
      return (
        <div key={key} class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index}>{cell.map(drawInline)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell.map(drawInline)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {block.left > 0 && <p>{t.thing.rowsLeft(block.left)}</p>}
        </div>
      );
  }
}

function drawInline(part: Inline, key: number): JSX.Element | string {
  switch (part.is) {
    case "text":
      return part.text;
    case "code":
      return <code key={key}>{part.text}</code>;
    case "strong":
      return <strong key={key}>{part.inside.map(drawInline)}</strong>;
    case "em":
      return <em key={key}>{part.inside.map(drawInline)}</em>;
    case "strike":
      return <s key={key}>{part.inside.map(drawInline)}</s>;
    case "wiki":
      return (
        <a key={key} href={address("thing", part.to)}>
          {part.text}
        </a>
      );
    case "picture":
      return <span key={key} class="absent" title={part.to}>{`${part.text || part.to} (${t.thing.noPicture})`}</span>;
    case "link":
      return drawLink(part, key);
  }
}

function drawLink(part: { to: string; inside: Inline[] }, key: number): JSX.Element {
  const safe = safeAddress(part.to);
  if (safe !== undefined) {
    return (
      <a key={key} href={safe} title={safe} rel="noreferrer noopener" target="_blank">
        {part.inside.map(drawInline)}
      </a>
    );
  }
  const isOwn = /\.md(#.*)?$/i.test(part.to) && !part.to.includes(":");
  return isOwn ? (
    <a key={key} href={address("thing", part.to.split("#", 1)[0])}>
      {part.inside.map(drawInline)}
    </a>
  ) : (
    <span key={key} title={part.to}>
      {part.inside.map(drawInline)}
    </span>
  );
}
