import type { IdempotentCall } from "../../../domain/ports/ledger.ts";
import { keyOf, returningKey, type ReplayKey } from "../../../domain/sampling/replay-key.ts";
import type { SamplingRequest } from "./sampling-request.ts";

interface Repeatable {
  request: SamplingRequest;
  replayKey: ReplayKey | null;
}

export function idempotentCallOf(call: Repeatable & { replayKey: ReplayKey }): IdempotentCall;
export function idempotentCallOf(call: Repeatable): IdempotentCall | null;
export function idempotentCallOf({ request, replayKey }: Repeatable): IdempotentCall | null {
  const { caller, server, content } = request;
  return replayKey === null
    ? null
    : {
        tenantId: caller.snapshot.tenant.id,
        keyId: caller.snapshot.key.id,
        serverId: server?.id ?? null,
        key: keyOf(replayKey, content.sha256),
      };
}

/** The identity of a returning server's request; `null` if it has its own key. */
export function returningCallOf(call: Repeatable): IdempotentCall | null {
  const { replayKey, request } = call;
  const own = idempotentCallOf(call);
  return own === null || replayKey?.kind !== "stream"
    ? null
    : { ...own, key: returningKey(replayKey.scope, request.content.sha256) };
}
