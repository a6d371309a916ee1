import type { IdempotentCall } from "../../../domain/ports/ledger.ts";
import { keyOf, returningKey, type ReplayKey } from "../../../domain/sampling/replay-key.ts";
import type { SamplingRequest } from "./sampling-request.ts";

export const idempotentCallOf = (
  request: SamplingRequest,
  replayKey: ReplayKey | null = request.replayKey,
): IdempotentCall | null => {
  const { caller, server, content } = request;
  return replayKey === null
    ? null
    : {
        tenantId: caller.snapshot.tenant.id,
        keyId: caller.snapshot.key.id,
        serverId: server?.id ?? null,
        key: keyOf(replayKey, content.sha256),
      };
};

/** The identity of a returning server's request; `null` if it has its own key. */
export function returningCallOf(request: SamplingRequest): IdempotentCall | null {
  const { replayKey, content } = request;
  const call = idempotentCallOf(request);
  return call === null || replayKey?.kind !== "stream"
    ? null
    : { ...call, key: returningKey(replayKey.scope, content.sha256) };
}
