/** What repetitions of a streamed call are answered. */
import type { Refusal } from "../../../domain/refusals.ts";
import { err, type Result } from "../../../domain/result.ts";

/** Of the JSON. A longer answer would take several rows. */
const maxCharacters = 1_000_000;

/** A stream that broke is never repeated as one that was complete, and neither is a long one. */
export function keptOfStream<T>(recorded: Result<T, Refusal>, id: string): Result<T, Refusal> {
  const isKept = recorded.ok && JSON.stringify(recorded.value).length <= maxCharacters;
  return isKept ? recorded : err({ reason: "idempotency_conflict", first: id });
}
