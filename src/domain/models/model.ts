/** Models as the choice sees them: those of the catalogue, what a tenant changed, and what the tenant may use. */
import type { Modality } from "../modality.ts";
import type { ReasoningControl } from "./reasoning.ts";

/** The provider whose answers are canned: it stands in until the tenant has another. */
export const cannedProvider = "demo";

/** 1 (lowest) to 5 (highest); null: unknown. */
export type Tier = 1 | 2 | 3 | 4 | 5 | null;

/**
 * USD per million tokens, which equals micro-USD per token. Null or absent: unknown, which is never free;
 * `cost.ts` says what such a class of tokens costs.
 */
export interface TokenPrices {
  inputUsdPerMTok: number | null;
  outputUsdPerMTok: number | null;
  /** for input that the provider read from its cache */
  cachedInputUsdPerMTok?: number | null | undefined;
  /** for input that the provider wrote to its cache, for five minutes or for the provider's own time */
  cacheWriteUsdPerMTok?: number | null | undefined;
  /** for input that the provider wrote to its cache for an hour */
  cacheWriteHourUsdPerMTok?: number | null | undefined;
  /** for audio in the input */
  audioInputUsdPerMTok?: number | null | undefined;
  /** for audio that the provider read from its cache */
  cachedAudioInputUsdPerMTok?: number | null | undefined;
}

/** The members of `TokenPrices` that are for a part of the input. */
export const classPrices = [
  "cachedInputUsdPerMTok",
  "cacheWriteUsdPerMTok",
  "cacheWriteHourUsdPerMTok",
  "audioInputUsdPerMTok",
  "cachedAudioInputUsdPerMTok",
] as const satisfies readonly (keyof TokenPrices)[];

export interface PriceTier extends TokenPrices {
  /** these prices hold for the whole request once its input is larger than this many tokens */
  aboveInputTokens: number;
  inputUsdPerMTok: number;
  outputUsdPerMTok: number;
}

/**
 * Prices of images and audio in units of their own. An absent price: this model isn't billed by that unit.
 * `cost.ts` says which prices count, and when prices of tokens do.
 */
export interface MediaPrices {
  /** USD per million tokens of input or output that are images, where text has another price */
  imageInputUsdPerMTok?: number | undefined;
  imageOutputUsdPerMTok?: number | undefined;
  usdPerImage?: number | undefined;
  /** for audio that was generated */
  usdPerAudioMinute?: number | undefined;
  /** USD per million characters read aloud */
  usdPerMCharacters?: number | undefined;
}

export interface Model extends TokenPrices {
  provider: string;
  id: string;
  /** `provider/model` of the catalogue's model that this one is by another name; absent: none */
  like?: string | undefined;
  name: string;
  family: string | null;
  aliases: string[];
  inputModalities: Modality[];
  outputModalities: Modality[];
  /** tokens of input and output together; null: unknown */
  contextTokens: number | null;
  /** tokens of output; null: unknown */
  outputTokens: number | null;
  tools: boolean;
  temperature: boolean;
  /** whether the model goes on with a last message of the assistant's; absent: see `takesPrefill` */
  prefill?: boolean | undefined;
  reasoning: boolean;
  /** absent: all that is known is that the model reasons */
  reasoningControl?: ReasoningControl | undefined;
  cachedInputUsdPerMTok: number | null;
  priceTiers: PriceTier[];
  /** absent: the model is billed by tokens alone */
  mediaPrices?: MediaPrices | undefined;
  intelligence: Tier;
  speed: Tier;
  /** `preview`: the provider calls the model preview, beta or experimental */
  status: "active" | "preview" | "retired";
  /** ISO date of the release; absent or null: unknown */
  releasedAt?: string | null | undefined;
  /** ISO date of the day on which the provider shuts the model down; absent or null: none is announced */
  retiresAt?: string | null | undefined;
  /** published results, by benchmark and setting; comparable only under the same key */
  scores?: Readonly<Record<string, number>> | undefined;
  /** which source set the model's figures last; `provider`: nothing but its list has the model */
  source: "catalogue" | "provider" | "credential" | "override";
  /** the figures that the last sync with models.dev gave; absent: none */
  synced?: readonly Figure[];
  /** the tiers that were estimated from the price, since the model's line is new; absent: none */
  estimated?: readonly Figure[] | undefined;
  /** the seed's figures that are from memory or a third party; absent: none */
  unverified?: readonly Figure[] | undefined;
}

export interface Catalogue {
  version: string;
  models: readonly Model[];
}

/** What a tenant says about a model: changes of a known model, or a new model. */
export type ModelChange = Partial<
  Omit<Model, "provider" | "id" | "source" | "synced" | "estimated" | "unverified">
>;
export type Figure = keyof ModelChange;

export interface ModelOverride {
  provider: string;
  id: string;
  change: ModelChange;
}

/** A model that a custom endpoint serves, as its credential declares it. Its own figures count before those of `like`. */
export interface DeclaredModel extends ModelChange {
  id: string;
}

/** Whether a figure of a model is one of its prices. */
export const isPrice = (figure: string): boolean =>
  figure === "like" ||
  figure.includes("Usd") ||
  figure === "priceTiers" ||
  figure === "mediaPrices";

/** The models that a provider listed for a key. */
export interface Listing {
  /** ms since the epoch */
  at: number;
  ids: string[];
}

/** A credential as the choice sees it: no secret. */
export interface CredentialSummary {
  id: string;
  provider: string;
  status: "active" | "failing";
  /** null: every catalogue model of its provider */
  models: DeclaredModel[] | null;
  /** absent or null: the provider's own */
  baseUrl?: string | null;
  /** the last list that proves something; absent or null: none was read */
  listing?: Listing | null;
}

export const nameOf = (model: Pick<Model, "provider" | "id">): string =>
  `${model.provider}/${model.id}`;

/** Whether a sync, or the provider's list, brought the model, so that no person has judged it. */
export const isUncurated = ({
  synced,
  source,
}: Pick<Model, "synced"> & Partial<Pick<Model, "source">>): boolean =>
  source === "provider" || synced?.includes("name") === true;

/** Whether the model's class is estimated from its price. */
export const isEstimated = ({ estimated }: Pick<Model, "estimated">): boolean =>
  estimated?.includes("intelligence") === true;

export const unknownModel = (provider: string, id: string): Model => ({
  provider,
  id,
  name: id,
  family: null,
  aliases: [],
  inputModalities: ["text"],
  outputModalities: ["text"],
  contextTokens: null,
  outputTokens: null,
  tools: false,
  temperature: true,
  reasoning: false,
  inputUsdPerMTok: null,
  outputUsdPerMTok: null,
  cachedInputUsdPerMTok: null,
  priceTiers: [],
  intelligence: null,
  speed: null,
  status: "active",
  source: "credential",
});

/**
 * A change, with what follows from it. A tenant who sets another plain input price has another price list than
 * the catalogue's, so the catalogue's prices of cached or spoken input don't count beside it.
 */
export function withClassPrices<Change extends ModelChange>(
  change: Change,
  before: Pick<Model, "inputUsdPerMTok"> | undefined,
): Change {
  const { inputUsdPerMTok } = change;
  if (inputUsdPerMTok === undefined || inputUsdPerMTok === before?.inputUsdPerMTok) return change;
  return { ...Object.fromEntries(classPrices.map((price) => [price, null])), ...change };
}

/**
 * Providers that serve only the models that were installed there, so a credential that names no model offers
 * none.
 */
export const localProviders: ReadonlySet<string> = new Set(["ollama"]);

/** The credentials that can serve a model, oldest first. */
export const credentialsFor = (
  model: Model,
  credentials: readonly CredentialSummary[],
): CredentialSummary[] =>
  credentials.filter(
    (credential) =>
      credential.provider === model.provider &&
      (credential.models === null || credential.models.length === 0
        ? !localProviders.has(model.provider)
        : credential.models.some(({ id }) => id === model.id)),
  );
