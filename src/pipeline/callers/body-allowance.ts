/**
 * Bytes of large bodies that one key may have in reading, or have had refused lately. A refused body costs its reading and no limit
 * of the tenant counts it, so a key that sends nothing else would be read for ever. Counted in one process alone.
 */
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

/** Of one key: eight of the largest bodies at once, or as many refused in a minute. */
export const largeBodies = { mostBytes: 96 * 1024 * 1024, windowMs: 60_000 };

export interface BodyAllowance {
  /** Takes bytes of a key's allowance. What it gives puts them back: the body was of use. */
  take(keyId: string, bytes: number): Result<() => void, Refusal>;
}

export function createBodyAllowance(deps: {
  /** bytes that come back within `windowMs` */
  mostBytes: number;
  windowMs: number;
  /** keys that are remembered; the oldest are forgotten first */
  capacity: number;
  /** ms, never set back */
  elapsed: () => number;
}): BodyAllowance {
  const { mostBytes, windowMs, capacity, elapsed } = deps;
  const bytesPerMs = mostBytes / windowMs;
  const taken = new Map<string, { bytes: number; at: number }>();
  const takenBy = (keyId: string): number => {
    const known = taken.get(keyId);
    if (known === undefined) return 0;
    return Math.max(0, known.bytes - (elapsed() - known.at) * bytesPerMs);
  };
  const set = (keyId: string, bytes: number): void => {
    taken.delete(keyId);
    taken.set(keyId, { bytes: Math.max(0, bytes), at: elapsed() });
    const [oldest] = taken.keys();
    if (taken.size > capacity && oldest !== undefined) taken.delete(oldest);
  };
  return {
    take(keyId, bytes) {
      const all = takenBy(keyId) + bytes;
      if (all > mostBytes)
        return err({
          reason: "rate_limited",
          limit: "key.bodyBytes",
          retryAfterMs: Math.max(1_000, Math.ceil((all - mostBytes) / bytesPerMs)),
        });
      set(keyId, all);
      return ok(() => set(keyId, takenBy(keyId) - bytes));
    },
  };
}
