import type { ProviderFault } from "../attempts.ts";
import type { Modality } from "../modality.ts";
import type { CloudPlace } from "./cloud-place.ts";
import type { ReasoningControl } from "./reasoning-control.ts";

/** The provider of canned answers, used until a tenant has another. */
export const cannedProvider = "demo";

/** 1 (lowest) to 5 (highest); null: unknown. */
export type Tier = 1 | 2 | 3 | 4 | 5 | null;

/** USD per million tokens, equal to micro-USD per token. Null or absent: unknown, never free; see `cost.ts`. */
export interface TokenPrices {
  inputUsdPerMTok: number | null;
  outputUsdPerMTok: number | null;
  cachedInputUsdPerMTok?: number | null | undefined;
  cacheWriteUsdPerMTok?: number | null | undefined;
  cacheWriteHourUsdPerMTok?: number | null | undefined;
  audioInputUsdPerMTok?: number | null | undefined;
  cachedAudioInputUsdPerMTok?: number | null | undefined;
}

export const classPrices = [
  "cachedInputUsdPerMTok",
  "cacheWriteUsdPerMTok",
  "cacheWriteHourUsdPerMTok",
  "audioInputUsdPerMTok",
  "cachedAudioInputUsdPerMTok",
] as const satisfies readonly (keyof TokenPrices)[];

export interface PriceTier extends TokenPrices {
  /** applies to the whole request if its input is larger */
  aboveInputTokens: number;
  inputUsdPerMTok: number;
  outputUsdPerMTok: number;
}

/** Unit prices of images and audio; absent: not billed by that unit. */
export interface MediaPrices {
  imageInputUsdPerMTok?: number | undefined;
  imageOutputUsdPerMTok?: number | undefined;
  usdPerImage?: number | undefined;
  usdPerAudioMinute?: number | undefined;
  usdPerMCharacters?: number | undefined;
}

export interface Model extends TokenPrices {
  provider: string;
  id: string;
  /** `provider/model` of the same model in the catalogue */
  like?: string | undefined;
  name: string;
  family: string | null;
  aliases: string[];
  inputModalities: Modality[];
  outputModalities: Modality[];
  /** input and output together; null: unknown */
  contextTokens: number | null;
  outputTokens: number | null;
  tools: boolean;
  temperature: boolean;
  /** whether the model continues a last assistant message; absent: see `takesPrefill` */
  prefill?: boolean | undefined;
  reasoning: boolean;
  reasoningControl?: ReasoningControl | undefined;
  cachedInputUsdPerMTok: number | null;
  priceTiers: PriceTier[];
  mediaPrices?: MediaPrices | undefined;
  intelligence: Tier;
  speed: Tier;
  /** `preview`: preview, beta or experimental */
  status: "active" | "preview" | "retired";
  releasedAt?: string | null | undefined;
  retiresAt?: string | null | undefined;
  /** published results by benchmark and setting; comparable only under the same key */
  scores?: Readonly<Record<string, number>> | undefined;
  /** last source of the figures; `provider`: only in a provider's list */
  source: "catalogue" | "provider" | "credential" | "override";
  /** figures from the last sync with models.dev */
  synced?: readonly Figure[];
  estimated?: readonly Figure[] | undefined;
  /** curated figures from memory or a third party */
  unverified?: readonly Figure[] | undefined;
}

export interface Catalogue {
  version: string;
  models: readonly Model[];
}

export type ModelChange = Partial<
  Omit<Model, "provider" | "id" | "source" | "synced" | "estimated" | "unverified">
>;
export type Figure = keyof ModelChange;

export interface ModelOverride {
  provider: string;
  id: string;
  change: ModelChange;
}

/** A model of a custom endpoint. Its figures take precedence over those of `like`. */
export interface DeclaredModel extends ModelChange {
  id: string;
}

export const isPrice = (figure: string): boolean =>
  figure === "like" ||
  figure.includes("Usd") ||
  figure === "priceTiers" ||
  figure === "mediaPrices";

export interface Listing {
  at: number;
  ids: string[];
}

export interface LastCheck {
  at: number;
  ok: boolean;
  /** of the provider; null if it answered */
  fault: Pick<ProviderFault, "kind" | "status" | "code" | "network"> | null;
}

export interface CredentialSummary {
  id: string;
  provider: string;
  status: "active" | "failing";
  models: DeclaredModel[] | null;
  baseUrl?: string | null;
  /** absent or null: not a cloud's */
  place?: CloudPlace | null;
  /** the last conclusive list */
  listing?: Listing | null;
  /** null: not checked since its key was set */
  lastCheck?: LastCheck | null;
}

export const nameOf = (model: Pick<Model, "provider" | "id">): string =>
  `${model.provider}/${model.id}`;

export const isUncurated = ({
  synced,
  source,
}: Pick<Model, "synced"> & Partial<Pick<Model, "source">>): boolean =>
  source === "provider" || synced?.includes("name") === true;

export const isEstimated = ({ estimated }: Pick<Model, "estimated">): boolean =>
  estimated?.includes("intelligence") === true;

export const unknownFigures = {
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
} satisfies Partial<Model>;

export const unknownModel = (provider: string, id: string): Model => ({
  ...unknownFigures,
  provider,
  id,
  name: id,
  source: "credential",
});

/** A tenant's plain input price replaces the price list, so the catalogue's class prices are dropped. */
export function withClassPrices<Change extends ModelChange>(
  change: Change,
  before: Pick<Model, "inputUsdPerMTok"> | undefined,
): Change {
  const { inputUsdPerMTok } = change;
  if (inputUsdPerMTok === undefined || inputUsdPerMTok === before?.inputUsdPerMTok) return change;
  return { ...Object.fromEntries(classPrices.map((price) => [price, null])), ...change };
}

export const localProviders: ReadonlySet<string> = new Set(["ollama"]);

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
