/** Settles a call, exactly once, on every path after admission. */
import type { Attempt, RefusedKey } from "../../../domain/attempts.ts";
import type { CircuitChange } from "../../../domain/choice/circuits.ts";
import { keptOf, storedAs, type ProviderMessage } from "../../../domain/audit/capture.ts";
import type { Ending, Receipt, Settlement, Timing } from "../../../domain/audit/record.ts";
import type { HealthChange } from "../../../domain/choice/health.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import { nameOf } from "../../../domain/models/model.ts";
import type { Vault } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { costMicroUsd, combinedUsage } from "../../../domain/models/cost.ts";
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
  size: number;
  result: Settlement["result"];
  timing: Timing;
  totalMs: number;
  content: string | null;
  messages: readonly ProviderMessage[];
}

/** ms before the first retry; doubled each time. */
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** ms of retries, enough for an hour's outage; then the sweep's end is final. */
const givenUpAfterMs = 3_600_000;

export const outcomeOf = (refusal: Refusal | null): Ending["outcome"] => {
  if (refusal === null) return "succeeded";
  return refusal.reason === "cancelled" ? "cancelled" : "failed";
};

/** The figures that answer, log, record, usage, and spans share. */
export interface Charge {
  tokens: number;
  /** sum of all attempts; `null` without a known price */
  microUsd: number | null;
  usage: Usage | null;
  attempts: Attempt[];
}

/** Reported usage, or the reservation if unknown. */
function costOf(attempt: Attempt, reserved: Reserved): Pick<Charge, "tokens" | "microUsd"> {
  const { billed, usage } = attempt;
  if (billed === "no") return { tokens: 0, microUsd: 0 };
  const held = reservedFor(reserved, attempt);
  if (usage === undefined || usage.implausible === true)
    return { tokens: held.tokens, microUsd: held.microUsd };
  const step = stepFor(reserved, attempt);
  return {
    tokens: usage.inputTokens + usage.outputTokens,
    // Usage without a price is charged as reserved.
    microUsd: (step === undefined ? null : costMicroUsd(step.model, usage)) ?? held.microUsd,
  };
}

export const chargeAsReserved = ({ tokens, microUsd }: Reserved): Charge => ({
  tokens,
  microUsd,
  usage: null,
  attempts: [],
});

export function chargeOf(attempts: readonly Attempt[], reserved: Reserved): Charge {
  const costs = attempts.map((attempt) => costOf(attempt, reserved));
  const microUsd = costs.reduce<number | null>(
    (sum, cost) => (sum === null || cost.microUsd === null ? null : sum + cost.microUsd),
    0,
  );
  return {
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    microUsd,
    usage: combinedUsage(attempts.flatMap(({ usage }) => usage ?? [])),
    attempts: attempts.map((attempt, at) => ({
      ...attempt,
      costMicroUsd: costs[at]?.microUsd ?? null,
    })),
  };
}

/** Implausible figures give no speed. */
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
    limitChecks: reserved.limitChecks,
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
  return async (ended: Ended): AsyncResult<boolean> => {
    const { id } = ended;
    const settlement = await settlementFor(ended);
    let [pauseMs, pausedMs] = [firstPauseMs, 0];
    for (;;) {
      const settled = await endCall({ ...settlement, now: now() });
      if (settled.ok) return settled;
      const { error } = settled;
      if (error.reason === "unavailable" && error.cause === "replaced") {
        // No retry can succeed before a restart.
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

/** ms that an answer waits for its settlement at most. */
const settlementWaitMs = 1_000;

/** The answer has been paid for, and its record exists. So the answer waits for no database that is away. */
export const settlingSoon =
  (deps: {
    settle: Settle;
    background: (work: Promise<unknown>) => void;
    after: (ms: number, act: () => void) => () => void;
  }) =>
  async (ended: Ended): Promise<void> => {
    const settling = deps.settle(ended);
    deps.background(settling);
    let stop = (): void => {};
    const late = new Promise<void>((resolve) => (stop = deps.after(settlementWaitMs, resolve)));
    await Promise.race([settling, late]).finally(() => stop());
  };
