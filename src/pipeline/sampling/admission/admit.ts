import type { AsyncResult } from "../../../domain/refusals.ts";
import { circuitReaches } from "../../../domain/attempts.ts";
import type { Opening } from "../../../domain/audit/record.ts";
import type { Choice } from "../../../domain/choice/choices.ts";
import { scopeOf } from "../../../domain/choice/circuits.ts";
import { endpointOf } from "../../../domain/choice/endpoints.ts";
import type { Requirements } from "../../../domain/requirements.ts";
import { rulesOf, wireAt, wireOf } from "../../../domain/wires/rules.ts";
import { speaks } from "../../../domain/wires/spoken.ts";
import { inputTokensFor, maxInputTokens } from "../../../domain/sampling/estimate.ts";
import {
  firstStepsOf,
  maxAttempts,
  reachable,
  type FailoverTarget,
} from "../../../domain/choice/failover.ts";
import {
  callBoundsOf,
  limitChecksOf,
  type LimitCheck,
} from "../../../domain/limits/limit-checks.ts";
import { nameOf, type CredentialSummary } from "../../../domain/models/model.ts";
import { leaseMsFor } from "../../../domain/leases.ts";
import {
  defaultDeadlineMs,
  defaultEndpointDeadlineMs,
  type CallBounds,
} from "../../../domain/choice/policy.ts";
import type { Admission, CircuitProbe, Claim, Ledger } from "../../../domain/ports/ledger.ts";
import { heldUntil, keyOf, type ReplayKey } from "../../../domain/sampling/replay-key.ts";
import { decidedResultTtlMs, type NewApproval } from "../../../domain/sampling/approval.ts";
import type { Snapshot } from "../../../domain/ports/stores.ts";
import type { Decision } from "../../../domain/choice/decision.ts";
import type { Plan } from "../../../domain/choice/selection.ts";
import { tokenFamilyOf } from "../../../domain/tokens/tokenizers.ts";
import type { Caller } from "../../callers/authenticate.ts";
import { attemptsToReserve, mostExpensiveOf, type Priced } from "./attempts-to-reserve.ts";
import { costingOf, type Costing } from "./headroom.ts";
import { scopesFor, type Charged } from "../../callers/scopes.ts";
import { calendarOf } from "../../callers/time-zones.ts";

export interface ReservedAttempt extends Costing, Priced {
  model: Choice["model"];
  credentialId: string;
  endpoint: string;
}

export interface Reserved {
  /** failover candidates, best first; never empty */
  steps: ReservedAttempt[];
  maxAttempts: number;
  /** half-open circuits of the first candidate, which this call would probe */
  probes: CircuitProbe[];
  /** half-open circuits of other candidates; those candidates are tried last */
  unprobedCircuits: string[];
  limitChecks: LimitCheck[];
  tokens: number;
  /** sum of the most expensive attempts, since each may be billed; `null` without a known price */
  microUsd: number | null;
  deadlineMs: number;
}

const contextTokensIfUnknown = 200_000;

export const targetOf = ({
  model,
  credentialId,
  endpoint,
  isReservedTwice,
}: Pick<
  ReservedAttempt,
  "model" | "credentialId" | "endpoint" | "isReservedTwice"
>): FailoverTarget => ({
  model: nameOf(model),
  credentialId,
  endpoint,
  wire: wireAt(model, endpoint),
  contextTokens: model.contextTokens,
  ...(isReservedTwice === true && { isReservedTwice }),
});

/**
 * A request that passes unchanged has one token limit for reasoning and text. Input that can't be measured is
 * assumed to fill the context.
 */
function requirementsFor(model: Choice["model"], needs: Requirements): Requirements {
  const { endpoint, passing } = needs;
  const input = maxInputTokens(inputTokensFor(needs, tokenFamilyOf(model)));
  if (endpoint === undefined || !speaks(model, endpoint)) return { ...needs, inputTokens: input };
  const rest = (model.contextTokens ?? contextTokensIfUnknown) - needs.maxTokens;
  const unmeasured = Math.min(passing?.unmeasuredTokens ?? 0, Math.max(0, rest - input));
  const reasoning = { ...needs.reasoning, roomless: true, shrinks: true } as const;
  return { ...needs, reasoning, inputTokens: input + unmeasured };
}

function stepsOf(
  plan: Plan,
  {
    credentials,
    max,
    bounds,
  }: { credentials: readonly CredentialSummary[]; max: number; bounds: CallBounds },
): ReservedAttempt[] {
  const needs = plan.requirements;
  const endpoints = new Map(credentials.map((each) => [each.id, endpointOf(each)]));
  const steps = plan.choices.flatMap(({ model, credentialIds }): ReservedAttempt[] => {
    const costing = costingOf(model, requirementsFor(model, needs), bounds);
    const reservedTwice =
      needs.tools && rulesOf[wireOf(model)].refusesOwnToolUse
        ? { isReservedTwice: true as const }
        : {};
    return credentialIds.map((credentialId) => {
      const endpoint = endpoints.get(credentialId) ?? endpointOf(model);
      return { model, credentialId, endpoint, ...costing, ...reservedTwice };
    });
  });
  return reachable(steps.map(targetOf), max).flatMap((at) => steps[at] ?? []);
}

function probesOf(plan: Plan, steps: readonly ReservedAttempt[]): CircuitProbe[] {
  if (plan.halfOpen.size === 0) return [];
  const scopes = steps.flatMap((step) =>
    circuitReaches.map((reach) => scopeOf(reach, targetOf(step))),
  );
  return [...new Set(scopes)].flatMap((scope) => {
    const updatedAt = plan.halfOpen.get(scope);
    return updatedAt === undefined ? [] : [{ scope, updatedAt }];
  });
}

export interface ReservationInput extends Charged {
  plan: Plan;
  /** ms already spent waiting for a limit */
  waitedMs?: number;
  /** a time in the period that counts the call, in ms since the epoch; defaults to `now` */
  countedAt?: number | undefined;
}

const attemptLimitOf = ({ tenant }: Snapshot): number => tenant.policy.maxAttempts ?? maxAttempts;

export function candidatesFor(
  input: ReservationInput,
  scopes = scopesFor(input),
): ReservedAttempt[] {
  const { plan, caller } = input;
  const { snapshot } = caller;
  const max = attemptLimitOf(snapshot);
  const { credentials } = snapshot;
  return stepsOf(plan, { credentials, max, bounds: callBoundsOf(scopes) });
}

export function reservationOf(input: ReservationInput): Reserved {
  const { plan, caller, now, countedAt = now, waitedMs = 0 } = input;
  const { tenant } = caller.snapshot;
  const scopes = scopesFor(input);
  const max = attemptLimitOf(caller.snapshot);
  const steps = candidatesFor(input, scopes);
  const tokens = Math.max(...steps.map((step) => step.tokens));
  const { endpoint } = plan.requirements;
  const defaultMs = endpoint === undefined ? defaultDeadlineMs : defaultEndpointDeadlineMs;
  const microUsd = mostExpensiveOf(steps, attemptsToReserve(steps, { max, endpoint, scopes }));
  const probes = probesOf(plan, steps.slice(0, 1));
  const probed = new Set(probes.map(({ scope }) => scope));
  const halfOpen = probesOf(plan, steps).map(({ scope }) => scope);
  return {
    steps,
    maxAttempts: max,
    probes,
    unprobedCircuits: halfOpen.filter((scope) => !probed.has(scope)),
    tokens,
    microUsd,
    limitChecks: limitChecksOf({
      now,
      scopes,
      tokens,
      microUsd: microUsd ?? 0,
      calendar: calendarOf(tenant.policy.timeZone, countedAt),
    }),
    deadlineMs: (tenant.policy.deadlineMs ?? defaultMs) - waitedMs,
  };
}

export interface PlannedReservation {
  plan: Plan;
  reserved: Reserved;
}

export interface FallbackReservation extends PlannedReservation {
  shortens?: true;
}

/** Adds the failover order to the decision, and marks candidates that match no hint. */
export function withFailover(decision: Decision, { steps }: Pick<Reserved, "steps">): Decision {
  const after = firstStepsOf(steps.map(targetOf));
  const isHinted = decision.candidates.some(({ matchedHint }) => matchedHint !== undefined);
  const reserved = new Set(steps.map(({ model }) => nameOf(model)));
  return {
    ...decision,
    candidates: decision.candidates.map((candidate) =>
      isHinted &&
      candidate.excludedBy === undefined &&
      candidate.matchedHint === undefined &&
      candidate.viaToolLoop === undefined &&
      reserved.has(nameOf({ provider: candidate.provider, id: candidate.model }))
        ? { ...candidate, viaFailover: true as const }
        : candidate,
    ),
    failover: steps.map(({ model: { provider, id } }, at) => ({
      provider,
      model: id,
      after: after[at] ?? [],
    })),
  };
}

export const stepFor = (
  { steps }: Reserved,
  { provider, model }: { provider: string; model: string },
): ReservedAttempt | undefined => {
  const name = nameOf({ provider, id: model });
  return steps.find((step) => nameOf(step.model) === name);
};

/** What is charged for an attempt that may have been billed. */
export const reservedFor = (
  reserved: Reserved,
  attempt: { provider: string; model: string },
): { tokens: number; microUsd: number | null } =>
  stepFor(reserved, attempt) ?? { tokens: reserved.tokens, microUsd: reserved.microUsd };

export const claimOf = ({ plan, reserved }: PlannedReservation): Claim => ({
  decision: withFailover(plan.decision, reserved),
  limitChecks: reserved.limitChecks,
  reservedTokens: reserved.tokens,
  reservedMicroUsd: reserved.microUsd,
});

export const createAdmit =
  (deps: { ledger: Ledger; sessionTtlMs: number }) =>
  (input: {
    plan: Plan;
    reserved: Reserved;
    fallbacks: readonly FallbackReservation[];
    ifReserved: "waits" | "refused";
    caller: Caller;
    opening: Opening;
    replayKey: ReplayKey | null;
    approval: NewApproval | null;
    now: number;
  }): AsyncResult<Admission> => {
    const { plan, reserved, fallbacks, caller, opening, replayKey, approval, now } = input;
    const leaseUntil = now + leaseMsFor(reserved.deadlineMs);
    const keyExpiryOf =
      approval === null
        ? (key: ReplayKey): number => heldUntil(key, { now, leaseUntil })
        : (): number => approval.deadline + decidedResultTtlMs;
    return deps.ledger.admit({
      opening,
      ...claimOf({ plan, reserved }),
      fallbacks: fallbacks.map((claimed) => ({
        ...claimOf(claimed),
        ...(claimed.shortens === true && { shortens: true as const }),
      })),
      ...(input.ifReserved === "waits" && { mayWait: true as const }),
      tenantVersion: caller.snapshot.tenant.version,
      now,
      leaseUntil: approval === null ? leaseUntil : null,
      ...(approval !== null && { approval }),
      probes: reserved.probes,
      sessionExpiresAt: caller.session === null ? null : now + deps.sessionTtlMs,
      idempotency:
        replayKey === null
          ? null
          : {
              key: keyOf(replayKey, opening.contentSha256),
              expiresAt: keyExpiryOf(replayKey),
            },
    });
  };

export type Admit = ReturnType<typeof createAdmit>;
