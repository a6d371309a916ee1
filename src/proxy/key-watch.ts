/**
 * A stream ends soon after its caller's key does: it was let in once, and may be open for days. The state
 * of a key is read again every few seconds, once for all streams of a key and a server in this isolate.
 */
import type { Refusal } from "../domain/refusals.ts";
import type { Result } from "../domain/result.ts";

/** A database that can't be asked says nothing against a key. */
const ending: ReadonlySet<Refusal["reason"]> = new Set(["unauthorized", "forbidden", "not_found"]);

/**
 * Whether a key has ended. To be asked once a second: with the age of what is remembered of a key (`watchMs`),
 * and the time of one read, its streams end within 5 s.
 *
 * @param current the caller as of now, some seconds old at most
 */
export async function keyEnded(current: () => Promise<Result<unknown, Refusal>>): Promise<boolean> {
  const found = await current();
  return !found.ok && ending.has(found.error.reason);
}
