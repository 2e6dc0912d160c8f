// Markdown as a tree of plain data. What is drawn from it are elements and text nodes, never HTML: a stored text cannot
// bring a script, a frame, a form or a picture from elsewhere along.

export type Inline =
  | { is: "text" | "code"; text: string }
  | { is: "strong" | "em" | "strike"; inside: Inline[] }
  | { is: "link"; to: string; inside: Inline[] }
  | { is: "wiki"; to: string; text: string }
  | { is: "picture"; to: string; text: string };

export type Block =
  | { is: "heading"; level: number; inside: Inline[] }
  | { is: "paragraph"; inside: Inline[] }
  | { is: "code"; text: string }
  | { is: "quote"; blocks: Block[] }
  | { is: "callout"; of: string; title: Inline[]; blocks: Block[] }
  | { is: "list"; ordered: boolean; items: { done?: boolean; blocks: Block[] }[] }
  | { is: "table"; head: Inline[][]; rows: Inline[][][]; left: number }
  | { is: "rule" };

const DEEPEST = 8;
const ROWS = 500;
const SAFE = /^(https?:|mailto:)/i;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)]) +(.*)$/;

/** Where a link may lead: web pages, mail and things of the store; nothing that runs. */
export function safeAddress(to: string): string | undefined {
  // Browsers drop control characters from addresses before they look at the scheme.
  const plain = [...to].filter((letter) => letter > " " && letter !== "\u007f").join("");
  return SAFE.test(plain) ? plain : undefined;
}

export function parseMarkdown(text: string): Block[] {
  return blocks(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

/** The same, each block with the line that it begins in. */
export function parsePlaced(text: string): { block: Block; line: number }[] {
  const starts: number[] = [];
  const found = blocks(text.replaceAll("\r\n", "\n").split("\n"), 0, starts);
  return found.map((block, index) => ({ block, line: starts[index]! }));
}

/** The lines that a stretch of a text is in; letters are counted as the server does, whole code points. */
export function linesOf(text: string, start: number, stop: number): [number, number] {
  let line = 0;
  let letters = 0;
  let first = -1;
  for (const letter of text) {
    if (letters === start) first = line;
    if (letters >= stop) break;
    if (letter === "\n") line += 1;
    letters += 1;
  }
  return [first < 0 ? line : first, line];
}

function blocks(lines: string[], depth: number, starts: number[] = []): Block[] {
  const found: Block[] = [];
  let at = skipFrontMatter(lines, depth);
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const taken = depth < DEEPEST ? (fence(lines, at) ?? simple(line) ?? quote(lines, at, depth) ?? list(lines, at, depth) ?? table(lines, at)) : undefined;
    starts.push(at);
    if (taken !== undefined) {
      found.push(taken.block);
      at += taken.lines;
      continue;
    }
    let end = at + 1;
    while (end < lines.length && !startsBlock(lines, end)) end += 1;
    found.push({ is: "paragraph", inside: inline(lines.slice(at, end).join("\n").trim()) });
    at = end;
  }
  return found;
}

interface Taken {
  block: Block;
  lines: number;
}

function skipFrontMatter(lines: string[], depth: number): number {
  if (depth > 0 || lines[0] !== "---") return 0;
  const end = lines.indexOf("---", 1);
  return end < 0 ? 0 : end + 1;
}

function startsBlock(lines: string[], at: number): boolean {
  const line = lines[at]!;
  return line.trim() === "" || /^ {0,3}(```|~~~|>|#{1,6} )/.test(line) || ITEM.test(line);
}

function fence(lines: string[], at: number): Taken | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(lines[at]!)?.[1];
  if (mark === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && !lines[end]!.trim().startsWith(mark)) end += 1;
  return { block: { is: "code", text: lines.slice(at + 1, end).join("\n") }, lines: end - at + 1 };
}

function simple(line: string): Taken | undefined {
  const heading = /^ {0,3}(#{1,6}) (.*)$/.exec(line);
  if (heading !== null) {
    const words = heading[2]!.trim().replace(/ #+$/, "");
    return { block: { is: "heading", level: heading[1]!.length, inside: inline(words) }, lines: 1 };
  }
  const bare = line.replaceAll(" ", "");
  const isRule = bare.length > 2 && [..."-*_"].some((mark) => [...bare].every((letter) => letter === mark));
  return isRule ? { block: { is: "rule" }, lines: 1 } : undefined;
}

function quote(lines: string[], at: number, depth: number): Taken | undefined {
  if (!/^ {0,3}>/.test(lines[at]!)) return undefined;
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end]!)) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  // As notes have them: "> [!tip] Title", with the text below.
  const called = /^\[!([\w-]{1,30})\][+-]?(.*)$/.exec(inner[0]!);
  if (called === null) return { block: { is: "quote", blocks: blocks(inner, depth + 1) }, lines: end - at };
  const [, of = "", said = ""] = called;
  const title = inline(said.trim() || `${of[0]!.toUpperCase()}${of.slice(1).toLowerCase()}`);
  return { block: { is: "callout", of: of.toLowerCase(), title, blocks: blocks(inner.slice(1), depth + 1) }, lines: end - at };
}

function list(lines: string[], at: number, depth: number): Taken | undefined {
  const first = ITEM.exec(lines[at]!);
  if (first === null) return undefined;
  const ordered = /\d/.test(first[2]!);
  const items: { done?: boolean; blocks: Block[] }[] = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]!);
    if (item === null || /\d/.test(item[2]!) !== ordered) break;
    const width = lines[end]!.length - item[3]!.length;
    const inner = [item[3]!];
    end += 1;
    while (end < lines.length && (lines[end]!.trim() === "" ? isIndented(lines[end + 1], width) : isIndented(lines[end], Math.min(width, 2)))) {
      inner.push(lines[end]!.slice(Math.min(width, lines[end]!.length - lines[end]!.trimStart().length)));
      end += 1;
    }
    const box = /^\[([ xX])\] /.exec(inner[0]!);
    if (box !== null) inner[0] = inner[0]!.slice(4);
    items.push({ ...(box === null ? {} : { done: box[1] !== " " }), blocks: blocks(inner, depth + 1) });
    if (lines[end]?.trim() === "" && ITEM.test(lines[end + 1] ?? "")) end += 1;
  }
  return { block: { is: "list", ordered, items }, lines: end - at };
}

function isIndented(line: string | undefined, width: number): boolean {
  return line !== undefined && line.startsWith(" ".repeat(width)) && line.trim() !== "";
}

function table(lines: string[], at: number): Taken | undefined {
  const line = lines[at + 1];
  if (line === undefined || !lines[at]!.includes("|") || !line.includes("-")) return undefined;
  if (![...line].every((letter) => "|-: ".includes(letter)) || !line.includes("|")) return undefined;
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes("|") && lines[end]!.trim() !== "") end += 1;
  const shown = Math.min(end, at + 2 + ROWS);
  const rows = lines.slice(at + 2, shown).map((row) => cells(row));
  return { block: { is: "table", head: cells(lines[at]!), rows, left: end - shown }, lines: end - at };
}

function cells(row: string): Inline[][] {
  const bare = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split("|").map((cell) => inline(cell.trim()));
}

const MARKS: [string, "strong" | "em" | "strike"][] = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "strike"],
  ["*", "em"],
  ["_", "em"],
];

/** The parts of a line. A mark that nothing closes is text; every step moves on, so that the time grows with the text. */
export function inline(text: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  const unclosed = new Set<string>();
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain !== "") found.push({ is: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    const taken = depth < DEEPEST ? special(text, at, depth, unclosed) : undefined;
    if (taken === undefined) {
      plain += text[at];
      at += 1;
    } else {
      flush();
      found.push(taken.part);
      at = taken.end;
    }
  }
  flush();
  return found;
}

interface Part {
  part: Inline;
  end: number;
}

function special(text: string, at: number, depth: number, unclosed: Set<string>): Part | undefined {
  const letter = text[at]!;
  const until = (mark: string, from: number): number => {
    if (unclosed.has(mark)) return -1;
    const end = text.indexOf(mark, from);
    if (end < 0) unclosed.add(mark);
    return end;
  };
  if (letter === "\\" && /[\\`*_[\]~!#>|-]/.test(text[at + 1] ?? "")) {
    return { part: { is: "text", text: text[at + 1]! }, end: at + 2 };
  }
  if (letter === "`") {
    const end = until("`", at + 1);
    return end < 0 ? undefined : { part: { is: "code", text: text.slice(at + 1, end) }, end: end + 1 };
  }
  if (text.startsWith("[[", at) || text.startsWith("![[", at)) return wiki(text, text.indexOf("[[", at) + 2, until);
  if (letter === "[" || text.startsWith("![", at)) return link(text, at, depth, until);
  if (letter === "h" && /^https?:\/\/[^\s<>)\]]/.test(text.slice(at, at + 9)) && !/\w/.test(text[at - 1] ?? "")) {
    const to = /^[^\s<>)\]]+/.exec(text.slice(at, at + 2000))![0].replace(/[.,;:!?]$/, "");
    return { part: { is: "link", to, inside: [{ is: "text", text: to }] }, end: at + to.length };
  }
  for (const [mark, is] of MARKS) {
    if (!text.startsWith(mark, at) || (mark === "_" && /\w/.test(text[at - 1] ?? ""))) continue;
    if (/\s/.test(text[at + mark.length] ?? " ")) continue;
    const end = until(mark, at + mark.length + 1);
    if (end < 0) continue;
    return { part: { is, inside: inline(text.slice(at + mark.length, end), depth + 1) }, end: end + mark.length };
  }
  return undefined;
}

type Until = (mark: string, from: number) => number;

function wiki(text: string, from: number, until: Until): Part | undefined {
  const end = until("]]", from);
  if (end < 0) return undefined;
  const [to, shown] = text.slice(from, end).split("|", 2);
  if (to === undefined || to.includes("\n") || to === "") return undefined;
  return { part: { is: "wiki", to: to.split("#", 1)[0] || to, text: shown ?? to }, end: end + 2 };
}

function link(text: string, at: number, depth: number, until: Until): Part | undefined {
  const isPicture = text[at] === "!";
  const from = at + (isPicture ? 2 : 1);
  const middle = until("](", from);
  const end = middle < 0 ? -1 : until(")", middle + 2);
  if (end < 0) return undefined;
  const words = text.slice(from, middle);
  const to = text.slice(middle + 2, end).split(' "', 1)[0]!.trim();
  if (isPicture) return { part: { is: "picture", to, text: words }, end: end + 1 };
  return { part: { is: "link", to, inside: inline(words, depth + 1) }, end: end + 1 };
}
