/** The explanation of a choice: what the record and the dry run say of every candidate. */
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
import { reasonOf } from "./sieve.ts";
import type { ToolLoop } from "../sampling/tool-loop.ts";
import { writableTokens } from "../models/reasoning.ts";
import { expectedUsage } from "../models/cost.ts";

export interface Candidate {
  provider: string;
  model: string;
  /** 0–1, higher is better; absent: the model is excluded, or a record keeps its name alone */
  score?: number;
  axes?: Axes;
  matchedHint?: string;
  viaEquivalence?: true;
  /** this model began the tool loop that the call continues */
  viaToolLoop?: true;
  /** an ordinary answer of this model is expected to take longer than the call's deadline */
  isLate?: true;
  /** the model's class is estimated from its price */
  estimated?: true;
  /** another candidate is the same model elsewhere, and is asked before this one */
  isCopy?: true;
  /** no hint asks for this model; the call goes there only after faults at all models that a hint asks for */
  viaFailover?: true;
  /** the model's measured speed; absent: too few samples */
  measured?: Measured;
  excludedBy?: ExclusionReason;
}

export interface Decision {
  provider: string;
  model: string;
  /** the chosen one first, the others in the order of failover, excluded ones last */
  candidates: Candidate[];
  /** how many more models were excluded without being listed, by reason */
  excluded: Partial<Record<ExclusionReason, number>>;
  requirements: Requirements;
  weights: Axes;
  estimate: { inputTokens: number; outputTokens: number; costUsd: number | null };
  catalogueVersion: string;
  /** the candidates that the call may use, best first; absent: the choice was not made for a call */
  failover?: FailoverCandidate[];
  /** what content negotiation changed; absent: nothing was declared */
  negotiation?: NegotiationRecord;
  /** which model began the tool loop that this call continues; absent: no loop is under way */
  toolLoop?: Pick<ToolLoop, "provider" | "model">;
  /** who approved the call, and what was edited; absent: nobody had to approve it */
  approvals?: ApprovalVerdict[];
  /** sentences about what was read differently from how it was written */
  notes: string[];
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

/** What the choice is made of. Nothing else of a request matters to it. */
export interface Asking {
  needs: Requirements;
  hints: readonly string[];
  /** weights of the three axes; they add up to 1 */
  weights: Axes;
  notes: readonly string[];
  negotiation?: NegotiationRecord | null;
  toolLoop?: ToolLoop | null;
}

/** The level of models that no hint prefers: after all preferred ones, and before models that would be late. */
export const unhintedLevel = 60_000;
export const lateLevel = 60_001;
/** The level of the first everyday model, where nothing is preferred; the others follow. */
export const everydayLevel = 59_000;
/** Before whatever a hint prefers: of the model that began a tool loop, or of the everyday model that a hint leaves. */
export const firstLevel = 0;

/** A pool, judged for one request. */
export interface Ranking {
  /** order of the feasible models, by place among them */
  order: Order;
  narrowed: Narrowed;
  /** by position in the pool: 0 where the model is feasible, else 1 plus the index of the reason */
  out: Uint8Array;
}

export const isOf = (loop: ToolLoop | null, { provider, id }: Model): boolean =>
  loop?.provider === provider && loop.model === id;

/** Every candidate, in the order of failover, with the excluded ones last. */
function candidatesOf(
  pool: ModelPool,
  { order: { scores }, narrowed, out }: Ranking,
  { places, toolLoop }: { places: readonly number[]; toolLoop: ToolLoop | null },
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
    // Not by the level: the model that began a tool loop may be hinted as well.
    if (narrowed.hint !== null && (narrowed.levels?.[position] ?? 0) !== 0) {
      candidate.matchedHint = narrowed.hint;
      if (narrowed.viaEquivalence) candidate.viaEquivalence = true;
    }
    if (isOf(toolLoop, entry.model)) candidate.viaToolLoop = true;
    candidates.push(candidate);
  }
  return [...candidates, ...excludedOf(pool, out)];
}

export function excludedOf({ ranked }: ModelPool, out: Uint8Array): Candidate[] {
  return ranked.flatMap(({ model: { provider, id } }, at) => {
    const excludedBy = reasonOf(out[at]);
    return excludedBy === undefined ? [] : [{ provider, model: id, excludedBy }];
  });
}

/** Hints are the caller's text, so only so much is shown. */
const longestHintShown = 60;
const mostHintsShown = 5;

/** Says which hints had no effect, and which were corrected. A replayed decision has these notes already. */
function withHintNotes({ notes, hints, needs }: Asking, { models }: ModelPool): string[] {
  const kind = kindOf(needs);
  const said = hints.flatMap((hint): string[] => {
    if (hint.trim() === "") return [];
    const shown = JSON.stringify(hint.slice(0, longestHintShown));
    const meant = correctionOf(hint, models);
    if (meant !== null) return [`hint ${shown} was read as "${meant}"`];
    if (hasNoSuccessor(hint, kind, models))
      return [`hint ${shown} names a model that has no successor here`];
    return isKnownHint(hint, models) ? [] : [`hint ${shown} matched no model`];
  });
  return [...new Set([...notes, ...said.slice(0, mostHintsShown)])];
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
    candidates: candidatesOf(pool, ranking, { places, toolLoop }),
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
    // Only if the model is known here: other names are the caller's text, which stays out of the
    // record.
    ...(isOf(toolLoop, model) ? { toolLoop: { provider: model.provider, model: model.id } } : {}),
    notes: withHintNotes(asking, pool),
  };
}

/** How many candidates keep their scores in a record, besides those of failover. */
const mostScored = 10;

const nameIn = ({ provider, model }: Pick<Candidate, "provider" | "model">): string =>
  nameOf({ provider, id: model });

/**
 * The decision as the audit record keeps it: feasible candidates, and counts for the rest. A replay needs the name,
 * the flags and the measured speed of each candidate. Scores follow from those, so only the best candidates keep them.
 */
export function compactDecision(decision: Decision): Decision {
  const excluded = { ...decision.excluded };
  const reserved = new Set(decision.failover?.map(nameIn));
  const candidates: Candidate[] = [];
  for (const candidate of decision.candidates) {
    const { excludedBy } = candidate;
    if (excludedBy !== undefined) excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
    else if (candidates.length < mostScored || reserved.has(nameIn(candidate)))
      candidates.push(candidate);
    else {
      const { score: _score, axes: _axes, ...unscored } = candidate;
      candidates.push(unscored);
    }
  }
  return { ...decision, candidates, excluded };
}
