// Markdown's signs out of a passage that is shown as a line of words.
import type { Piece } from "./marks";

const SIGNS = /\[\[[^\]|\n]+\||\*\*|~~|`{1,3}|\[\[|\]\]|(^|\n)\s{0,3}(#{1,6}\s+|>\s?|[-*+]\s+(\[[ xX]\]\s*)?)|\|?\s*:?-{3,}:?\s*\|?/g;

/** Pieces without signs and without lines that are only there for them; each keeps whether it is marked. */
export function withoutSigns(pieces: Piece[]): Piece[] {
  return pieces
    .map((piece) => ({
      ...piece,
      text: piece.text.replace(SIGNS, (_, line: string | undefined) => line ?? "").replace(/\s*\n\s*/g, "\n"),
    }))
    .filter((piece) => piece.text !== "");
}
