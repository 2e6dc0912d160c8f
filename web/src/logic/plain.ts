// Markdown's signs out of a passage that is shown as a line of words.
import type { Piece } from "./marks";

const SIGNS = /!?\[(?=[^[\]\n]*\]\([^()\s]*\))|\]\([^()\s]*\)|\[\[[^\]|\n]+\||\*\*|~~|`{1,3}|\[\[|\]\]|(^|\n)\s{0,3}(#{1,6}\s+|>\s?|[-*+]\s+(\[[ xX]\]\s*)?)|\|?\s*:?-{3,}:?\s*\|?|\[![\w-]+\][+-]?\s*/g;

const CELLS = /[ \t]*\|(?:[ \t]*\|)*[ \t]*/g;
const BETWEEN = " · ";

/** Pieces without signs and without lines that are only there for them; each keeps whether it is marked. */
export function withoutSigns(pieces: Piece[]): Piece[] {
  const isTable = /(^|\n)\s*\|/.test(pieces.map((piece) => piece.text).join(""));
  return pieces
    .map((piece, index) => {
      const plain = piece.text.replace(SIGNS, (_, line: string | undefined) => line ?? "").replace(/\s*\n\s*/g, "\n");
      return { ...piece, text: isTable ? withoutCells(plain, index === 0, index === pieces.length - 1) : plain };
    })
    .filter((piece) => piece.text !== "");
}

/** The rows of a table as words with dots between them. */
function withoutCells(text: string, isFirst: boolean, isLast: boolean): string {
  const said = text.replace(CELLS, BETWEEN).replaceAll(`\n${BETWEEN}`, "\n").replaceAll(`${BETWEEN}\n`, "\n");
  const begun = isFirst && said.startsWith(BETWEEN) ? said.slice(BETWEEN.length) : said;
  return isLast && begun.endsWith(BETWEEN) ? begun.slice(0, -BETWEEN.length) : begun;
}

/** A relation as people say it; programs write `works_at`. */
export const sayRelation = (predicate: string): string => predicate.replaceAll("_", " ");
