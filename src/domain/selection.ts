/**
 * The choice: feasible first, then preferred, and explained. Pure: the same call, models and
 * catalogue version give the same decision.
 */
import { estimateInputTokens, inputModalitiesOf } from "./estimate.ts";
import { narrow } from "./hints.ts";
import {
  credentialsFor,
  isAllowed,
  nameOf,
  type CredentialSummary,
  type ExclusionReason,
  type Model,
  type Requirements,
} from "./models.ts";
import type { Refusal } from "./refusals.ts";
import { err, ok, type Result } from "./result.ts";
import type { Priorities, SamplingCall } from "./sampling.ts";
import type { NegotiationRecord } from "./shaping.ts";
import { costMicroUsd } from "./usage.ts";

export interface Axes {
  cost: number;
  speed: number;
  intelligence: number;
}

export interface Candidate {
  provider: string;
  model: string;
  /** 0–1, higher is better; absent for an excluded one */
  score?: number;
  axes?: Axes;
  matchedHint?: string;
  viaEquivalence?: true;
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

export interface Field {
  models: readonly Model[];
  credentials: readonly CredentialSummary[];
  catalogueVersion: string;
  policy: { allowedModels?: string[]; deniedModels?: string[]; maxTokens?: number };
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

export function requirementsOf(call: SamplingCall, policy: Field["policy"]): Requirements {
  return {
    inputModalities: inputModalitiesOf(call),
    outputModalities: call.outputModalities,
    tools: call.tools.length > 0,
    inputTokens: estimateInputTokens(call),
    maxTokens: Math.min(call.maxTokens, policy.maxTokens ?? call.maxTokens),
  };
}

/** Why a model can't serve; null if it can. The first reason that applies, in this order. */
export function exclusionOf(
  model: Model,
  needs: Requirements,
  field: Pick<Field, "policy" | "credentials">,
): ExclusionReason | null {
  const credentials = credentialsFor(model, field.credentials);
  if (credentials.length === 0) return "no_credential";
  if (model.status === "retired") return "retired";
  if (!isAllowed(model, field.policy)) return "not_allowed";
  if (credentials.every(({ status }) => status === "failing")) return "credential_failing";
  if (!needs.inputModalities.every((modality) => model.inputModalities.includes(modality)))
    return "input_modality";
  if (!needs.outputModalities.every((modality) => model.outputModalities.includes(modality)))
    return "output_modality";
  if (needs.tools && !model.tools) return "tools";
  if (model.outputTokens !== null && needs.maxTokens > model.outputTokens) return "output_limit";
  if (model.contextTokens !== null && needs.inputTokens + needs.maxTokens > model.contextTokens)
    return "context_window";
  return null;
}

/** Share of the other models that are strictly worse, ties counting half: 0–1, whatever the unit. */
function quantiles(values: readonly number[]): number[] {
  if (values.length === 1) return [1];
  return values.map((value, at) => {
    let below = 0;
    for (const [other, rival] of values.entries())
      if (other !== at) below += rival < value ? 1 : rival === value ? 0.5 : 0;
    return below / (values.length - 1);
  });
}

/** What an unknown figure counts as: the middle for a tier, the dearest for a price. */
const middleTier = 3;

interface Scored {
  model: Model;
  axes: Axes;
  score: number;
  cost: number;
}

function scoreAll(models: readonly Model[], needs: Requirements, weights: Axes): Scored[] {
  const usage = { inputTokens: needs.inputTokens, outputTokens: needs.maxTokens };
  const costs = models.map((model) => costMicroUsd(model, usage) ?? Number.POSITIVE_INFINITY);
  const cost = quantiles(costs.map((value) => -value));
  const speed = quantiles(models.map((model) => model.speed ?? middleTier));
  const intelligence = quantiles(models.map((model) => model.intelligence ?? middleTier));
  return models.map((model, at) => {
    const axes = {
      cost: cost[at] ?? 0,
      speed: speed[at] ?? 0,
      intelligence: intelligence[at] ?? 0,
    };
    const score =
      weights.cost * axes.cost +
      weights.speed * axes.speed +
      weights.intelligence * axes.intelligence;
    return { model, axes, score, cost: costs[at] ?? Number.POSITIVE_INFINITY };
  });
}

/** Higher score, then cheaper, then more intelligent, then faster, then by name. */
function byRank(a: Scored, b: Scored): number {
  if (Math.abs(a.score - b.score) > 1e-9) return b.score - a.score;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.axes.intelligence !== b.axes.intelligence) return b.axes.intelligence - a.axes.intelligence;
  if (a.axes.speed !== b.axes.speed) return b.axes.speed - a.axes.speed;
  return nameOf(a.model) < nameOf(b.model) ? -1 : 1;
}

const round = (value: number): number => Math.round(value * 1e4) / 1e4;

function notesOf(call: SamplingCall, needs: Requirements): string[] {
  const notes: string[] = [];
  if (call.includeContext !== "none")
    notes.push(`includeContext "${call.includeContext}" treated as "none"`);
  if (needs.maxTokens < call.maxTokens) notes.push(`maxTokens capped by policy`);
  return notes;
}

/** Chooses. Refuses with every model that has a credential and what excluded it. */
export function choose(call: SamplingCall, field: Field): Result<Plan, Refusal> {
  const needs = requirementsOf(call, field.policy);
  const weights = weightsOf(call.priorities);
  const feasible: Model[] = [];
  const out: Candidate[] = [];
  const excluded: Decision["excluded"] = {};
  for (const model of field.models) {
    const reason = exclusionOf(model, needs, field);
    if (reason === null) feasible.push(model);
    else if (reason === "no_credential") excluded[reason] = (excluded[reason] ?? 0) + 1;
    else out.push({ provider: model.provider, model: model.id, excludedBy: reason });
  }
  const byName = (a: Candidate, b: Candidate): number =>
    `${a.provider}/${a.model}` < `${b.provider}/${b.model}` ? -1 : 1;
  out.sort(byName);
  const narrowed = narrow(call.hints, feasible, field.models);
  const preferred = new Set(narrowed.models);
  const scored = scoreAll(feasible, needs, weights).toSorted(
    (a, b) => Number(preferred.has(b.model)) - Number(preferred.has(a.model)) || byRank(a, b),
  );
  const best = scored[0];
  if (best === undefined)
    return err({
      reason: "no_eligible_model",
      requirements: needs,
      candidates: out.map(({ provider, model, excludedBy }) => ({
        model: `${provider}/${model}`,
        excludedBy: excludedBy ?? "no_credential",
      })),
    });
  const candidates = scored.map(({ model, axes, score }): Candidate => {
    const candidate: Candidate = {
      provider: model.provider,
      model: model.id,
      score: round(score),
      axes: {
        cost: round(axes.cost),
        speed: round(axes.speed),
        intelligence: round(axes.intelligence),
      },
    };
    if (narrowed.hint !== null && preferred.has(model)) {
      candidate.matchedHint = narrowed.hint;
      if (narrowed.viaEquivalence) candidate.viaEquivalence = true;
    }
    return candidate;
  });
  const decision: Decision = {
    provider: best.model.provider,
    model: best.model.id,
    candidates: [...candidates, ...out],
    excluded,
    requirements: needs,
    weights: {
      cost: round(weights.cost),
      speed: round(weights.speed),
      intelligence: round(weights.intelligence),
    },
    estimate: {
      inputTokens: needs.inputTokens,
      outputTokens: needs.maxTokens,
      costUsd: Number.isFinite(best.cost) ? best.cost / 1e6 : null,
    },
    catalogueVersion: field.catalogueVersion,
    notes: notesOf(call, needs),
  };
  const choices = scored.map(({ model }) => ({
    model,
    credentialIds: credentialsFor(model, field.credentials)
      .filter(({ status }) => status === "active")
      .map(({ id }) => id),
  }));
  return ok({ decision, choices });
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
