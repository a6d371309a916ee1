/**
 * The choice: feasible first, then preferred, and explained. Pure: the same request, field and
 * catalogue version give the same decision.
 */
import { estimateInputTokens, inputModalitiesOf } from "./estimate.ts";
import { exclusionOf, type Entry, type Field, type FieldPolicy } from "./field.ts";
import type { Measured } from "./health.ts";
import { narrow, type Narrowed } from "./hints.ts";
import type { ExclusionReason, Model, Requirements } from "./models.ts";
import type { Refusal } from "./refusals.ts";
import { err, ok, type Result } from "./result.ts";
import type { SamplingCall } from "./sampling.ts";
import { byRank, scoreAll, weightsOf, type Axes, type Scored } from "./score.ts";
import { expectedUsage } from "./usage.ts";
import type { NegotiationRecord } from "./shaping.ts";

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
  decision: Decision;
  /** the walk of failover: never empty */
  choices: Choice[];
}

export function requirementsOf(call: SamplingCall, policy: FieldPolicy): Requirements {
  return {
    inputModalities: inputModalitiesOf(call),
    outputModalities: call.outputModalities,
    tools: call.tools.length > 0,
    inputTokens: estimateInputTokens(call),
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
}

function notesOf(call: SamplingCall, needs: Requirements): string[] {
  const notes: string[] = [];
  if (call.includeContext !== "none")
    notes.push(`includeContext "${call.includeContext}" treated as "none"`);
  if (needs.maxTokens < call.maxTokens) notes.push(`maxTokens capped by policy`);
  return notes;
}

const candidateOf = ({ entry, axes, score }: Scored, narrowed: Narrowed): Candidate => {
  const candidate: Candidate = {
    provider: entry.model.provider,
    model: entry.model.id,
    score: round(score),
    axes: {
      cost: round(axes.cost),
      speed: round(axes.speed),
      intelligence: round(axes.intelligence),
    },
  };
  if (entry.measured !== null) candidate.measured = entry.measured;
  if (narrowed.hint !== null && narrowed.models.has(entry.model)) {
    candidate.matchedHint = narrowed.hint;
    if (narrowed.viaEquivalence) candidate.viaEquivalence = true;
  }
  return candidate;
};

/** Chooses. Refuses with every model that has a credential and what excluded it. */
export function decide(asking: Asking, field: Field): Result<Plan, Refusal> {
  const { needs, hints, weights } = asking;
  const feasible: Entry[] = [];
  const out: Candidate[] = [];
  for (const entry of field.entries) {
    const excludedBy = exclusionOf(entry, needs);
    const { provider, id } = entry.model;
    if (excludedBy === null) feasible.push(entry);
    else out.push({ provider, model: id, excludedBy });
  }
  if (feasible.length === 0)
    return err({
      reason: "no_eligible_model",
      requirements: needs,
      candidates: out.map(({ provider, model, excludedBy }) => ({
        model: `${provider}/${model}`,
        excludedBy: excludedBy ?? "no_credential",
      })),
    });
  const narrowed = narrow(
    hints,
    feasible.map(({ model }) => model),
    field.models,
  );
  const all = scoreAll(feasible, needs, weights);
  const isPreferred = ({ entry }: Scored): boolean => narrowed.models.has(entry.model);
  const scored =
    narrowed.hint === null
      ? all.toSorted(byRank)
      : [
          ...all.filter(isPreferred).toSorted(byRank),
          ...all.filter((its) => !isPreferred(its)).toSorted(byRank),
        ];
  const candidates = scored.map((its) => candidateOf(its, narrowed));
  const [best] = scored as [Scored, ...Scored[]];
  const { provider, id } = best.entry.model;
  const decision: Decision = {
    provider,
    model: id,
    candidates: [...candidates, ...out],
    excluded: field.unserved === 0 ? {} : { no_credential: field.unserved },
    requirements: needs,
    weights,
    estimate: {
      inputTokens: needs.inputTokens,
      outputTokens: expectedUsage(best.entry.model, needs).outputTokens,
      costUsd: Number.isFinite(best.cost) ? best.cost / 1e6 : null,
    },
    catalogueVersion: field.catalogueVersion,
    notes: [...asking.notes],
  };
  const choices = scored.map(({ entry }) => ({
    model: entry.model,
    credentialIds: entry.credentialIds,
  }));
  return ok({ decision, choices });
}

export function choose(call: SamplingCall, field: Field): Result<Plan, Refusal> {
  const needs = requirementsOf(call, field.policy);
  const weights = weightsOf(call.priorities);
  return decide({ needs, hints: call.hints, weights, notes: notesOf(call, needs) }, field);
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
