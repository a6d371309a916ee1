/**
 * The choice: feasible first, then preferred, and explained. Pure: the same request, field and
 * catalogue version give the same decision.
 */
import { inputModalitiesOf, inputTokensFor, measureInput, tokensMeasured } from "./estimate.ts";
import { maxAttempts } from "./failover.ts";
import { exclusionOf, type Field } from "./field.ts";
import type { Measured } from "./health.ts";
import { narrow, type Narrowed } from "./hints.ts";
import { exclusionReasons, type ExclusionReason, type Model, type Requirements } from "./models.ts";
import type { Refusal } from "./refusals.ts";
import { err, ok, type Result } from "./result.ts";
import type { SamplingCall } from "./sampling.ts";
import { bestOf, byRank, scoreAll, weightsOf, type Axes, type Scores } from "./score.ts";
import type { NegotiationRecord } from "./shaping.ts";
import { soughtFrom } from "./sought.ts";
import { expectedUsage } from "./usage.ts";

export interface Candidate {
  provider: string;
  model: string;
  /** 0–1, higher is better; absent for an excluded one */
  score?: number;
  axes?: Axes;
  matchedHint?: string;
  viaEquivalence?: true;
  /** what was seen of it; absent: too little */
  measured?: Measured;
  excludedBy?: ExclusionReason;
}

export interface Decision {
  provider: string;
  model: string;
  /** the chosen one first, then in the order of failover, excluded ones last */
  candidates: Candidate[];
  /** how many more were excluded, by reason, without being listed */
  excluded: Partial<Record<ExclusionReason, number>>;
  requirements: Requirements;
  weights: Axes;
  estimate: { inputTokens: number; outputTokens: number; costUsd: number | null };
  catalogueVersion: string;
  /** what content negotiation changed; absent: nothing was declared */
  negotiation?: NegotiationRecord;
  /** what was read differently from how it was written */
  notes: string[];
}

/** A feasible model with the credentials that can serve it, best first. */
export interface Choice {
  model: Model;
  credentialIds: string[];
}

export interface Plan {
  requirements: Requirements;
  /** the walk of failover: never empty, and no longer than a call can walk */
  choices: Choice[];
  /** Made when it is first read: a choice needs the best few, an explanation every candidate. */
  readonly decision: Decision;
}

export function requirementsOf(
  call: SamplingCall,
  { policy, families }: Pick<Field, "policy" | "families">,
): Requirements {
  const input = measureInput(call);
  const estimates = families.map((family) => [family, tokensMeasured(input, family)] as const);
  return {
    inputModalities: inputModalitiesOf(call),
    outputModalities: call.outputModalities,
    tools: call.tools.length > 0,
    inputTokens:
      estimates.length === 0
        ? tokensMeasured(input, "other")
        : Math.max(...estimates.map(([, tokens]) => tokens)),
    inputTokensByFamily: Object.fromEntries(estimates),
    maxTokens: Math.min(call.maxTokens, policy.maxTokens ?? call.maxTokens),
  };
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

/** What the choice is made of: everything else about a request is of no account. */
export interface Asking {
  needs: Requirements;
  hints: readonly string[];
  /** of the three axes; they add up to 1 */
  weights: Axes;
  notes: readonly string[];
  negotiation?: NegotiationRecord | null;
}

function notesOf(call: SamplingCall, needs: Requirements): string[] {
  const notes: string[] = [];
  if (call.includeContext !== "none")
    notes.push(`includeContext "${call.includeContext}" treated as "none"`);
  if (needs.maxTokens < call.maxTokens) notes.push(`maxTokens capped by policy`);
  return notes;
}

/** A field held against one request. */
interface Ranking {
  scores: Scores;
  narrowed: Narrowed;
  /** by place among the feasible: 1 for those that a hint prefers, and for all if none is */
  preferred: Uint8Array;
  /** places of the best few, best first */
  best: number[];
  /** by position in the field: why it is out; 0: it is feasible, else the reason's place and one */
  out: Uint8Array;
}

const reasonOf = (code: number | undefined): ExclusionReason | undefined =>
  exclusionReasons[(code ?? 0) - 1];

/** Every candidate, feasible ones first, in the order of failover. */
function candidatesOf(field: Field, { scores, narrowed, preferred, best, out }: Ranking) {
  const walked = new Set(best);
  const rest = [...scores.entries.keys()]
    .filter((place) => !walked.has(place))
    .toSorted((a, b) => (preferred[b] ?? 0) - (preferred[a] ?? 0) || byRank(scores, a, b));
  const candidates: Candidate[] = [];
  for (const place of [...best, ...rest]) {
    const entry = field.entries[scores.entries[place] ?? 0];
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
    if (narrowed.hint !== null && preferred[place] === 1) {
      candidate.matchedHint = narrowed.hint;
      if (narrowed.viaEquivalence) candidate.viaEquivalence = true;
    }
    candidates.push(candidate);
  }
  return [...candidates, ...excludedOf(field, out)];
}

function excludedOf({ entries }: Field, out: Uint8Array): Candidate[] {
  return entries.flatMap(({ model: { provider, id } }, at) => {
    const excludedBy = reasonOf(out[at]);
    return excludedBy === undefined ? [] : [{ provider, model: id, excludedBy }];
  });
}

function explain(asking: Asking, field: Field, ranking: Ranking): Decision {
  const { needs, weights, notes, negotiation } = asking;
  const [place = 0] = ranking.best;
  const chosen = field.entries[ranking.scores.entries[place] ?? 0];
  if (chosen === undefined) throw new Error("a ranking without a best");
  const { model, family } = chosen;
  const cost = ranking.scores.costs[place] ?? Number.POSITIVE_INFINITY;
  const inputTokens = inputTokensFor(needs, family);
  return {
    provider: model.provider,
    model: model.id,
    candidates: candidatesOf(field, ranking),
    excluded: field.unserved === 0 ? {} : { no_credential: field.unserved },
    requirements: needs,
    weights,
    estimate: {
      inputTokens,
      outputTokens: expectedUsage(model, { ...needs, inputTokens }).outputTokens,
      costUsd: Number.isFinite(cost) ? cost / 1e6 : null,
    },
    catalogueVersion: field.catalogueVersion,
    ...(negotiation === null || negotiation === undefined ? {} : { negotiation }),
    notes: [...notes],
  };
}

/** Chooses. Refuses with every model that has a credential and what excluded it. */
export function decide(asking: Asking, field: Field): Result<Plan, Refusal> {
  const { needs, hints, weights } = asking;
  const { entries, served } = field;
  const sought = soughtFrom(needs);
  const out = new Uint8Array(entries.length);
  const positions = new Uint32Array(entries.length);
  const places = new Uint32Array(entries.length);
  let count = 0;
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (entry === undefined) continue;
    const excludedBy = exclusionOf(entry, sought);
    if (excludedBy === null) {
      places[at] = count;
      positions[count] = at;
      count += 1;
    } else out[at] = exclusionReasons.indexOf(excludedBy) + 1;
  }
  if (count === 0)
    return err({
      reason: "no_eligible_model",
      cause: entries.length === 0 ? "no_known_model" : "all_excluded",
      requirements: needs,
      candidates: excludedOf(field, out).map(({ provider, model, excludedBy }) => ({
        model: `${provider}/${model}`,
        excludedBy: excludedBy ?? "no_credential",
      })),
    });
  const scores = scoreAll({ field, entries: positions.subarray(0, count), sought, weights });
  const narrowed = narrow(
    hints,
    { models: served, isFeasible: (at) => out[at] === 0 },
    field.models,
  );
  const preferred = new Uint8Array(count);
  if (narrowed.preferred === null) preferred.fill(1);
  else for (const at of narrowed.preferred) preferred[places[at] ?? 0] = 1;
  const first = bestOf(scores, { preferred, is: 1, count: maxAttempts });
  const then = bestOf(scores, { preferred, is: 0, count: maxAttempts - first.length });
  const best = [...first, ...then];
  const choices = best.flatMap((place): Choice[] => {
    const entry = entries[positions[place] ?? 0];
    return entry === undefined ? [] : [{ model: entry.model, credentialIds: entry.credentialIds }];
  });
  let made: Decision | null = null;
  return ok({
    requirements: needs,
    choices,
    get decision() {
      made ??= explain(asking, field, { scores, narrowed, preferred, best, out });
      return made;
    },
  });
}

/** `negotiation`: for the record alone. */
export function choose(
  call: SamplingCall,
  field: Field,
  negotiation: NegotiationRecord | null = null,
): Result<Plan, Refusal> {
  const needs = requirementsOf(call, field);
  const weights = weightsOf(call.priorities);
  const notes = notesOf(call, needs);
  return decide({ needs, hints: call.hints, weights, notes, negotiation }, field);
}

/** The decision as the audit record keeps it: feasible candidates, and counts for the rest. */
export function compactDecision(decision: Decision): Decision {
  const excluded = { ...decision.excluded };
  for (const { excludedBy } of decision.candidates)
    if (excludedBy !== undefined) excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
  return {
    ...decision,
    candidates: decision.candidates.filter(({ excludedBy }) => excludedBy === undefined),
    excluded,
  };
}
