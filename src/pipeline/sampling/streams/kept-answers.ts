/** Streamed answers that repetitions get, and that can wait for approval. */
import type { Refusal } from "../../../domain/refusals.ts";
import { err } from "../../../domain/result.ts";
import type { Recorded } from "../request/idempotency.ts";

/** Of the JSON. A longer answer would take several rows. */
export const maxKeptCharacters = 1_000_000;

export const canKeep = ({ value }: Recorded<unknown> & { ok: true }): boolean =>
  value.answer.isOversized !== true && JSON.stringify(value).length <= maxKeptCharacters;

/** Streams that failed or were too long are never repeated as complete. */
export function keptOfStream<D>(recorded: Recorded<D>, id: string): Recorded<D> {
  const conflict: Refusal = { reason: "idempotency_conflict", first: id };
  return recorded.ok && canKeep(recorded) ? recorded : err(conflict);
}
