// What both doors to the server have in common: how a refusal is thrown, and who hears of changes.
export type Json = Record<string, unknown>;

export class DoorError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** What whoever looks may do, and where else they may look. */
export interface Offer {
  tools: Set<string>;
  collections: string[];
  usual: string;
}

export interface Follower {
  changed(): void;
  connected(isUp: boolean): void;
}

/** What a tool refused, in its own words. */
export function refuse(result: { structuredContent?: unknown; content?: unknown }): never {
  const content = (result.structuredContent ?? {}) as Json;
  const error = (content.error ?? {}) as Json | string;
  const said = typeof error === "string" ? { code: error, message: content.message } : error;
  const message = said.message ?? (result.content as { text?: string }[] | undefined)?.[0]?.text ?? "";
  throw new DoorError(String(said.code ?? "invalid"), String(message), said.field as string | undefined);
}
