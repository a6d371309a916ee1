/** Each caller waits for its own time slot, since a Worker's invocation may end silently. */
import { err } from "../../domain/result.ts";
import type { AsyncResult } from "../../domain/refusals.ts";

/** ms between lookups, about 10 % of a core */
const minMs = 10;
/** ms between lookups on a slow database */
const maxMs = 1_000;
/** ms of waiting after which a caller is refused */
const longestWaitMs = 5_000;

export interface LookupPacer {
  pace<T>(lookUp: () => AsyncResult<T>): AsyncResult<T>;
}

export function createLookupPacer(deps: {
  wait: (ms: number) => Promise<void>;
  elapsed: () => number;
}): LookupPacer {
  const { wait, elapsed } = deps;
  let freeAt = 0;
  let spacingMs = minMs;
  return {
    async pace(lookUp) {
      const waitMs = Math.max(0, freeAt - elapsed());
      if (waitMs > longestWaitMs) {
        await wait(longestWaitMs);
        return err({ reason: "unavailable", retryAfterMs: longestWaitMs });
      }
      freeAt = elapsed() + waitMs + spacingMs;
      if (waitMs > 0) await wait(waitMs);
      const begun = elapsed();
      try {
        return await lookUp();
      } finally {
        spacingMs = Math.min(maxMs, Math.max(minMs, elapsed() - begun));
      }
    },
  };
}
