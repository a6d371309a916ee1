/** What one tenant can choose from, prepared once for many requests; and what excludes a model. */
import { columnsOf, type Columns } from "./columns.ts";
import { entryOf, type Entry } from "./entry.ts";
import { isOpen, measuredFrom, type Health } from "./health.ts";
import {
  credentialsFor,
  isAllowed,
  nameOf,
  type CredentialSummary,
  type ExclusionReason,
  type Model,
} from "./models.ts";
import type { Modality } from "./modality.ts";
import type { Ceiling } from "./limits.ts";
import { wantedHeadroom, type ReasoningWish } from "./reasoning.ts";
import { textBit, type Sought } from "./sought.ts";
import type { TokenFamily } from "./tokens.ts";
import { costMicroUsd, expectedUsage, isPriced } from "./usage.ts";

/** What one tenant can choose from, prepared once for many requests. */
export interface Field {
  /** every model known, for hints that name one that can't serve */
  models: readonly Model[];
  /** by name */
  entries: readonly Entry[];
  /** the entries' models */
  served: readonly Model[];
  /** what a ranking compares of the entries */
  columns: Columns;
  /** what some model of it can do, also while its circuit is open */
  able: { outputs: ReadonlySet<Modality>; tools: boolean };
  /** the tokenizers of the models that may be chosen */
  families: readonly TokenFamily[];
  /** models that no credential can serve */
  unserved: number;
  catalogueVersion: string;
  policy: FieldPolicy;
}

export interface FieldPolicy {
  allowedModels?: string[];
  deniedModels?: string[];
  maxTokens?: number;
  reasoning?: ReasoningWish;
  reasoningTokens?: number;
  /** what one call may use by the size of the limits that apply; absent: as much as it likes */
  ceiling?: Ceiling;
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

/** Of entries in any order. */
export function fieldOf(
  entries: readonly Entry[],
  about: Pick<Field, "models" | "unserved" | "catalogueVersion" | "policy">,
): Field {
  const sorted = entries.toSorted((a, b) => byModelName(a.model, b.model));
  const eligible = sorted.filter(({ exclusion }) => exclusion === null);
  const able = sorted.filter(({ exclusion }) => exclusion === null || exclusion === "circuit_open");
  return {
    ...about,
    able: {
      outputs: new Set(able.flatMap(({ model }) => model.outputModalities)),
      tools: able.some(({ model }) => model.tools),
    },
    entries: sorted,
    served: sorted.map(({ model }) => model),
    columns: columnsOf(sorted),
    families: [...new Set(eligible.map(({ family }) => family))],
  };
}

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
    entries.push(
      entryOf({
        model,
        credentialIds: [...ids],
        exclusion: standingExclusion(model, serving, closed, policy),
        measured,
      }),
    );
  }
  return fieldOf(entries, {
    models,
    unserved: models.length - entries.length,
    catalogueVersion: parts.catalogueVersion,
    policy,
  });
}

/** Whether a model's reasoning finds all the room that it wants beside the text. */
function hasRoom({ model, familyPlace }: Entry, sought: Sought, ceiling?: Ceiling): boolean {
  const { needs, maxTokens } = sought;
  // It takes what is left.
  if (needs.reasoning?.shrinks === true) return true;
  const wanted = wantedHeadroom(model, needs.reasoning);
  if (wanted === 0) return true;
  const inputTokens = sought.most[familyPlace] ?? 0;
  const output = maxTokens + wanted;
  if (output > (model.outputTokens ?? output)) return false;
  if (inputTokens + output > (model.contextTokens ?? inputTokens + output)) return false;
  if (ceiling === undefined) return true;
  if (inputTokens + output > ceiling.tokens) return false;
  const usage = expectedUsage(model, { ...needs, inputTokens });
  return (costMicroUsd(model, usage) ?? 0) <= ceiling.microUsd;
}

/** Why a model can't serve this request; null if it can. The first reason that applies, in this order. */
export function exclusionOf(
  entry: Entry,
  sought: Sought,
  ceiling?: Ceiling,
): ExclusionReason | null {
  const { model, exclusion } = entry;
  if (exclusion !== null) return exclusion;
  if ((entry.takes & sought.takes) !== sought.takes) return "input_modality";
  if ((entry.makes & sought.makes) !== sought.makes) return "output_modality";
  if (sought.tools && !model.tools) return "tools";
  // `maxTokens` bounds what is written; an image or speech is as long as it is.
  const writes = (entry.makes & textBit) === 0 ? 0 : sought.maxTokens;
  if (model.outputTokens !== null && writes > model.outputTokens) return "output_limit";
  if (
    model.contextTokens !== null &&
    (sought.most[entry.familyPlace] ?? 0) + writes > model.contextTokens
  )
    return "context_window";
  const isRoomy = writes === 0 || !model.reasoning || hasRoom(entry, sought, ceiling);
  return isRoomy ? null : "reasoning_room";
}
