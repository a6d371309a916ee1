/** Writes how a call ended. Runs on every branch after admission, and counts once. */
import type { Attempt } from "../domain/attempts.ts";
import { keptOf, storedAs, type ProviderMessage } from "../domain/capture.ts";
import type { Ending, Settlement, Timing } from "../domain/audit.ts";
import { countsAgainst, type HealthChange } from "../domain/health.ts";
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
  /** what is kept of failed attempts, sealed beside the content */
  messages: readonly ProviderMessage[];
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

/** What the attempts say of their providers. */
function healthOf(attempts: readonly Attempt[], usage: Usage | null, at: number): HealthChange[] {
  return attempts.flatMap((attempt): HealthChange[] => {
    const { credentialId, provider, model, fault, latencyMs, retryAfterMs } = attempt;
    const its = { credentialId, model: nameOf({ provider, id: model }) };
    if (fault === null) {
      const outputTokens = usage?.outputTokens ?? 0;
      const sample = outputTokens === 0 ? null : { at, ms: latencyMs, outputTokens };
      return [{ ...its, sample, fault: null }];
    }
    return countsAgainst(fault)
      ? [{ ...its, sample: null, fault: { kind: fault, retryAfterMs } }]
      : [];
  });
}

/** Credentials that their provider doesn't know: nothing but a new key will help. */
const failingOf = (attempts: readonly Attempt[]): string[] => [
  ...new Set(
    attempts
      .filter(({ fault, status }) => fault === "auth" && status === 401)
      .map(({ credentialId }) => credentialId),
  ),
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
    const kept = keptOf(ended.content, ended.messages);
    const place = { purpose: "capture", tenantId, provider: "", id } as const;
    const captured = kept === null ? null : storedAs(await vault.seal(kept, place), ended.content);
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
