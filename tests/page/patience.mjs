import assert from "node:assert/strict";

// How long a person's patience is here: a machine that does much else is slow, and a test that fails costs more than one that waits.
export const PATIENCE = 60_000; // milliseconds for what a click brings
const LONGEST = 300_000; // milliseconds for what the server does by itself

/** Wait until it holds; whatever is read of a page is of one moment, and the next may be another. */
export async function until(holds, what) {
  for (const end = Date.now() + LONGEST; !(await holds()); ) {
    assert.ok(Date.now() < end, what ?? String(holds));
    await new Promise((done) => setTimeout(done, 50));
  }
}
