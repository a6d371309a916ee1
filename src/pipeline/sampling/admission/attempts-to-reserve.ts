import { smallestBudget, type LimitedScope } from "../../../domain/limits/limit-checks.ts";
import type { Requirements } from "../../../domain/requirements.ts";

export interface Priced {
  microUsd: number | null;
  isReservedTwice?: true;
}

export function mostExpensiveOf(steps: readonly Priced[], max: number): number | null {
  const prices = steps.flatMap(({ microUsd, isReservedTwice }) =>
    isReservedTwice === true ? [microUsd, microUsd] : [microUsd],
  );
  if (prices.includes(null)) return null;
  return prices
    .map((price) => price ?? 0)
    .toSorted((a, b) => b - a)
    .slice(0, max)
    .reduce((sum, price) => sum + price, 0);
}

/** Share of the smallest budget that a call may reserve for attempts after its first. */
const sharedByAttempts = 1 / 100;

/** Clients of model endpoints ask for long answers: a few calls with all attempts would block a small budget. */
export function attemptsToReserve(
  steps: readonly Priced[],
  of: {
    max: number;
    endpoint: Requirements["endpoint"] | undefined;
    scopes: readonly LimitedScope[];
  },
): number {
  const { max, endpoint, scopes } = of;
  const budget = smallestBudget(scopes);
  const all = mostExpensiveOf(steps, max);
  const isSmall = budget === null || all === null || all <= budget * sharedByAttempts;
  return endpoint === undefined || isSmall ? max : 1;
}
