/** Smaller reservations of a call, for limits with little left. The ledger takes the first that fits. */
import { smallestBudget, type LimitCheck } from "../../../domain/limits/limit-checks.ts";
import { isMoney, isTokens } from "../../../domain/limits/resources.ts";
import { isLasting } from "../../../domain/limits/admission-verdict.ts";
import { alwaysReasons } from "../../../domain/models/reasoning.ts";
import { maxClaims } from "../../../domain/ports/ledger.ts";
import type { Choice } from "../../../domain/choice/choices.ts";
import type { Plan } from "../../../domain/choice/selection.ts";
import type { Requirements } from "../../../domain/requirements.ts";
import {
  reservationOf,
  type PlannedReservation,
  type FallbackReservation,
  type Reserved,
  type ReservationInput,
} from "./admit.ts";
import { mostExpensiveOf } from "./attempts-to-reserve.ts";
import type { Planned } from "../choice/choose.ts";
import { scopesFor } from "../../callers/scopes.ts";

const isSized = ({ resource }: LimitCheck): boolean => isTokens(resource) || isMoney(resource);

const resized = (
  limitChecks: readonly LimitCheck[],
  { tokens, microUsd }: Pick<Reserved, "tokens" | "microUsd">,
): LimitCheck[] =>
  limitChecks.map((check) => {
    if (isMoney(check.resource)) return { ...check, amount: microUsd ?? 0 };
    return isTokens(check.resource) ? { ...check, amount: tokens } : check;
  });

/**
 * @param attempts 0: only the first candidate is reserved. Others remain usable, because an unbilled attempt doesn't use up the
 * reservation.
 */
function withAttempts(reserved: Reserved, attempts: number): Reserved {
  const { steps, limitChecks } = reserved;
  const counted = attempts === 0 ? steps.slice(0, 1) : steps;
  const isMoneyHeld = limitChecks.some(({ resource }) => isMoney(resource));
  const of = {
    tokens: Math.max(...counted.map(({ tokens }) => tokens)),
    microUsd: isMoneyHeld ? mostExpensiveOf(counted, Math.max(1, attempts)) : reserved.microUsd,
  };
  return { ...reserved, ...of, limitChecks: resized(limitChecks, of) };
}

const isLess = (one: Reserved, other: Reserved): boolean => {
  const amounts = one.limitChecks.map(
    ({ amount }, at) => amount - (other.limitChecks[at]?.amount ?? 0),
  );
  return amounts.every((more) => more <= 0) && amounts.some((more) => more < 0);
};

function fewerAttempts({ plan, reserved }: PlannedReservation): PlannedReservation[] {
  const max = Math.min(reserved.maxAttempts, reserved.steps.length);
  if (max === 1 && reserved.steps.length === 1 && reserved.steps[0]?.isReservedTwice !== true)
    return [];
  const claims: PlannedReservation[] = [];
  for (let attempts = max - 1; attempts >= 0; attempts -= 1) {
    const fewer = withAttempts(reserved, attempts);
    if (!isLess(fewer, claims.at(-1)?.reserved ?? reserved)) continue;
    const what = attempts === 0 ? "only for the first model" : `for ${attempts} of ${max} attempts`;
    const note = `limits: reserved ${what}, because the remaining limit was too low`;
    const { decision } = plan;
    const noted = { ...plan, decision: { ...decision, notes: [...decision.notes, note] } };
    claims.push({ plan: noted, reserved: fewer });
  }
  return claims;
}

type Laddered = ReservationInput & { plan: Planned };

/** `null` if it isn't smaller, or would probe a circuit. */
function firstModel(
  input: Laddered,
  plan: Plan | null,
  before: Reserved,
): PlannedReservation | null {
  if (plan === null) return null;
  const reserved = withAttempts(reservationOf({ ...input, plan }), 0);
  return reserved.probes.length === 0 && isLess(reserved, before) ? { plan, reserved } : null;
}

const shortTokens = [256];
/** For model endpoints, where clients need longer answers to continue their work. */
const shortEndpointTokens = [16_384, 4_096];

const shortTokensFor = ({ endpoint, passing }: Requirements): number[] =>
  endpoint === undefined
    ? shortTokens
    : shortEndpointTokens.filter((tokens) => tokens >= (passing?.minTokens ?? 0));

/** An answer of a few tokens may be empty if the model always reasons. */
const isEnough = ({ model }: Choice, { endpoint }: Requirements): boolean =>
  endpoint !== undefined || !alwaysReasons(model);

function shortAnswer(
  input: Laddered,
  { from, maxTokens, before }: { from: Plan; maxTokens: number; before: Reserved },
): FallbackReservation | null {
  const plan = input.plan.shortened(from, maxTokens);
  const choices = plan?.choices.filter((choice) => isEnough(choice, plan.requirements)) ?? [];
  if (plan === null || choices.length === 0 || choices[0] !== plan.choices[0]) return null;
  const claimed = firstModel(input, { ...plan, choices }, before);
  return claimed === null ? null : { ...claimed, shortens: true };
}

function shortAnswers(input: Laddered, from: Plan, before: Reserved): FallbackReservation[] {
  const claims: FallbackReservation[] = [];
  if (!before.limitChecks.some((check) => isSized(check) && isLasting(check))) return claims;
  for (const maxTokens of shortTokensFor(from.requirements)) {
    const lowest = claims.at(-1)?.reserved ?? before;
    const short = shortAnswer(input, { from, maxTokens, before: lowest });
    if (short !== null) claims.push(short);
  }
  return claims;
}

export function ladderOf(input: Laddered, reserved: Reserved): FallbackReservation[] {
  const { plan } = input;
  if (!reserved.limitChecks.some(isSized)) return [];
  const fewer = fewerAttempts({ plan, reserved });
  const others: FallbackReservation[] = [];
  const last = (): Reserved => (others.at(-1) ?? fewer.at(-1))?.reserved ?? reserved;
  if (reserved.probes.length === 0) {
    const reasons = reserved.steps.some(({ reasoning }) => reasoning.headroom > 0);
    const roomless = reasons ? firstModel(input, plan.withoutReasoningRoom(), last()) : null;
    if (roomless !== null) others.push(roomless);
    others.push(...shortAnswers(input, roomless?.plan ?? plan, last()));
  }
  return [...fewer.slice(Math.max(0, fewer.length + others.length + 1 - maxClaims)), ...others];
}

/** Reservation of a pending call: the attempts that its smallest budget could pay for. */
export function heldReservationOf(input: ReservationInput): Reserved {
  const reserved = reservationOf(input);
  const budget = smallestBudget(scopesFor(input)) ?? Number.POSITIVE_INFINITY;
  const claims = [reserved, ...fewerAttempts({ ...input, reserved }).map((each) => each.reserved)];
  const fits = claims.find(({ microUsd }) => (microUsd ?? 0) <= budget);
  return fits ?? claims.at(-1) ?? reserved;
}
