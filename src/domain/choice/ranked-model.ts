/** One model of a tenant's pool, with everything that doesn't depend on the request. */
import { expectedMs, type Measured } from "./health.ts";
import { isUncurated, type Model } from "../models/model.ts";
import type { ExclusionReason } from "../requirements.ts";
import { alwaysReasons, reasoningOf, wantedHeadroom, type Reasoning } from "../models/reasoning.ts";
import { isPriceMissing } from "../models/cost.ts";
import { bitsOf, placeOf } from "./compiled-requirements.ts";
import { tokenFamilyOf } from "../tokens/tokenizers.ts";
import { type TokenFamily } from "../requirements.ts";

/** A model that some credential can serve. */
export interface RankedModel {
  model: Model;
  /** ids of active credentials without an open circuit on the way */
  credentialIds: string[];
  /** the lower, the rather this copy of the model is asked: its credential's place among the tenant's, the oldest first */
  preference: number;
  /**
   * ids of active credentials for when nothing else is feasible: a circuit is open because of faults, and not
   * because the provider asked
   */
  spareIds?: string[] | undefined;
  /** ms since the epoch, when the first credential may be tried; absent: one may be used now */
  openUntil?: number | undefined;
  /** the reason that excludes the model whatever the request is */
  exclusion: ExclusionReason | null;
  measured: Measured | null;
  /** ms that an ordinary answer is expected to take */
  expectedMs: number;
  /** an ordinary answer is expected to take longer than the call may */
  isLate: boolean;
  /** the model reasons whatever effort is asked of it */
  alwaysReasons: boolean;
  /** at the least effort: that effort, and the tokens of room before the model's own limits */
  leastReasoning: Pick<Reasoning, "effort" | "room">;
  /** the provider calls the model a preview */
  isPreview: boolean;
  /** it has a price that no source of the catalogue knows */
  isUnpriced: boolean;
  /** nothing says how able it is: only a hint that is its name chooses it */
  isUnjudged: boolean;
  /** the family of the model's tokenizer */
  family: TokenFamily;
  /** the place of that family among all families */
  familyPlace: number;
  tools: boolean;
  /** Infinity: unknown */
  contextTokens: number;
  outputTokens: number;
  /** the modalities that the model takes, and those that it makes, as bits */
  takes: number;
  makes: number;
}

/** What an entry is made of. */
type EntryParts = Pick<
  RankedModel,
  "model" | "credentialIds" | "preference" | "spareIds" | "openUntil" | "exclusion" | "measured"
> & {
  /** ms that a call may take, or whether an answer of this model takes longer */
  deadline: number | { isLate: boolean };
};

/** Makes an entry, with everything that follows from its parts. */
export function entryOf({ deadline, ...parts }: EntryParts): RankedModel {
  const { model, measured } = parts;
  const takesMs = expectedMs(model.speed, measured);
  const family = tokenFamilyOf(model);
  return {
    model,
    measured,
    credentialIds: parts.credentialIds,
    preference: parts.preference,
    spareIds: parts.spareIds,
    openUntil: parts.openUntil,
    exclusion: parts.exclusion,
    expectedMs: takesMs,
    isLate: typeof deadline === "number" ? takesMs > deadline : deadline.isLate,
    alwaysReasons: alwaysReasons(model),
    leastReasoning: {
      effort: reasoningOf(model).effort,
      room: wantedHeadroom(model, undefined),
    },
    isPreview: model.status === "preview",
    isUnpriced: isPriceMissing(model),
    isUnjudged:
      isUncurated(model) &&
      model.intelligence === null &&
      (model.source === "catalogue" || model.source === "provider"),
    family,
    familyPlace: placeOf(family),
    tools: model.tools,
    contextTokens: model.contextTokens ?? Number.POSITIVE_INFINITY,
    outputTokens: model.outputTokens ?? Number.POSITIVE_INFINITY,
    takes: bitsOf(model.inputModalities),
    makes: bitsOf(model.outputModalities),
  };
}
