import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Settlement } from "../../../domain/audit/record.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";

export type EndCall = (settlement: Settlement) => AsyncResult<boolean>;

/** `true` if this ended the call. Replaces the sweep's `unknown` and its charge, with an event. */
export const createEndCall =
  ({
    ledger,
    ids,
    ended = () => {},
  }: {
    ledger: Ledger;
    ids: Ids;
    ended?: (tenantId: string) => void;
  }): EndCall =>
  async (settlement) => {
    const settled = await ledger.settle(settlement);
    if (settled.ok) ended(settlement.tenantId);
    if (!settled.ok || settled.value) return settled;
    const { id, tenantId, now: at, outcome, usage, costMicroUsd } = settlement;
    return ledger.settleSwept(settlement, {
      id: ids.next("event"),
      at,
      actor: "router",
      action: "request.settled_late",
      tenantId,
      target: id,
      detail: {
        after: {
          outcome,
          inputTokens: usage?.inputTokens ?? null,
          outputTokens: usage?.outputTokens ?? null,
          costMicroUsd,
        },
      },
    });
  };

export const uncalled = {
  receipt: null,
  attempts: [],
  usage: null,
  costMicroUsd: 0,
  chargedTokens: 0,
  chargedMicroUsd: 0,
  model: null,
  health: [],
  circuits: [],
  failing: [],
  captured: null,
} satisfies Partial<Settlement>;
