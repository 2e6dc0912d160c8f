// Places for a small graph: the first in the middle, what comes later near what it hangs on; the same every time.

export interface Spot {
  x: number;
  y: number;
}

const ROUNDS = 120;
const APART = 110; // pixels that two tied nodes like to be apart

export function layOut(
  ids: readonly string[],
  edges: readonly { source: string; target: string }[],
  kept: ReadonlyMap<string, Spot> = new Map(),
): Map<string, Spot> {
  const places = ids.map((id, index) => ({ ...(kept.get(id) ?? start(id, index, edges, kept)) }));
  const number = new Map(ids.map((id, index) => [id, index]));
  const pairs = edges.flatMap(({ source, target }) => {
    const from = number.get(source);
    const to = number.get(target);
    return from === undefined || to === undefined || from === to ? [] : [[from, to] as const];
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    step(places, pairs, 12 * (1 - round / ROUNDS));
  }
  return new Map(ids.map((id, index) => [id, places[index]!]));
}

function start(id: string, index: number, edges: readonly { source: string; target: string }[], kept: ReadonlyMap<string, Spot>): Spot {
  const tied = edges.find((edge) => (edge.source === id && kept.has(edge.target)) || (edge.target === id && kept.has(edge.source)));
  const near = tied && kept.get(tied.source === id ? tied.target : tied.source);
  const turn = index * 2.399963; // the golden angle
  const far = near ? APART * 0.8 : APART * 0.7 * Math.sqrt(index);
  return { x: (near?.x ?? 0) + far * Math.cos(turn), y: (near?.y ?? 0) + far * Math.sin(turn) };
}

function step(places: Spot[], pairs: (readonly [number, number])[], most: number): void {
  const pushes = places.map(() => ({ x: 0, y: 0 }));
  const push = (one: number, other: number, strength: (distance: number) => number) => {
    const dx = places[other]!.x - places[one]!.x || 0.01 * (one - other);
    const dy = places[other]!.y - places[one]!.y || 0.01;
    const distance = Math.max(1, Math.hypot(dx, dy));
    const pull = strength(distance) / distance;
    pushes[one]!.x += dx * pull;
    pushes[one]!.y += dy * pull;
    pushes[other]!.x -= dx * pull;
    pushes[other]!.y -= dy * pull;
  };
  for (let one = 0; one < places.length; one += 1) {
    for (let other = one + 1; other < places.length; other += 1) push(one, other, (far) => (-APART * APART * 0.35) / far);
  }
  for (const [one, other] of pairs) push(one, other, (far) => 0.12 * (far - APART));
  places.forEach((place, index) => {
    if (index === 0) return;
    const { x, y } = pushes[index]!;
    const far = Math.max(1, Math.hypot(x, y));
    place.x += (x / far) * Math.min(far, most);
    place.y += (y / far) * Math.min(far, most);
  });
}
