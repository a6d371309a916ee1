/** What a call may use at most, against which limits, for how long. */
import type { Opening } from "../domain/audit.ts";
import { inputTokensFor, mostInputTokens } from "../domain/estimate.ts";
import { maxAttempts } from "../domain/failover.ts";
import { ceilingOf, holdsOf, smallestBudget, type Ceiling, type Hold } from "../domain/limits.ts";
import { nameOf } from "../domain/models.ts";
import { defaultDeadlineMs } from "../domain/policy.ts";
import type { Admission, Ledger } from "../domain/ledger.ts";
import { heldUntil, keyOf, type Once } from "../domain/once.ts";
import type { Answer } from "../domain/ports.ts";
import type { Choice, Plan } from "../domain/selection.ts";
import { tokenFamilyOf } from "../domain/tokens.ts";
import type { Caller } from "./authenticate.ts";
import { costingOf, type Costing } from "./headroom.ts";
import { scopesOf, type AskingServer } from "./scopes.ts";

/** A lease outlives the longest call: its deadline, then settlement with its retries. */
const leaseSlackMs = 30_000;

/** One provider call that may be made, and what it may cost. */
export interface Step extends Costing {
  model: Choice["model"];
  credentialId: string;
}

export interface Reserved {
  /** the walk of failover: nothing else may be called. Never empty. */
  steps: Step[];
  holds: Hold[];
  /** of the largest attempt */
  tokens: number;
  /** of all attempts, since each may be billed; null: one of them has no known price */
  microUsd: number | null;
  deadlineMs: number;
}

const sumOf = (steps: readonly Step[]): number | null =>
  steps.reduce<number | null>(
    (sum, { microUsd }) => (sum === null || microUsd === null ? null : sum + microUsd),
    0,
  );

function stepsOf(plan: Plan, most: number, ceiling: Ceiling): Step[] {
  const needs = plan.requirements;
  const steps: Step[] = [];
  for (const { model, credentialIds } of plan.choices) {
    if (steps.length >= most) break;
    const inputTokens = mostInputTokens(inputTokensFor(needs, tokenFamilyOf(model)));
    const costing = costingOf(model, { ...needs, inputTokens }, ceiling);
    for (const credentialId of credentialIds) steps.push({ model, credentialId, ...costing });
  }
  return steps.slice(0, most);
}

export function reservationOf(input: {
  plan: Plan;
  caller: Caller;
  server: AskingServer | null;
  now: number;
}): Reserved {
  const { plan, caller, server, now } = input;
  const { tenant } = caller.snapshot;
  const scopes = scopesOf(caller.snapshot, server);
  const steps = stepsOf(plan, tenant.policy.maxAttempts ?? maxAttempts, ceilingOf(scopes));
  const budget = smallestBudget(scopes) ?? Number.POSITIVE_INFINITY;
  // Failover is given up before a small budget would be locked out by what it might cost.
  for (let sum = sumOf(steps); steps.length > 1 && (sum ?? 0) > budget; sum = sumOf(steps))
    steps.pop();
  const tokens = Math.max(...steps.map((step) => step.tokens));
  const microUsd = sumOf(steps);
  return {
    steps,
    tokens,
    microUsd,
    holds: holdsOf({ now, scopes, tokens, microUsd: microUsd ?? 0 }),
    deadlineMs: tenant.policy.deadlineMs ?? defaultDeadlineMs,
  };
}

/** The step that an attempt was; undefined: none that was reserved. */
export const stepFor = (
  { steps }: Reserved,
  { provider, model }: { provider: string; model: string },
): Step | undefined => {
  const name = nameOf({ provider, id: model });
  return steps.find((step) => nameOf(step.model) === name);
};

/** What attempts cost for which nobody knows whether they were billed. */
export const reservedFor = (
  reserved: Reserved,
  attempt: { provider: string; model: string },
): { tokens: number; microUsd: number | null } =>
  stepFor(reserved, attempt) ?? { tokens: reserved.tokens, microUsd: reserved.microUsd };

export const createAdmit =
  (deps: { ledger: Ledger; sessionTtlMs: number }) =>
  (input: {
    plan: Plan;
    reserved: Reserved;
    caller: Caller;
    opening: Opening;
    once: Once | null;
    now: number;
  }): Answer<Admission> => {
    const { plan, reserved, caller, opening, once, now } = input;
    const leaseUntil = now + reserved.deadlineMs + leaseSlackMs;
    return deps.ledger.admit({
      opening,
      decision: plan.decision,
      tenantVersion: caller.snapshot.tenant.version,
      holds: reserved.holds,
      reservedTokens: reserved.tokens,
      reservedMicroUsd: reserved.microUsd,
      now,
      leaseUntil,
      sessionExpiresAt: caller.session === null ? null : now + deps.sessionTtlMs,
      idempotency:
        once === null
          ? null
          : {
              key: keyOf(once, opening.contentSha256),
              expiresAt: heldUntil(once, { now, leaseUntil }),
            },
    });
  };
