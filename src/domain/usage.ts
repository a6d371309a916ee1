/** Tokens, images and audio into money. Money is micro-USD, whole, rounded up once at the end. */
import type { MediaPrices, Model, Requirements } from "./models.ts";
import { headroomOf, type Thinker } from "./reasoning.ts";

/** The images and the audio of a call, in the units that providers bill. */
export interface MediaUsage {
  /** those of the input tokens that are images */
  imageInputTokens?: number;
  /** those of the output tokens that are images */
  imageOutputTokens?: number;
  /** generated */
  images?: number;
  /** generated */
  audioSeconds?: number;
  /** read aloud */
  characters?: number;
}

/** Parts of a usage that are priced apart. An absent one: the provider said nothing of it. */
export interface TokenClasses {
  /** those of the input tokens that the provider read from its cache */
  cacheReadTokens?: number;
  /** those of the input tokens that the provider wrote to its cache, for five minutes */
  cacheWriteTokens?: number;
  /** the same, for an hour */
  cacheWriteHourTokens?: number;
  /** those of the input tokens that are audio */
  audioInputTokens?: number;
  /** those of the output tokens that no caller sees */
  reasoningTokens?: number;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** the provider reported none, so these are our estimate */
  estimated: boolean;
  /** absent: the provider told the totals alone */
  classes?: TokenClasses;
  /** absent: text only */
  media?: MediaUsage;
}

/** What a usage must say to be priced; an estimate says that it is one. */
export type Billable = Pick<Usage, "inputTokens" | "outputTokens" | "media"> &
  Partial<Pick<Usage, "estimated">>;

type Priced = Pick<Model, "inputUsdPerMTok" | "outputUsdPerMTok" | "priceTiers" | "mediaPrices">;

function byTokens(model: Priced, { inputTokens, outputTokens, media }: Billable): number | null {
  const tier = model.priceTiers
    .filter(({ aboveInputTokens }) => inputTokens > aboveInputTokens)
    .toSorted((a, b) => b.aboveInputTokens - a.aboveInputTokens)[0];
  const input = tier?.inputUsdPerMTok ?? model.inputUsdPerMTok;
  const output = tier?.outputUsdPerMTok ?? model.outputUsdPerMTok;
  if (input === null || output === null) return null;
  const imagesIn = Math.min(inputTokens, media?.imageInputTokens ?? 0);
  const imagesOut = Math.min(outputTokens, media?.imageOutputTokens ?? 0);
  return (
    (inputTokens - imagesIn) * input +
    imagesIn * (model.mediaPrices?.imageInputUsdPerMTok ?? input) +
    (outputTokens - imagesOut) * output +
    imagesOut * (model.mediaPrices?.imageOutputUsdPerMTok ?? output)
  );
}

const microUsd = 1_000_000;

/** Null where the model has no price of its own for anything that was made. */
function byUnits(prices: MediaPrices | undefined, media: MediaUsage | undefined): number | null {
  const units: [number | undefined, number | undefined][] = [
    [prices?.usdPerImage, media?.images],
    [prices?.usdPerAudioMinute, media?.audioSeconds && media.audioSeconds / 60],
    // Per million, like tokens: the two millions cancel out.
    [prices?.usdPerMCharacters && prices.usdPerMCharacters / microUsd, media?.characters],
  ];
  let micro: number | null = null;
  for (const [price, count] of units)
    if (price !== undefined && count !== undefined) micro = (micro ?? 0) + price * count * microUsd;
  return micro;
}

/**
 * Micro-USD of a usage on a model; null where the price is unknown, which is never 0. Tokens that the
 * provider counted are what it bills. Where it counted none, the price of an image, a minute or a
 * character is nearer to the bill than a guess of tokens, and stands for the whole call.
 */
export function costMicroUsd(model: Priced, usage: Billable): number | null {
  const units = byUnits(model.mediaPrices, usage.media);
  const micro =
    usage.estimated === true && units !== null ? units : (byTokens(model, usage) ?? units);
  // Prices carry at most six decimals; rounding there first keeps 0.1 + 0.2 from costing a micro-USD.
  return micro === null ? null : Math.ceil(Math.round(micro * 1e6) / 1e6);
}

/** The largest image of a model that does nothing else: GPT Image at high quality, 1024 by 1536. */
const tokensOfLargestImage = 6_240;
/** The largest image of a model that also writes: Gemini at 4K. */
const tokensOfLargestInlineImage = 2_520;

/** Output tokens of one image, at most; where no provider says, that is what it is charged as. */
export const imageTokensOf = (model: Pick<Model, "outputModalities">): number =>
  model.outputModalities.includes("text") ? tokensOfLargestInlineImage : tokensOfLargestImage;

/** Gemini's; OpenAI's speech has about 21. */
export const tokensPerAudioSecond = 25;
/** Slow reading. Measured on English prose: 15 to 16. */
export const charactersPerSecond = 12;
/** No script packs more characters of speech into a token of our own estimate. */
const charactersPerToken = 4;

/** What of a model its usage depends on. */
type Worker = Pick<Model, "outputModalities"> & Partial<Thinker>;

/**
 * What a call will use at most, reckoned before it. `maxTokens` bounds text; reasoning comes on top of
 * it; an image and speech are as long as they are.
 */
export function expectedUsage(
  model: Worker,
  needs: Pick<Requirements, "inputTokens" | "maxTokens" | "outputModalities" | "reasoning">,
): Billable {
  const { inputTokens, outputModalities } = needs;
  const maxTokens = needs.maxTokens + headroomOf(model, needs);
  const images = outputModalities.includes("image") ? 1 : 0;
  const speaks = outputModalities.includes("audio");
  if (images === 0 && !speaks) return { inputTokens, outputTokens: maxTokens };
  const imageOutputTokens = images * imageTokensOf(model);
  const characters = speaks ? inputTokens * charactersPerToken : 0;
  const audioSeconds = Math.ceil(characters / charactersPerSecond);
  const text = model.outputModalities.includes("text") ? maxTokens : 0;
  return {
    inputTokens,
    outputTokens: text + imageOutputTokens + audioSeconds * tokensPerAudioSecond,
    estimated: true,
    media: {
      ...(images > 0 ? { images, imageOutputTokens } : {}),
      ...(speaks ? { audioSeconds, characters } : {}),
    },
  };
}

/** Whether whatever it may be asked for has a known price. */
export const isPriced = (model: Priced & Worker): boolean =>
  model.outputModalities.every((modality) => {
    const needs = { inputTokens: 1, maxTokens: 1, outputModalities: [modality] };
    return costMicroUsd(model, expectedUsage(model, needs)) !== null;
  });
