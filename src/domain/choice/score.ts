import type { Ranks } from "./columns.ts";
import type { ModelPool } from "./model-pool.ts";
import type { Priorities } from "../sampling/call.ts";
import type { Requirements } from "../requirements.ts";
import { textBit, type CompiledRequirements } from "./compiled-requirements.ts";
import { costMicroUsd, expectedUsage } from "../models/cost.ts";

export interface Axes {
  cost: number;
  speed: number;
  intelligence: number;
}

export function weightsOf(priorities: Priorities): Axes {
  const given = [priorities.cost, priorities.speed, priorities.intelligence].filter(
    (priority) => priority !== undefined,
  );
  const left = given.length === 0 ? 1 : 1 - Math.max(...given);
  const share = left / Math.max(1, 3 - given.length);
  const raw = {
    cost: priorities.cost ?? share,
    speed: priorities.speed ?? share,
    intelligence: priorities.intelligence ?? share,
  };
  const sum = raw.cost + raw.speed + raw.intelligence;
  // Three zeros mean no preference.
  if (sum === 0) return { cost: 1 / 3, speed: 1 / 3, intelligence: 1 / 3 };
  return { cost: raw.cost / sum, speed: raw.speed / sum, intelligence: raw.intelligence / sum };
}

/** Arrays are indexed by *place* among the feasible models; `positions` maps a place to the pool. */
export interface Scores {
  pool: ModelPool;
  positions: readonly number[];
  /** micro-USD; Infinity: unknown, counts as the highest cost */
  costs: number[];
  cost: number[];
  speed: number[];
  intelligence: number[];
  score: number[];
  /** tie-breaker: sum of all axes, less the cost of reasoning */
  balance: number[];
  newness: number[];
  /** place of each model's representative copy; null: no copies */
  leaders: readonly number[] | null;
}

/** The share of other feasible models that are worse, 0–1; ties count half. `equal` is 0 for a model outside the scale. */
const shareOf = (worse: number, equal: number, all: number): number =>
  all === 1 ? 1 : Math.min(1, Math.max(0, (worse + (equal - 1) / 2) / (all - 1)));

/** Copies count once. Estimated models don't affect the scale if two others have known tiers. */
function scaleOf(
  { columns: { isEstimated } }: ModelPool,
  { positions, leaders }: Pick<Scores, "positions" | "leaders">,
): readonly number[] {
  const once =
    leaders === null ? positions : positions.filter((_, place) => leaders[place] === place);
  const judged = once.filter((position) => isEstimated[position] === 0);
  return judged.length > 1 ? judged : once;
}

/** No typed array: from 65 bytes on, those are allocated outside of the heap, which takes longer than filling a list. */
function zeros(count: number): number[] {
  const list: number[] = [];
  for (let at = 0; at < count; at += 1) list.push(0);
  return list;
}

function countsOf(positions: readonly number[], groups: Pick<Ranks, "of" | "count">): number[] {
  const counts = zeros(groups.count);
  for (const entry of positions) {
    const group = groups.of[entry] ?? 0;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

function sharesByRank(positions: readonly number[], ranks: Ranks): number[] {
  const counts = countsOf(positions, ranks);
  const shares = zeros(ranks.count);
  let worse = 0;
  for (let rank = 0; rank < ranks.count; rank += 1) {
    const equal = counts[rank] ?? 0;
    shares[rank] = shareOf(worse, equal, positions.length);
    worse += equal;
  }
  return shares;
}

interface Costs {
  of: Uint32Array;
  costs: number[];
  shares: number[];
}

function costsByGroup(
  pool: ModelPool,
  { positions, scale }: { positions: readonly number[]; scale: readonly number[] },
  compiled: CompiledRequirements,
): Costs {
  const { columns } = pool;
  const prices =
    compiled.needs.reasoning === undefined ? columns.prices : columns.pricesWithReasoning;
  const count = prices.firsts.length;
  const counts = countsOf(scale, { of: prices.of, count });
  const present = [...new Set(positions.map((position) => prices.of[position] ?? 0))];
  const costs = zeros(count);
  const { needs, likelyInputTokens } = compiled;
  const needsByFamily: Requirements[] = [];
  for (const group of present) {
    const entry = prices.firsts[group];
    if (entry === undefined) continue;
    const { model, familyIndex } = entry;
    const inputTokens = likelyInputTokens[familyIndex] ?? needs.inputTokens;
    const usage = expectedUsage(model, (needsByFamily[familyIndex] ??= { ...needs, inputTokens }));
    costs[group] = costMicroUsd(model, usage) ?? Number.POSITIVE_INFINITY;
  }
  const costOf = (group: number | undefined): number => costs[group ?? 0] ?? 0;
  // Two unknown costs differ by NaN, which sorts like 0.
  const mostExpensiveFirst = present.toSorted((a, b) => costOf(b) - costOf(a) || 0);
  const shares = zeros(count);
  let worse = 0;
  for (let from = 0, to = 0; from < mostExpensiveFirst.length; from = to) {
    let equal = 0;
    for (; to < mostExpensiveFirst.length; to += 1) {
      if (costOf(mostExpensiveFirst[to]) !== costOf(mostExpensiveFirst[from])) break;
      equal += counts[mostExpensiveFirst[to] ?? 0] ?? 0;
    }
    const share = shareOf(worse, equal, scale.length);
    for (const group of mostExpensiveFirst.slice(from, to)) shares[group] = share;
    worse += equal;
  }
  return { of: prices.of, costs, shares };
}

/** Tokens. Models that always reason have little room in shorter answers. */
const smallAnswerTokens = 1_000;
const nearness = 0.1;

const reasoningLoss = ({ needs, outputBits }: CompiledRequirements): number =>
  needs.maxTokens <= smallAnswerTokens && (outputBits & textBit) !== 0 ? nearness : 0;

export function scoreAll(
  input: Pick<Scores, "pool" | "positions" | "leaders"> & {
    compiled: CompiledRequirements;
    weights: Axes;
  },
): Scores {
  const { pool, positions, leaders, compiled, weights } = input;
  const { columns } = pool;
  const scale = scaleOf(pool, input);
  const byGroup = costsByGroup(pool, { positions, scale }, compiled);
  const speedShares = sharesByRank(scale, columns.speed);
  const intelligenceShares = sharesByRank(scale, columns.intelligence);
  const costs: number[] = [];
  const cost: number[] = [];
  const speed: number[] = [];
  const intelligence: number[] = [];
  const score: number[] = [];
  const newness: number[] = [];
  const balance: number[] = [];
  const loss = reasoningLoss(compiled);
  // With a weight of 1, only equal scores are close.
  const openness = 1 - Math.max(weights.cost, weights.speed, weights.intelligence);
  for (const position of positions) {
    const fast = speedShares[columns.speed.of[position] ?? 0] ?? 0;
    const clever = intelligenceShares[columns.intelligence.of[position] ?? 0] ?? 0;
    const group = byGroup.of[position] ?? 0;
    const cheap = byGroup.shares[group] ?? 0;
    costs.push(byGroup.costs[group] ?? 0);
    cost.push(cheap);
    speed.push(fast);
    intelligence.push(clever);
    newness.push(columns.newness.of[position] ?? 0);
    const whole = weights.cost * cheap + weights.speed * fast + weights.intelligence * clever;
    const lost = columns.alwaysReasons[position] === 1 ? loss : 0;
    score.push(Math.max(0, whole - lost * openness));
    balance.push(cheap + fast + clever - lost);
  }
  return {
    pool,
    positions,
    costs,
    cost,
    speed,
    intelligence,
    score,
    balance,
    newness,
    leaders,
  };
}

function byRank(scores: Scores, a: number, b: number): number {
  const { score, balance, costs, newness } = scores;
  const lead = (score[b] ?? 0) - (score[a] ?? 0);
  if (lead > 1e-9 || lead < -1e-9) return lead;
  const better = (balance[b] ?? 0) - (balance[a] ?? 0);
  if (better > 1e-9 || better < -1e-9) return better;
  if (newness[a] !== newness[b]) return (newness[b] ?? 0) - (newness[a] ?? 0);
  const [costA = 0, costB = 0] = [costs[a], costs[b]];
  return costA === costB ? a - b : costA - costB;
}

export interface Order {
  scores: Scores;
  places: readonly number[];
  /** index in `places`, by place */
  rank: readonly number[];
}

export const byPreference = ({ rank }: Order, a: number, b: number): number =>
  (rank[a] ?? 0) - (rank[b] ?? 0);

/** @param levels by place. A copy follows its representative unless it would be late. */
export function orderOf(
  scores: Scores,
  { levels, lateLevel }: { levels: readonly number[]; lateLevel: number },
): Order {
  const { pool, positions, leaders } = scores;
  const levelOf = (place: number): number => {
    const own = levels[place] ?? 0;
    return own === lateLevel ? own : (levels[leaders?.[place] ?? place] ?? own);
  };
  const inOrder = (a: number, b: number): number => levelOf(a) - levelOf(b) || byRank(scores, a, b);
  const heads: number[] = [];
  const followers = new Map<number, number[]>();
  for (let place = 0; place < positions.length; place += 1) {
    const leader = leaders?.[place] ?? place;
    const known = followers.get(leader);
    if (leader === place || levelOf(leader) !== levelOf(place)) heads.push(place);
    else if (known === undefined) followers.set(leader, [place]);
    else known.push(place);
  }
  heads.sort(inOrder);
  const orderAmongCopies = (place: number): number =>
    pool.copies?.copyOrder[positions[place] ?? 0] ?? 0;
  const places =
    followers.size === 0
      ? heads
      : heads.flatMap((head) => [
          head,
          ...(followers.get(head) ?? []).toSorted(
            (a, b) => orderAmongCopies(a) - orderAmongCopies(b),
          ),
        ]);
  const rank = zeros(places.length);
  for (const [at, place] of places.entries()) rank[place] = at;
  return { scores, places, rank };
}
