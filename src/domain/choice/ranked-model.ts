import { expectedMs, type Measured } from "./health.ts";
import { isUncurated, type Model } from "../models/model.ts";
import type { ExclusionReason } from "../requirements.ts";
import { alwaysReasons, reasoningOf, wantedHeadroom, type Reasoning } from "../models/reasoning.ts";
import { isPriceMissing } from "../models/cost.ts";
import { bitsOf, familyIndexOf } from "./compiled-requirements.ts";
import { tokenFamilyOf } from "../tokens/tokenizers.ts";
import { type TokenFamily } from "../requirements.ts";

export interface RankedModel {
  model: Model;
  credentialIds: string[];
  /** position of the credential among the tenant's, oldest first; lower is preferred */
  preference: number;
  /** active credentials whose circuits opened because of faults, used if nothing else is feasible */
  spareIds?: string[] | undefined;
  openUntil?: number | undefined;
  exclusion: ExclusionReason | null;
  excluded: { provider: string; model: string; excludedBy: ExclusionReason } | null;
  measured: Measured | null;
  expectedMs: number;
  isLate: boolean;
  /** reasons at any effort */
  alwaysReasons: boolean;
  /** at the least effort; `room` in tokens, before the model's limits */
  minReasoning: Pick<Reasoning, "effort" | "room">;
  isPreview: boolean;
  isUnpriced: boolean;
  isUnrated: boolean;
  family: TokenFamily;
  familyIndex: number;
  tools: boolean;
  contextTokens: number;
  outputTokens: number;
  inputBits: number;
  outputBits: number;
}

type EntryParts = Pick<
  RankedModel,
  "model" | "credentialIds" | "preference" | "spareIds" | "openUntil" | "exclusion" | "measured"
> & {
  /** ms that a call may take, or a recorded result */
  deadline: number | { isLate: boolean };
};

export function entryOf({ deadline, ...parts }: EntryParts): RankedModel {
  const { model, measured, exclusion } = parts;
  const { provider, id } = model;
  const takesMs = expectedMs(model.speed, measured);
  const family = tokenFamilyOf(model);
  return {
    model,
    measured,
    credentialIds: parts.credentialIds,
    preference: parts.preference,
    spareIds: parts.spareIds,
    openUntil: parts.openUntil,
    exclusion,
    excluded: exclusion === null ? null : { provider, model: id, excludedBy: exclusion },
    expectedMs: takesMs,
    isLate: typeof deadline === "number" ? takesMs > deadline : deadline.isLate,
    alwaysReasons: alwaysReasons(model),
    minReasoning: {
      effort: reasoningOf(model).effort,
      room: wantedHeadroom(model, undefined),
    },
    isPreview: model.status === "preview",
    isUnpriced: isPriceMissing(model),
    isUnrated:
      isUncurated(model) &&
      model.intelligence === null &&
      (model.source === "catalogue" || model.source === "provider"),
    family,
    familyIndex: familyIndexOf(family),
    tools: model.tools,
    contextTokens: model.contextTokens ?? Number.POSITIVE_INFINITY,
    outputTokens: model.outputTokens ?? Number.POSITIVE_INFINITY,
    inputBits: bitsOf(model.inputModalities),
    outputBits: bitsOf(model.outputModalities),
  };
}
