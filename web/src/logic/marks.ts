// Highlights: a text cut where what matched begins and ends.

export interface Piece {
  text: string;
  marked: boolean;
}

/** The server counts letters as Python does, whole code points; a browser counts halves. */
export function cutAtMarks(text: string, spans: readonly (readonly [number, number])[]): Piece[] {
  const letters = Array.from(text);
  const found: Piece[] = [];
  let at = 0;
  const push = (until: number, marked: boolean) => {
    if (until > at) found.push({ text: letters.slice(at, until).join(""), marked });
    at = Math.max(at, until);
  };
  for (const [start, end] of [...spans].sort((one, other) => one[0] - other[0])) {
    push(Math.min(start, letters.length), false);
    push(Math.min(end, letters.length), true);
  }
  push(letters.length, false);
  return found;
}
