/** Writes how a call ended. It runs on every branch after admission, and counts once. */
import type { Attempt, RefusedKey } from "../../../domain/attempts.ts";
import type { CircuitChange } from "../../../domain/choice/circuits.ts";
import { keptOf, storedAs, type ProviderMessage } from "../../../domain/audit/capture.ts";
import type { Ending, Receipt, Settlement, Timing } from "../../../domain/audit/record.ts";
import type { HealthChange } from "../../../domain/choice/health.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import { nameOf } from "../../../domain/models/model.ts";
import type { Vault } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { costMicroUsd, usageTogether } from "../../../domain/models/cost.ts";
import { type Usage } from "../../../domain/usage.ts";
import { reservedFor, stepFor, type Reserved } from "../admission/admit.ts";
import type { EndCall } from "./end-call.ts";

export interface Ended {
  id: string;
  tenantId: string;
  receipt: Receipt;
  reserved: Reserved;
  circuits: CircuitChange[];
  refusedKeys: RefusedKey[];
  refusal: Refusal | null;
  model: string | null;
  charge: Charge;
  /** class of the output size that was asked for */
  size: number;
  /** the answer for repetitions of the call */
  result: Settlement["result"];
  timing: Timing;
  totalMs: number;
  /** content that the policy captures; null: none */
  content: string | null;
  /** providers' messages about failed attempts, sealed beside the content */
  messages: readonly ProviderMessage[];
}

/** ms before the second try of a settlement. Each pause is twice the one before. */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** ms of pauses after which the sweep's end stands. A process that lives gets through an outage of an hour. */
const givenUpAfterMs = 3_600_000;

export const outcomeOf = (refusal: Refusal | null): Ending["outcome"] => {
  if (refusal === null) return "succeeded";
  return refusal.reason === "cancelled" ? "cancelled" : "failed";
};

/** What a call cost. Its answer, log line, record, usage and spans all tell this figure. */
export interface Charge {
  /** tokens that limits are charged */
  tokens: number;
  /** all attempts together; null: one of them has no known price */
  microUsd: number | null;
  /** what the attempts used together; null: no attempt's usage is known */
  usage: Usage | null;
  /** attempts, each with what it cost */
  attempts: Attempt[];
}

/** What one attempt is charged: its usage, or its reservation where the usage is unknown. */
function costOf(attempt: Attempt, reserved: Reserved): Pick<Charge, "tokens" | "microUsd"> {
  const { billed, usage } = attempt;
  if (billed === "no") return { tokens: 0, microUsd: 0 };
  const held = reservedFor(reserved, attempt);
  if (usage === undefined || usage.implausible === true)
    return { tokens: held.tokens, microUsd: held.microUsd };
  const step = stepFor(reserved, attempt);
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    // A usage that can't be priced is charged as reserved: nothing that was used is free.
    microUsd: (step === undefined ? null : costMicroUsd(step.model, usage)) ?? held.microUsd,
  };
}

/** What a call is charged of which nobody knows what it used. */
export const chargeAsReserved = ({ tokens, microUsd }: Reserved): Charge => ({
  tokens,
  microUsd,
  usage: null,
  attempts: [],
});

/** What a call is charged: the sum over its attempts. */
export function chargeOf(attempts: readonly Attempt[], reserved: Reserved): Charge {
  const costs = attempts.map((attempt) => costOf(attempt, reserved));
  const microUsd = costs.reduce<number | null>(
    (sum, cost) => (sum === null || cost.microUsd === null ? null : sum + cost.microUsd),
    0,
  );
  return {
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    microUsd,
    usage: usageTogether(attempts.flatMap(({ usage }) => usage ?? [])),
    attempts: attempts.map((attempt, at) => ({
      ...attempt,
      costMicroUsd: costs[at]?.microUsd ?? null,
    })),
  };
}

/** The speed of the attempt that answered. Figures that were not believed say nothing about speed. */
const healthOf = (
  attempts: readonly Attempt[],
  { at, size }: Pick<HealthChange["sample"], "at" | "size">,
): HealthChange[] =>
  attempts.flatMap(({ credentialId, provider, model, fault, latencyMs, usage }): HealthChange[] => {
    const outputTokens = usage?.implausible === true ? 0 : (usage?.outputTokens ?? 0);
    if (fault !== null || outputTokens === 0) return [];
    const sample = { at, ms: latencyMs, outputTokens, ...(size !== undefined && { size }) };
    return [{ credentialId, model: nameOf({ provider, id: model }), sample }];
  });

const settlementOf = (
  { ids, now }: { ids: Ids; now: () => number },
  { ended, captured }: { ended: Ended; captured: string | null },
): Settlement => {
  const { id, tenantId, reserved, charge, refusal, timing, totalMs } = ended;
  const { attempts } = charge;
  return {
    id,
    tenantId,
    now: now(),
    receipt: ended.receipt,
    holds: reserved.holds,
    outcome: outcomeOf(refusal),
    reason: refusal?.reason ?? null,
    reasonDetail: null,
    attempts,
    usage: charge.usage,
    model: ended.model,
    costMicroUsd: charge.microUsd,
    chargedTokens: charge.tokens,
    chargedMicroUsd: charge.microUsd ?? reserved.microUsd ?? 0,
    result: ended.result,
    timing,
    health: healthOf(attempts, { at: now(), size: ended.size }),
    circuits: ended.circuits,
    probed: reserved.probes.length > 0,
    failing: ended.refusedKeys.map((refused) => ({
      ...refused,
      event: {
        id: ids.next("event"),
        at: now(),
        actor: "router",
        action: "credential.failing",
        tenantId,
        target: refused.credentialId,
        detail: { requestId: id },
      },
    })),
    totalMs,
    overheadMs: Math.max(0, totalMs - timing.provider),
    captured,
  };
};

/** A call's end as the ledger takes it, with what is kept of it sealed. */
export const createSettlement =
  (deps: { vault: Vault; ids: Ids; now: () => number }) =>
  async (ended: Ended): Promise<Settlement> => {
    const { id, tenantId } = ended;
    const kept = keptOf(ended.content, ended.messages);
    const place = { purpose: "capture", tenantId, provider: "", id, destination: "" } as const;
    const captured =
      kept === null ? null : storedAs(await deps.vault.seal(kept, place), ended.content);
    return settlementOf(deps, { ended, captured });
  };

export function createSettle(deps: {
  endCall: EndCall;
  vault: Vault;
  ids: Ids;
  now: () => number;
  wait: (ms: number) => Promise<void>;
  log: (entry: Record<string, unknown>) => void;
}) {
  const { endCall, now, wait, log } = deps;
  const settlementFor = createSettlement(deps);
  /**
   * Tries until the database takes the settlement, or the host ends. A late settlement replaces the
   * sweep's `unknown`.
   */
  return async (ended: Ended): AsyncResult<boolean> => {
    const { id } = ended;
    const settlement = await settlementFor(ended);
    let [pauseMs, pausedMs] = [firstPauseMs, 0];
    for (;;) {
      const settled = await endCall({ ...settlement, now: now() });
      if (settled.ok) return settled;
      const { error } = settled;
      if (error.reason === "unavailable" && error.cause === "replaced") {
        // No later try can succeed before a restart.
        log({ event: "unrecorded", requestId: id, fault: "replaced" });
        return settled;
      }
      if (pausedMs >= givenUpAfterMs) {
        log({ event: "unsettled", requestId: id });
        return settled;
      }
      await wait(pauseMs);
      pausedMs += pauseMs;
      pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
    }
  };
}

export type Settle = ReturnType<typeof createSettle>;
