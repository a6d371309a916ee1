/** How feasible models are ranked: quantiles on three axes, weighed by the request's priorities. */
import type { Ranks } from "./columns.ts";
import type { Field } from "./field.ts";
import type { Priorities } from "./sampling.ts";
import type { Sought } from "./sought.ts";
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

/** The feasible ones of a field; all but `entries` and `field` by place among them. */
export interface Scores {
  field: Field;
  /** positions in the field's entries, ascending, so by name */
  entries: Uint32Array;
  /** micro-USD; Infinity: unknown, so the dearest */
  costs: Float64Array;
  cost: Float64Array;
  speed: Float64Array;
  intelligence: Float64Array;
  score: Float64Array;
}

/** Share of the others that are strictly worse, ties counting half: 0–1, whatever the unit. */
const shareOf = (worse: number, equal: number, all: number): number =>
  all === 1 ? 1 : (worse + (equal - 1) / 2) / (all - 1);

/** How many of the entries are of each group. */
function countsOf(entries: Uint32Array, groups: Pick<Ranks, "of" | "count">): Uint32Array {
  const counts = new Uint32Array(groups.count);
  for (const entry of entries) {
    const group = groups.of[entry] ?? 0;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

/** By rank. The ranks were sorted when the field was prepared; here they are only counted. */
function sharesByRank(entries: Uint32Array, ranks: Ranks): Float64Array {
  const counts = countsOf(entries, ranks);
  const shares = new Float64Array(ranks.count);
  let worse = 0;
  for (let rank = 0; rank < ranks.count; rank += 1) {
    const equal = counts[rank] ?? 0;
    shares[rank] = shareOf(worse, equal, entries.length);
    worse += equal;
  }
  return shares;
}

interface Costs {
  /** micro-USD, by group of prices */
  costs: Float64Array;
  shares: Float64Array;
}

/** Reckoned once for all that have the same prices. */
function costsByGroup(field: Field, entries: Uint32Array, sought: Sought): Costs {
  const { prices } = field.columns;
  const count = prices.entries.length;
  const counts = countsOf(entries, { of: prices.of, count });
  const costs = new Float64Array(count);
  const present: number[] = [];
  for (const [group, { model, familyPlace }] of prices.entries.entries()) {
    if (counts[group] === 0) continue;
    const inputTokens = sought.likely[familyPlace] ?? 0;
    const usage = expectedUsage(model, { ...sought.needs, inputTokens });
    costs[group] = costMicroUsd(model, usage) ?? Number.POSITIVE_INFINITY;
    present.push(group);
  }
  const costOf = (group: number | undefined): number => costs[group ?? 0] ?? 0;
  // Two that are unknown differ by NaN, which sorts like 0.
  const dearestFirst = present.toSorted((a, b) => costOf(b) - costOf(a) || 0);
  const shares = new Float64Array(count);
  let worse = 0;
  for (let from = 0, to = 0; from < dearestFirst.length; from = to) {
    let equal = 0;
    for (; to < dearestFirst.length; to += 1) {
      if (costOf(dearestFirst[to]) !== costOf(dearestFirst[from])) break;
      equal += counts[dearestFirst[to] ?? 0] ?? 0;
    }
    const share = shareOf(worse, equal, entries.length);
    for (const group of dearestFirst.slice(from, to)) shares[group] = share;
    worse += equal;
  }
  return { costs, shares };
}

/** `entries`: positions of the feasible ones, ascending. */
export function scoreAll(about: {
  field: Field;
  entries: Uint32Array;
  sought: Sought;
  weights: Axes;
}): Scores {
  const { field, entries, sought, weights } = about;
  const { columns } = field;
  const byGroup = costsByGroup(field, entries, sought);
  const speedShares = sharesByRank(entries, columns.speed);
  const intelligenceShares = sharesByRank(entries, columns.intelligence);
  const costs = new Float64Array(entries.length);
  const cost = new Float64Array(entries.length);
  const speed = new Float64Array(entries.length);
  const intelligence = new Float64Array(entries.length);
  const score = new Float64Array(entries.length);
  for (let place = 0; place < entries.length; place += 1) {
    const position = entries[place] ?? 0;
    const fast = speedShares[columns.speed.of[position] ?? 0] ?? 0;
    const clever = intelligenceShares[columns.intelligence.of[position] ?? 0] ?? 0;
    const group = columns.prices.of[position] ?? 0;
    const cheap = byGroup.shares[group] ?? 0;
    costs[place] = byGroup.costs[group] ?? 0;
    cost[place] = cheap;
    speed[place] = fast;
    intelligence[place] = clever;
    score[place] = weights.cost * cheap + weights.speed * fast + weights.intelligence * clever;
  }
  return { field, entries, costs, cost, speed, intelligence, score };
}

/** Higher score, then cheaper, then more intelligent, then faster, then by name. By place. */
export function byRank(
  { score, costs, intelligence, speed }: Scores,
  a: number,
  b: number,
): number {
  const lead = (score[b] ?? 0) - (score[a] ?? 0);
  if (lead > 1e-9 || lead < -1e-9) return lead;
  const [costA = 0, costB = 0] = [costs[a], costs[b]];
  if (costA !== costB) return costA - costB;
  if (intelligence[a] !== intelligence[b]) return (intelligence[b] ?? 0) - (intelligence[a] ?? 0);
  if (speed[a] !== speed[b]) return (speed[b] ?? 0) - (speed[a] ?? 0);
  return a - b;
}

/** The best few of those that are preferred, or of those that aren't; best first. */
export function bestOf(
  scores: Scores,
  among: { preferred: Uint8Array; is: 0 | 1; count: number },
): number[] {
  const { preferred, is, count } = among;
  const best: number[] = [];
  if (count === 0) return best;
  for (let place = 0; place < scores.entries.length; place += 1) {
    if (preferred[place] !== is) continue;
    const last = best.length === count ? best[count - 1] : undefined;
    if (last !== undefined) {
      if (byRank(scores, place, last) > 0) continue;
      best.pop();
    }
    let at = best.length;
    while (at > 0 && byRank(scores, place, best[at - 1] ?? 0) < 0) at -= 1;
    best.splice(at, 0, place);
  }
  return best;
}
