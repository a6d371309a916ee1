/** No tenant limit counts a rejected body, so without this a key could keep a process busy reading. */
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Authenticate, Claim } from "./authenticate.ts";

/** Eight concurrent bodies of the largest size, or as many rejected per minute. */
export const largeBodies = { maxBytes: 96 * 1024 * 1024, windowMs: 60_000 };

export interface BodyAllowance {
  take(keyId: string, bytes: number): Result<() => void, Refusal>;
}

export function createBodyAllowance(deps: {
  maxBytes: number;
  windowMs: number;
  capacity: number;
  elapsed: () => number;
}): BodyAllowance {
  const { maxBytes, windowMs, capacity, elapsed } = deps;
  const bytesPerMs = maxBytes / windowMs;
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
      if (all > maxBytes)
        return err({
          reason: "rate_limited",
          limit: "key.bodyBytes",
          retryAfterMs: Math.max(1_000, Math.ceil((all - maxBytes) / bytesPerMs)),
        });
      set(keyId, all);
      return ok(() => set(keyId, takenBy(keyId) - bytes));
    },
  };
}

export interface LargeBodyServices {
  authenticate: Authenticate;
  bodyAllowance: BodyAllowance;
}

/** @param bytes `null` for a body that anyone may send @returns a function that gives the bytes back */
export async function admitBody(
  { authenticate, bodyAllowance }: LargeBodyServices,
  claim: Claim,
  bytes: number | null,
): Promise<Result<() => void, Refusal>> {
  if (bytes === null) return ok(() => {});
  const known = await authenticate(claim, "memory");
  return known.ok ? bodyAllowance.take(known.value.snapshot.key.id, bytes) : known;
}
