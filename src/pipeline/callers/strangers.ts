/**
 * Lookups of keys that this deployment may not have made: in a row of their own, one after the other, so that they delay no other
 * read. Each caller waits by itself for the moment that it was given, since an invocation of a Worker may end without a word.
 */
import { err } from "../../domain/result.ts";
import type { AsyncResult } from "../../domain/refusals.ts";

/** ms between the beginnings of two lookups, at least: some 10 % of a core */
const leastMs = 10;
/** ms; a slow database is asked no sooner */
const mostMs = 1_000;
/** ms; who would wait longer is refused after them */
const longestWaitMs = 5_000;

export interface Strangers {
  pace<T>(lookUp: () => AsyncResult<T>): AsyncResult<T>;
}

export function createStrangers(deps: {
  wait: (ms: number) => Promise<void>;
  /** ms, never set back */
  elapsed: () => number;
}): Strangers {
  const { wait, elapsed } = deps;
  let freeAt = 0;
  let spacingMs = leastMs;
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
        spacingMs = Math.min(mostMs, Math.max(leastMs, elapsed() - begun));
      }
    },
  };
}
