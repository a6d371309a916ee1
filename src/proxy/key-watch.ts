/**
 * A stream ends soon after its caller's key does: the key was checked when the stream began, and the stream may
 * be open for days. The state of a key is read again every few seconds, once for all streams of a key and a
 * server in this isolate.
 */
import type { Refusal } from "../domain/refusals.ts";
import type { Result } from "../domain/result.ts";

/** Reasons that end a stream. A database out of reach is no reason against a key. */
const ending: ReadonlySet<Refusal["reason"]> = new Set(["unauthorized", "forbidden", "not_found"]);

/**
 * Whether a key has ended. Asked once a second: together with the age of a remembered snapshot (`watchMs`) and
 * the time of one read, a key's streams end within 5 s.
 *
 * @param current the caller as the router knows it now, some seconds old at most
 */
export async function keyEnded(current: () => Promise<Result<unknown, Refusal>>): Promise<boolean> {
  const found = await current();
  return !found.ok && ending.has(found.error.reason);
}
