// What a person has marked on the map: a node, where a way begins, and what was asked about some of them.

/** The way between two nodes, or what leads to one or on from it. */
export type Question = { kind: "way"; from: number; to: number } | { kind: "causes" | "effects"; of: number };

export interface Marks {
  chosen: number; // -1 for none, as in all of these
  from: number;
  question: Question | undefined;
}

export const NO_MARKS: Marks = { chosen: -1, from: -1, question: undefined };

const nodesOf = (question: Question): number[] => (question.kind === "way" ? [question.from, question.to] : [question.of]);

/** The numbers that are marked, each once. */
export function marksOf({ chosen, from, question }: Marks): number[] {
  return [...new Set([chosen, from, ...(question ? nodesOf(question) : [])])].filter((node) => node >= 0);
}

/** The same marks by other numbers; a question about a node that is gone is asked no more. */
export function renumber({ chosen, from, question }: Marks, numberOf: (node: number) => number): Marks {
  const kept = question !== undefined && nodesOf(question).every((node) => numberOf(node) >= 0);
  const asked = !kept
    ? undefined
    : question.kind === "way"
      ? { kind: question.kind, from: numberOf(question.from), to: numberOf(question.to) }
      : { kind: question.kind, of: numberOf(question.of) };
  return { chosen: chosen < 0 ? -1 : numberOf(chosen), from: from < 0 ? -1 : numberOf(from), question: asked };
}
