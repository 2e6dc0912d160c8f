// What differs between two texts, by words: the longest common subsequence, bounded.

export interface Step {
  text: string;
  kind: "same" | "gone" | "new";
}

const LARGEST = 250_000; // cells of the table: some milliseconds

function words(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

export function difference(before: string, after: string): Step[] {
  const one = words(before);
  const other = words(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < one.length - start && tail < other.length - start && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const middle = between(one.slice(start, one.length - tail), other.slice(start, other.length - tail));
  const whole: Step[] = [
    { kind: "same", text: one.slice(0, start).join("") },
    ...middle,
    { kind: "same", text: one.slice(one.length - tail).join("") },
  ];
  return joined(whole);
}

function between(one: string[], other: string[]): Step[] {
  if (one.length * other.length > LARGEST) {
    return [
      { kind: "gone", text: one.join("") },
      { kind: "new", text: other.join("") },
    ];
  }
  const width = other.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const here = row * width + column;
      table[here] =
        one[row] === other[column] ? table[here + width + 1]! + 1 : Math.max(table[here + width]!, table[here + 1]!);
    }
  }
  const steps: Step[] = [];
  let row = 0;
  let column = 0;
  while (row < one.length || column < other.length) {
    const here = row * width + column;
    if (row < one.length && column < other.length && one[row] === other[column]) {
      steps.push({ kind: "same", text: one[row]! });
      row += 1;
      column += 1;
    } else if (row < one.length && (column === other.length || table[here + width]! >= table[here + 1]!)) {
      steps.push({ kind: "gone", text: one[row]! });
      row += 1;
    } else {
      steps.push({ kind: "new", text: other[column]! });
      column += 1;
    }
  }
  return steps;
}

function joined(steps: Step[]): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (step.text === "") continue;
    if (last?.kind === step.kind) last.text += step.text;
    else found.push({ ...step });
  }
  return found;
}
