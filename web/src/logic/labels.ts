// Which names are written beside points of a picture, and how much of each: none over another, the first come first.

export interface Labelled {
  x: number; // in pixels, of the middle of the name's line
  y: number;
  title: string;
  below: number; // how far down what it names reaches
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const LETTER = 6.6; // pixels that a letter of 12 is wide, on the average
const LINE = 14;
const LENGTHS = [34, 22, 13]; // letters: as much of a name as there is room for
const NARROW = 480; // pixels of a picture in which no name should take half of a line

export const short = (title: string, most: number): string => (title.length > most ? `${title.slice(0, most - 1).trimEnd()}…` : title);

/** The names in the order they are given; where there is no room there is none. Nothing that has a name is written over. */
export function fitLabels(points: readonly Labelled[], width: number): string[] {
  const taken: Box[] = points.map(({ x, y, below }) => ({ left: x - below / 2, right: x + below / 2, top: y, bottom: y + below }));
  const lengths = width < NARROW ? LENGTHS.slice(1) : LENGTHS;
  return points.map(({ x, y, title }) => {
    for (const most of lengths) {
      const said = short(title, most);
      const half = (said.length * LETTER) / 2;
      const box = { left: x - half, right: x + half, top: y - LINE, bottom: y };
      const isOver = taken.some((each) => each.left < box.right && box.left < each.right && each.top < box.bottom && box.top < each.bottom);
      if (isOver || box.left < 0 || box.right > width) continue;
      taken.push(box);
      return said;
    }
    return "";
  });
}
