/** The held call that a legacy server means, after it was told to come again. */
import type { FirstCall, IdempotentCall } from "../../domain/ports/ledger.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Idempotency } from "../sampling/request/idempotency.ts";
import type { SamplingRequest } from "../sampling/request/sampling-request.ts";

/** The key by which the server names a call, hashed; null: it names none. */
export const joinsIn = ({ replayKey }: Pick<SamplingRequest, "replayKey">): string | null =>
  replayKey?.kind === "stream" ? (replayKey.joins ?? null) : null;

/** null: there is none. Else the request's own key is the call's from now on. */
export async function joinHeld(
  idempotency: Pick<Idempotency<unknown>, "addKey" | "find" | "moveKey">,
  calls: {
    request: Pick<SamplingRequest, "replayKey" | "content">;
    own: IdempotentCall;
    returning: IdempotentCall;
  },
): AsyncResult<FirstCall | null> {
  const { request, own, returning } = calls;
  const joins = joinsIn(request);
  if (joins === null) return idempotency.moveKey(returning, own.key);
  const named = { ...own, key: joins };
  const found = await idempotency.find(named);
  if (!found.ok) return found;
  if (found.value === null) return idempotency.moveKey(returning, own.key);
  // Whoever names it for other content is refused, and leaves nothing behind.
  if (found.value.contentSha256 !== request.content.sha256) return found;
  const added = await idempotency.addKey(named, own.key);
  return added.ok ? ok(found.value) : added;
}
