/** From a plan to an admission: what is reserved, against which limits, for how long. */
import type { Opening } from "../domain/audit.ts";
import { inputTokensFor, mostInputTokens } from "../domain/estimate.ts";
import { maxAttempts } from "../domain/failover.ts";
import { holdsOf, type Hold } from "../domain/limits.ts";
import { defaultDeadlineMs } from "../domain/policy.ts";
import type { Admission, Answer, Ledger } from "../domain/ports.ts";
import type { Plan } from "../domain/selection.ts";
import { tokenFamilyOf } from "../domain/tokens.ts";
import { costMicroUsd, expectedUsage } from "../domain/usage.ts";
import type { Caller } from "./authenticate.ts";

/** A lease outlives the longest call: its deadline, then settlement with its retries. */
const leaseSlackMs = 30_000;

export interface Reserved {
  holds: Hold[];
  tokens: number;
  microUsd: number | null;
  deadlineMs: number;
}

export function reservationOf(plan: Plan, caller: Caller, now: number): Reserved {
  const { key, tenant } = caller.snapshot;
  const needs = plan.requirements;
  const attempts = plan.choices.slice(0, maxAttempts).map(({ model }) => {
    const inputTokens = mostInputTokens(inputTokensFor(needs, tokenFamilyOf(model)));
    return { model, usage: expectedUsage(model, { ...needs, inputTokens }) };
  });
  const tokens = Math.max(...attempts.map(({ usage }) => usage.inputTokens + usage.outputTokens));
  const costs = attempts.map(({ model, usage }) => costMicroUsd(model, usage));
  return {
    tokens,
    holds: holdsOf({
      now,
      tokens,
      scopes: [
        { scope: "tenant", subject: tenant.id, limits: tenant.policy.limits ?? {} },
        { scope: "key", subject: key.id, limits: key.limits },
      ],
    }),
    // The dearest attempt: what a call is charged when nobody can say any more which one it was.
    microUsd: costs.reduce<number | null>(
      (most, cost) => (cost === null ? most : Math.max(most ?? 0, cost)),
      null,
    ),
    deadlineMs: tenant.policy.deadlineMs ?? defaultDeadlineMs,
  };
}

export const createAdmit =
  (deps: { ledger: Ledger; sessionTtlMs: number }) =>
  (
    plan: Plan,
    reserved: Reserved,
    caller: Caller,
    opening: Opening,
    now: number,
  ): Answer<Admission> =>
    deps.ledger.admit({
      opening,
      decision: plan.decision,
      tenantVersion: caller.snapshot.tenant.version,
      holds: reserved.holds,
      reservedTokens: reserved.tokens,
      reservedMicroUsd: reserved.microUsd,
      now,
      leaseUntil: now + reserved.deadlineMs + leaseSlackMs,
      sessionExpiresAt: caller.session === null ? null : now + deps.sessionTtlMs,
    });
