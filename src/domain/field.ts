/** What one tenant can choose from, prepared once for many requests; and what excludes a model. */
import { expectedMs, isOpen, measuredFrom, type Health, type Measured } from "./health.ts";
import {
  credentialsFor,
  isAllowed,
  nameOf,
  type CredentialSummary,
  type ExclusionReason,
  type Model,
  type Requirements,
} from "./models.ts";
import { isPriced } from "./usage.ts";

/** A model that some credential can serve. */
export interface Entry {
  model: Model;
  /** active, and with a closed circuit */
  credentialIds: string[];
  /** what excludes it whatever the request is */
  exclusion: ExclusionReason | null;
  measured: Measured | null;
  /** ms that an ordinary answer is expected to take */
  expectedMs: number;
}

/** What one tenant can choose from, prepared once for many requests. */
export interface Field {
  /** every model known, for hints that name one that can't serve */
  models: readonly Model[];
  /** by name */
  entries: readonly Entry[];
  /** models that no credential can serve */
  unserved: number;
  catalogueVersion: string;
  policy: FieldPolicy;
}

export interface FieldPolicy {
  allowedModels?: string[];
  deniedModels?: string[];
  maxTokens?: number;
  /** the asking server's own lists; a model passes both */
  server?: Pick<FieldPolicy, "allowedModels" | "deniedModels">;
  /** money is limited, so what it would cost must be known */
  budgeted?: true;
}

export interface FieldParts {
  models: readonly Model[];
  credentials: readonly CredentialSummary[];
  catalogueVersion: string;
  policy: FieldPolicy;
  health?: readonly Health[];
  /** ms since the epoch, for what was measured and for circuits */
  now?: number;
}

function standingExclusion(
  model: Model,
  credentials: readonly CredentialSummary[],
  closed: readonly CredentialSummary[],
  policy: FieldPolicy,
): ExclusionReason | null {
  if (model.status === "retired") return "retired";
  if (!isAllowed(model, policy) || !isAllowed(model, policy.server ?? {})) return "not_allowed";
  if (policy.budgeted === true && !isPriced(model)) return "unknown_price";
  if (credentials.every(({ status }) => status === "failing")) return "credential_failing";
  return closed.length === 0 ? "circuit_open" : null;
}

const byModelName = (a: Model, b: Model): number => (nameOf(a) < nameOf(b) ? -1 : 1);

export function fieldFrom(parts: FieldParts): Field {
  const { models, credentials, policy, health = [], now = 0 } = parts;
  const byModel = Map.groupBy(health, ({ model }) => model);
  const entries: Entry[] = [];
  for (const model of models.toSorted(byModelName)) {
    const serving = credentialsFor(model, credentials);
    if (serving.length === 0) continue;
    const seen = byModel.get(nameOf(model)) ?? [];
    const open = new Set(
      seen.filter((its) => isOpen(its, now)).map(({ credentialId }) => credentialId),
    );
    const closed = serving.filter(({ id, status }) => status === "active" && !open.has(id));
    const ids = new Set(closed.map(({ id }) => id));
    const samples = seen
      .filter(({ credentialId }) => ids.has(credentialId))
      .flatMap((its) => its.samples);
    const measured = measuredFrom(samples, now);
    entries.push({
      model,
      credentialIds: [...ids],
      exclusion: standingExclusion(model, serving, closed, policy),
      measured,
      expectedMs: expectedMs(model.speed, measured),
    });
  }
  return {
    models,
    entries,
    unserved: models.length - entries.length,
    catalogueVersion: parts.catalogueVersion,
    policy,
  };
}

/** Why a model can't serve this request; null if it can. The first reason that applies, in this order. */
export function exclusionOf(
  { exclusion, model }: Entry,
  needs: Requirements,
): ExclusionReason | null {
  if (exclusion !== null) return exclusion;
  if (!needs.inputModalities.every((modality) => model.inputModalities.includes(modality)))
    return "input_modality";
  if (!needs.outputModalities.every((modality) => model.outputModalities.includes(modality)))
    return "output_modality";
  if (needs.tools && !model.tools) return "tools";
  // `maxTokens` bounds what is written; an image or speech is as long as it is.
  const writes = model.outputModalities.includes("text") ? needs.maxTokens : 0;
  if (model.outputTokens !== null && writes > model.outputTokens) return "output_limit";
  if (model.contextTokens !== null && needs.inputTokens + writes > model.contextTokens)
    return "context_window";
  return null;
}
