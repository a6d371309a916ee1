/** How feasible models are ranked: quantiles on three axes, weighed by the request's priorities. */
import type { Entry } from "./field.ts";
import { nameOf, type Requirements } from "./models.ts";
import type { Priorities } from "./sampling.ts";
import { costMicroUsd, expectedUsage } from "./usage.ts";

export interface Axes {
  cost: number;
  speed: number;
  intelligence: number;
}

/** An absent priority neither asks for an axis nor against it. None at all: balanced. */
const neutral = 0.5;

export function weightsOf(priorities: Priorities): Axes {
  const raw = {
    cost: priorities.cost ?? neutral,
    speed: priorities.speed ?? neutral,
    intelligence: priorities.intelligence ?? neutral,
  };
  const sum = raw.cost + raw.speed + raw.intelligence;
  // All three at 0 ask for nothing: balanced, like none at all.
  if (sum === 0) return { cost: 1 / 3, speed: 1 / 3, intelligence: 1 / 3 };
  return { cost: raw.cost / sum, speed: raw.speed / sum, intelligence: raw.intelligence / sum };
}

/** Share of the other values that are strictly worse, ties counting half: 0–1, whatever the unit. */
function quantiles(values: readonly number[]): number[] {
  if (values.length === 1) return [1];
  // Tiers are few and many share one: sorting what differs is most of the work saved.
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const shares = new Map<number, number>();
  let below = 0;
  for (const value of Float64Array.from(counts.keys()).toSorted()) {
    const count = counts.get(value) ?? 0;
    shares.set(value, (below + (count - 1) / 2) / (values.length - 1));
    below += count;
  }
  return values.map((value) => shares.get(value) ?? 0);
}

/** What an unknown figure counts as: the middle for a tier, the dearest for a price. */
const middleTier = 3;

export interface Scored {
  entry: Entry;
  axes: Axes;
  score: number;
  cost: number;
}

export function scoreAll(entries: readonly Entry[], needs: Requirements, weights: Axes): Scored[] {
  const costs = entries.map(
    ({ model }) => costMicroUsd(model, expectedUsage(model, needs)) ?? Number.POSITIVE_INFINITY,
  );
  const cost = quantiles(costs.map((value) => -value));
  const speed = quantiles(entries.map((entry) => -entry.expectedMs));
  const intelligence = quantiles(entries.map(({ model }) => model.intelligence ?? middleTier));
  return entries.map((entry, at) => {
    const axes = {
      cost: cost[at] ?? 0,
      speed: speed[at] ?? 0,
      intelligence: intelligence[at] ?? 0,
    };
    const score =
      weights.cost * axes.cost +
      weights.speed * axes.speed +
      weights.intelligence * axes.intelligence;
    return { entry, axes, score, cost: costs[at] ?? Number.POSITIVE_INFINITY };
  });
}

/** Higher score, then cheaper, then more intelligent, then faster, then by name. */
export function byRank(a: Scored, b: Scored): number {
  if (Math.abs(a.score - b.score) > 1e-9) return b.score - a.score;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.axes.intelligence !== b.axes.intelligence) return b.axes.intelligence - a.axes.intelligence;
  if (a.axes.speed !== b.axes.speed) return b.axes.speed - a.axes.speed;
  return nameOf(a.entry.model) < nameOf(b.entry.model) ? -1 : 1;
}
