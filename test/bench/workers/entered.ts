/** What the in-memory ledger would answer if nothing were ever counted, and nothing kept. */
import type { Entry } from "../../../src/store/engines/contract/entries.ts";
import type { Job, Outcome } from "../../../src/store/engines/contract/engine.ts";

/** Positions of more limits than any call has. */
const currentUsage = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 0 : null));
let number = 0;

export const isEntry = (job: Job): job is Entry => "kind" in job;

export const entered = ({ kind }: Entry): Outcome => ({
  ok: true,
  rows: [],
  answer:
    kind === "settle"
      ? { state: "settled" }
      : { state: "admitted", number: (number += 1), rung: 0, currentUsage },
});
