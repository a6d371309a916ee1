import type { ApprovalVerdict } from "../sampling/approval.ts";
import { inputTokensFor } from "../sampling/estimate.ts";
import type { FailoverCandidate } from "./failover.ts";
import type { ModelPool } from "./model-pool.ts";
import type { Measured } from "./health.ts";
import { correctionOf, isKnownHint, type Narrowed } from "./hints.ts";
import { hasNoSuccessor } from "../models/gone-models.ts";
import { kindOf } from "../models/model-index.ts";
import { isEstimated, nameOf, type Model } from "../models/model.ts";
import type { ExclusionReason, Requirements } from "../requirements.ts";
import type { Axes, Order } from "./score.ts";
import type { NegotiationRecord } from "../sampling/shaping.ts";
import { isFallbackFor } from "./named-models.ts";
import { reasonOf } from "./feasibility.ts";
import type { ToolLoop } from "../sampling/tool-loop.ts";
import { writableTokens } from "../models/reasoning.ts";
import { expectedUsage } from "../models/cost.ts";

export interface Candidate {
  provider: string;
  model: string;
  /** 0–1, higher is better; absent: excluded, or shortened in a record */
  score?: number;
  axes?: Axes;
  matchedHint?: string;
  viaEquivalence?: true;
  viaToolLoop?: true;
  isLate?: true;
  estimated?: true;
  isCopy?: true;
  /** preferred without priorities, whatever its score: an everyday model, or the default among matches of the hint */
  isDefault?: true;
  /** the caller names another model, and the policy allows this one instead */
  isFallback?: true;
  viaFailover?: true;
  measured?: Measured;
  excludedBy?: ExclusionReason;
}

export interface Decision {
  provider: string;
  model: string;
  candidates: Candidate[];
  excluded: Partial<Record<ExclusionReason, number>>;
  requirements: Requirements;
  weights: Axes;
  estimate: { inputTokens: number; outputTokens: number; costUsd: number | null };
  catalogueVersion: string;
  /** candidates that the call may use, best first; absent for dry runs */
  failover?: FailoverCandidate[];
  negotiation?: NegotiationRecord;
  /** the tenant's alias that the caller used, and its hints */
  alias?: { name: string; hints: readonly string[] };
  toolLoop?: Pick<ToolLoop, "provider" | "model">;
  approvals?: ApprovalVerdict[];
  /** sentences about parameters that were interpreted or changed */
  notes: string[];
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

export interface Asking {
  needs: Requirements;
  hints: readonly string[];
  /** add up to 1 */
  weights: Axes;
  notes: readonly string[];
  negotiation?: NegotiationRecord | null;
  toolLoop?: ToolLoop | null;
  alias?: Decision["alias"];
}

export const unhintedLevel = 60_000;
export const lateLevel = 60_001;
export const everydayLevel = 59_000;
/** Level above all hints: the model that began the tool loop, or the everyday model among the hinted ones. */
export const firstLevel = 0;

const isDefaultLevel = (level = unhintedLevel): boolean =>
  level === firstLevel || (level >= everydayLevel && level < unhintedLevel);

export interface Ranking {
  order: Order;
  /** by place */
  levels: readonly number[];
  narrowed: Narrowed;
  /** by position in the pool: 0 if feasible, otherwise 1 plus the index of the reason */
  exclusions: Uint8Array;
}

export const isOf = (loop: ToolLoop | null, { provider, id }: Model): boolean =>
  loop?.provider === provider && loop.model === id;

function candidatesOf(
  pool: ModelPool,
  { order: { scores }, levels, narrowed, exclusions }: Ranking,
  {
    needs,
    places,
    toolLoop,
  }: { needs: Requirements; places: readonly number[]; toolLoop: ToolLoop | null },
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const place of places) {
    const position = scores.positions[place] ?? 0;
    const entry = pool.ranked[position];
    if (entry === undefined) continue;
    const candidate: Candidate = {
      provider: entry.model.provider,
      model: entry.model.id,
      score: round(scores.score[place] ?? 0),
      axes: {
        cost: round(scores.cost[place] ?? 0),
        speed: round(scores.speed[place] ?? 0),
        intelligence: round(scores.intelligence[place] ?? 0),
      },
    };
    if (entry.measured !== null) candidate.measured = entry.measured;
    if (entry.isLate) candidate.isLate = true;
    if (isEstimated(entry.model)) candidate.estimated = true;
    if ((scores.leaders?.[place] ?? place) !== place) candidate.isCopy = true;
    // Does not use the level: the model that began the tool loop may be hinted too.
    if (narrowed.hint !== null && (narrowed.levels?.[position] ?? 0) !== 0) {
      candidate.matchedHint = narrowed.hint;
      if (narrowed.viaEquivalence) candidate.viaEquivalence = true;
    }
    if (isOf(toolLoop, entry.model)) candidate.viaToolLoop = true;
    if (isFallbackFor(needs, entry.model)) candidate.isFallback = true;
    if (
      needs.model === undefined &&
      candidate.viaToolLoop !== true &&
      isDefaultLevel(levels[place])
    )
      candidate.isDefault = true;
    candidates.push(candidate);
  }
  candidates.push(...excludedOf(pool, exclusions));
  return candidates;
}

export function excludedOf({ ranked }: ModelPool, exclusions: Uint8Array): Candidate[] {
  const excluded: Candidate[] = [];
  for (let at = 0; at < ranked.length; at += 1) {
    const entry = ranked[at];
    const excludedBy = reasonOf(exclusions[at]);
    if (entry === undefined || excludedBy === undefined) continue;
    const { model } = entry;
    excluded.push(
      entry.excluded?.excludedBy === excludedBy
        ? entry.excluded
        : { provider: model.provider, model: model.id, excludedBy },
    );
  }
  return excluded;
}

/** Hints are callers' text, so the shown part is bounded. */
const longestHintShown = 60;
const maxHintsShown = 5;

function withHintNotes({ notes, hints, needs }: Asking, { models }: ModelPool): string[] {
  const kind = kindOf(needs);
  const quoted = hints.flatMap((hint): string[] => {
    if (hint.trim() === "") return [];
    const shown = JSON.stringify(hint.slice(0, longestHintShown));
    const meant = correctionOf(hint, models);
    if (meant !== null) return [`hint ${shown} was read as "${meant}"`];
    if (hasNoSuccessor(hint, kind, models))
      return [`hint ${shown} names a model that has no successor here`];
    return isKnownHint(hint, models) ? [] : [`hint ${shown} matched no model`];
  });
  return [...new Set([...notes, ...quoted.slice(0, maxHintsShown)])];
}

export function explain(asking: Asking, pool: ModelPool, ranking: Ranking): Decision {
  const { needs, weights, negotiation, toolLoop = null } = asking;
  const { order } = ranking;
  const { scores } = order;
  const { places } = order;
  const [place = 0] = places;
  const chosen = pool.ranked[scores.positions[place] ?? 0];
  if (chosen === undefined) throw new Error("a ranking without a best");
  const { model, family } = chosen;
  const cost = scores.costs[place] ?? Number.POSITIVE_INFINITY;
  const inputTokens = inputTokensFor(needs, family);
  const maxTokens = writableTokens(model, { inputTokens, maxTokens: needs.maxTokens });
  return {
    provider: model.provider,
    model: model.id,
    candidates: candidatesOf(pool, ranking, { needs, places, toolLoop }),
    excluded: pool.unserved === 0 ? {} : { no_credential: pool.unserved },
    requirements: needs,
    weights,
    estimate: {
      inputTokens,
      outputTokens: expectedUsage(model, { ...needs, inputTokens, maxTokens }).outputTokens,
      costUsd: Number.isFinite(cost) ? cost / 1e6 : null,
    },
    catalogueVersion: pool.catalogueVersion,
    ...(negotiation === null || negotiation === undefined ? {} : { negotiation }),
    ...(asking.alias !== undefined && { alias: asking.alias }),
    // Only known models: other names are callers' text, which records must not contain.
    ...(isOf(toolLoop, model) ? { toolLoop: { provider: model.provider, model: model.id } } : {}),
    notes: withHintNotes(asking, pool),
  };
}

const maxScored = 10;

const nameIn = ({ provider, model }: Pick<Candidate, "provider" | "model">): string =>
  nameOf({ provider, id: model });

/** For records: a replay can derive scores, so only the best candidates keep theirs. */
export function compactDecision(decision: Decision): Decision {
  const excluded = { ...decision.excluded };
  const reserved = new Set(decision.failover?.map(nameIn));
  const candidates: Candidate[] = [];
  for (const candidate of decision.candidates) {
    const { excludedBy } = candidate;
    if (excludedBy !== undefined) excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
    else if (candidates.length < maxScored || reserved.has(nameIn(candidate)))
      candidates.push(candidate);
    else {
      const { score: _score, axes: _axes, ...unscored } = candidate;
      candidates.push(unscored);
    }
  }
  return { ...decision, candidates, excluded };
}
