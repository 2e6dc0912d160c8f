// What may be done to a thing, where the server offers it to whoever looks.
import type { Thing } from "../shapes";

export type Deed = "edit" | "annotate" | "forget" | "restore";

const TEXTS = ["entry", "memory", "note", "entity"];
const FORGETTABLE = [...TEXTS, "document", "triple", "conversation"];
const ANNOTATED = [...TEXTS, "document"];

type Offered = Pick<Set<string>, "has">;

/** What a person may do to it now. */
export function deedsOf(thing: Pick<Thing, "kind" | "state" | "body_start" | "body_cut">, tools: Offered): Set<Deed> {
  if (!tools.has("console_change")) return new Set();
  if (thing.state === "forgotten") return new Set(["restore"]);
  const deeds = new Set<Deed>();
  // Of a text that is not here whole, the rest would be lost.
  if (TEXTS.includes(thing.kind) && thing.body_start + thing.body_cut === 0) deeds.add("edit");
  if (ANNOTATED.includes(thing.kind)) deeds.add("annotate");
  if (FORGETTABLE.includes(thing.kind)) deeds.add("forget");
  return deeds;
}
