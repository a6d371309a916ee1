/** Writes how a call ended. Runs on every branch after admission, and counts once. */
import { isKeyRefused, type Attempt } from "../domain/attempts.ts";
import type { CircuitChange } from "../domain/circuits.ts";
import type { Ending, Settlement, Timing } from "../domain/audit.ts";
import type { HealthChange } from "../domain/health.ts";
import type { Ids } from "../domain/ids.ts";
import { nameOf } from "../domain/models.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Answer, Vault } from "../domain/ports.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Usage } from "../domain/usage.ts";
import { reservedFor, type Reserved } from "./admit.ts";

export interface Ended {
  id: string;
  tenantId: string;
  reserved: Reserved;
  attempts: Attempt[];
  circuits: CircuitChange[];
  refusal: Refusal | null;
  model: string | null;
  usage: Usage | null;
  charge: Charge;
  /** what a repetition of the call is answered */
  result: Settlement["result"];
  timing: Timing;
  totalMs: number;
  /** what is kept when the policy captures; null: nothing */
  content: string | null;
}

/** Tries of one settlement. After that the lease runs out and the sweep charges what was reserved. */
const tries = 4;
const waitMs = 250;

export const outcomeOf = (refusal: Refusal | null): Ending["outcome"] => {
  if (refusal === null) return "succeeded";
  return refusal.reason === "cancelled" ? "cancelled" : "failed";
};

export interface Charge {
  tokens: number;
  /** null: no known price */
  microUsd: number | null;
}

/** What a call is charged: what was used, and the reservation of each attempt nobody can be sure of. */
export function chargeOf(input: {
  attempts: readonly Attempt[];
  usage: Usage | null;
  costMicroUsd: number | null;
  reserved: Reserved;
}): Charge {
  const { attempts, usage, costMicroUsd, reserved } = input;
  const charges: Charge[] = attempts
    .filter(({ billed }) => billed === "maybe")
    .map((attempt) => reservedFor(reserved, attempt));
  const answered = attempts.find(({ fault }) => fault === null);
  if (usage !== null && answered !== undefined)
    charges.push({
      tokens: usage.inputTokens + usage.outputTokens,
      // Nothing that was used is free, also where its usage can't be priced.
      microUsd: costMicroUsd ?? reservedFor(reserved, answered).microUsd,
    });
  return charges.reduce(
    (sum, { tokens, microUsd }) => ({
      tokens: sum.tokens + tokens,
      microUsd: sum.microUsd === null || microUsd === null ? null : sum.microUsd + microUsd,
    }),
    { tokens: 0, microUsd: 0 },
  );
}

/** How fast the one that answered was. */
function healthOf(attempts: readonly Attempt[], usage: Usage | null, at: number): HealthChange[] {
  const outputTokens = usage?.outputTokens ?? 0;
  return attempts.flatMap(({ credentialId, provider, model, fault, latencyMs }): HealthChange[] => {
    if (fault !== null || outputTokens === 0) return [];
    const sample = { at, ms: latencyMs, outputTokens };
    return [{ credentialId, model: nameOf({ provider, id: model }), sample }];
  });
}

/** Credentials that their provider doesn't know: nothing but a new key will help. */
const failingOf = (attempts: readonly Attempt[]): string[] => [
  ...new Set(attempts.filter(isKeyRefused).map(({ credentialId }) => credentialId)),
];

export function createSettle(deps: {
  ledger: Ledger;
  vault: Vault;
  ids: Ids;
  now: () => number;
  wait: (ms: number) => Promise<void>;
}) {
  const { ledger, vault, ids, now, wait } = deps;
  return async (ended: Ended): Answer<boolean> => {
    const { id, tenantId, reserved, attempts, refusal, timing, totalMs } = ended;
    const { charge } = ended;
    const captured =
      ended.content === null
        ? null
        : await vault.seal(ended.content, { purpose: "capture", tenantId, provider: "", id });
    for (let count = 1; ; count += 1) {
      const settled = await ledger.settle({
        id,
        tenantId,
        now: now(),
        holds: reserved.holds,
        outcome: outcomeOf(refusal),
        reason: refusal?.reason ?? null,
        reasonDetail: null,
        attempts,
        usage: ended.usage,
        model: ended.model,
        costMicroUsd: charge.microUsd,
        chargedTokens: charge.tokens,
        chargedMicroUsd: charge.microUsd ?? reserved.microUsd ?? 0,
        result: ended.result,
        timing,
        health: healthOf(attempts, ended.usage, now()),
        circuits: ended.circuits,
        probed: reserved.probes.length > 0,
        failing: failingOf(attempts).map((credentialId) => ({
          credentialId,
          event: {
            id: ids.next("event"),
            at: now(),
            actor: "router",
            action: "credential.failing",
            tenantId,
            target: credentialId,
            detail: { requestId: id },
          },
        })),
        totalMs,
        overheadMs: Math.max(0, totalMs - timing.provider),
        captured,
      });
      if (settled.ok || count === tries) return settled;
      await wait(waitMs * count);
    }
  };
}

export type Settle = ReturnType<typeof createSettle>;
