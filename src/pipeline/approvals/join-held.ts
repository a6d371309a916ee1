/** Finds the pending call of a legacy server that retries after it was asked to come back. */
import type { FirstCall } from "../../domain/ports/ledger.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Idempotency } from "../sampling/request/idempotency.ts";
import { idempotentCallOf, returningCallOf } from "../sampling/request/idempotent-call.ts";
import type { Arrived } from "../sampling/states/states.ts";

/** Hash of the server's own name for a call, if it has one. */
export const joinsIn = ({ replayKey }: Pick<Arrived, "replayKey">): string | null =>
  replayKey?.kind === "stream" ? (replayKey.joins ?? null) : null;

export async function joinHeld(
  idempotency: Pick<Idempotency<unknown>, "addKey" | "find" | "moveKey">,
  call: Pick<Arrived, "request" | "replayKey">,
): AsyncResult<FirstCall | null> {
  const own = idempotentCallOf(call);
  const returning = returningCallOf(call);
  if (own === null || returning === null) return ok(null);
  const joins = joinsIn(call);
  if (joins === null) return idempotency.moveKey(returning, own.key);
  const named = { ...own, key: joins };
  const found = await idempotency.find(named);
  if (!found.ok) return found;
  if (found.value === null) return idempotency.moveKey(returning, own.key);
  // Rejects other content under the same name.
  if (found.value.contentSha256 !== call.request.content.sha256) return found;
  const added = await idempotency.addKey(named, own.key);
  return added.ok ? ok(found.value) : added;
}
