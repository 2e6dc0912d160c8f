// Which family's own tool changes or forgets a thing, where the server offers it.
import type { Thing } from "../shapes";

export interface Way {
  tool: string;
  input: Record<string, unknown>;
}

type Offered = Pick<Set<string>, "has">;

function first(ways: Way[], tools: Offered): Way | undefined {
  return ways.find((way) => tools.has(way.tool));
}

/** The call that gives a thing another text, but for the text itself. */
export function changing(thing: Pick<Thing, "kind" | "handle" | "id" | "state">, tools: Offered): Way | undefined {
  if (thing.state !== "current") return undefined;
  if (thing.kind === "entry") return first([{ tool: "update", input: { id: thing.handle } }], tools);
  if (thing.kind === "memory") return first([{ tool: "update", input: { id: thing.id } }], tools);
  return thing.kind === "note" ? first([{ tool: "update_node", input: { id: thing.handle } }], tools) : undefined;
}

export function forgetting(thing: Pick<Thing, "kind" | "handle" | "id" | "state">, tools: Offered): Way | undefined {
  if (thing.state !== "current") return undefined;
  const { kind, handle, id } = thing;
  const why = { reason: "user_requested", rationale: "Forgotten by a person on the page." };
  const ways: Record<string, Way[]> = {
    entry: [{ tool: "delete", input: { id: handle } }],
    triple: [{ tool: "delete", input: { id: handle, entity_type: "triple" } }],
    memory: [{ tool: "forget_concept", input: { node_id: id, ...why } }],
    note: [{ tool: "delete_node", input: { id: handle } }],
    document: [{ tool: "knowledge-remove", input: { document_id: id, confirm: true } }],
  };
  return first(ways[kind] ?? [], tools);
}
