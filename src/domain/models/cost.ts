/** Turns tokens, images and audio into money: whole micro-USD, rounded up once at the end. */
import type { MediaUsage, TokenClasses, Usage } from "../usage.ts";
import { wholeMicroUsd } from "../magnitudes.ts";
import {
  isUncurated,
  type MediaPrices,
  type Model,
  type PriceTier,
  type TokenPrices,
} from "./model.ts";
import type { Requirements } from "../requirements.ts";
import { headroomOf, likelyReasoningOf, type Thinker } from "./reasoning.ts";

/** The parts of a usage that are priced. An estimate is marked as an estimate. */
export type Billable = Pick<Usage, "inputTokens" | "outputTokens" | "media" | "classes"> &
  Partial<Pick<Usage, "estimated">>;

type Priced = TokenPrices & Pick<Model, "priceTiers" | "mediaPrices">;

/** USD per million tokens of each class, at one length of the input. */
interface ClassPrices {
  plain: number;
  cacheRead: number;
  cacheReadAudio: number;
  cacheWrite: number;
  cacheWriteHour: number;
  audio: number;
  output: number;
}

/**
 * Null where the plain prices are unknown. A class without a price of its own costs what plain input costs. The
 * tokens were processed, so 0 is never right, and nobody charges more for cache reads than for plain input.
 */
function pricesAt(model: Priced, inputTokens: number): ClassPrices | null {
  let tier: PriceTier | null = null;
  for (const each of model.priceTiers) {
    const { aboveInputTokens: above } = each;
    if (inputTokens > above && above > (tier?.aboveInputTokens ?? -1)) tier = each;
  }
  // Where a tier does not name a class's price, the price below the tier would be too low.
  const prices: TokenPrices = tier ?? model;
  const { inputUsdPerMTok: plain, outputUsdPerMTok: output } = prices;
  if (plain === null || output === null) return null;
  const audio = prices.audioInputUsdPerMTok ?? plain;
  const cacheWrite = prices.cacheWriteUsdPerMTok ?? plain;
  return {
    plain,
    output,
    audio,
    cacheWrite,
    cacheRead: prices.cachedInputUsdPerMTok ?? plain,
    cacheReadAudio: prices.cachedAudioInputUsdPerMTok ?? audio,
    cacheWriteHour: prices.cacheWriteHourUsdPerMTok ?? cacheWrite,
  };
}

/** The classes, each cut to what its total leaves, so that no token is counted twice. A class of 0 is left out. */
export function classesWithin({ inputTokens, outputTokens, classes }: Billable): TokenClasses {
  if (classes === undefined) return {};
  const within = (count: number | undefined, most: number): number =>
    Math.max(0, Math.min(count ?? 0, most));
  const cacheReadTokens = within(classes.cacheReadTokens, inputTokens);
  const cacheWriteTokens = within(classes.cacheWriteTokens, inputTokens - cacheReadTokens);
  const cacheWriteHourTokens = within(
    classes.cacheWriteHourTokens,
    inputTokens - cacheReadTokens - cacheWriteTokens,
  );
  const audioInputTokens = within(
    classes.audioInputTokens,
    inputTokens - cacheWriteTokens - cacheWriteHourTokens,
  );
  // Audio that is left over when everything else is counted must have come from the cache.
  const leastRead =
    audioInputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens - inputTokens;
  const cacheReadAudioTokens = within(
    Math.max(classes.cacheReadAudioTokens ?? 0, leastRead),
    Math.min(cacheReadTokens, audioInputTokens),
  );
  const reasoningTokens = within(classes.reasoningTokens, outputTokens);
  const all = {
    cacheReadTokens,
    cacheReadAudioTokens,
    cacheWriteTokens,
    cacheWriteHourTokens,
    audioInputTokens,
    reasoningTokens,
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

function byTokens(model: Priced, usage: Billable): number | null {
  const { inputTokens, outputTokens, media } = usage;
  const prices = pricesAt(model, inputTokens);
  if (prices === null) return null;
  const {
    cacheReadTokens: read = 0,
    cacheReadAudioTokens: readAudio = 0,
    cacheWriteTokens: written = 0,
    cacheWriteHourTokens: writtenHour = 0,
    audioInputTokens = 0,
  } = classesWithin(usage);
  const audio = audioInputTokens - readAudio;
  const rest = inputTokens - read - written - writtenHour - audio;
  const imagesIn = Math.min(rest, media?.imageInputTokens ?? 0);
  const imagesOut = Math.min(outputTokens, media?.imageOutputTokens ?? 0);
  return (
    (rest - imagesIn) * prices.plain +
    imagesIn * (model.mediaPrices?.imageInputUsdPerMTok ?? prices.plain) +
    audio * prices.audio +
    (read - readAudio) * prices.cacheRead +
    readAudio * prices.cacheReadAudio +
    written * prices.cacheWrite +
    writtenHour * prices.cacheWriteHour +
    (outputTokens - imagesOut) * prices.output +
    imagesOut * (model.mediaPrices?.imageOutputUsdPerMTok ?? prices.output)
  );
}

const microUsd = 1_000_000;

/** Null where the model has no price of its own for something that was made. */
function byUnits(prices: MediaPrices | undefined, media: MediaUsage | undefined): number | null {
  const units: [number | undefined, number | undefined][] = [
    [prices?.usdPerImage, media?.images],
    [prices?.usdPerAudioMinute, media?.audioSeconds && media.audioSeconds / 60],
    // USD per million of units is micro-USD per unit: the two millions cancel out.
    [prices?.usdPerMCharacters && prices.usdPerMCharacters / microUsd, media?.characters],
  ];
  let micro: number | null = null;
  for (const [price, count] of units)
    if (price !== undefined && count !== undefined) micro = (micro ?? 0) + price * count * microUsd;
  return micro;
}

/**
 * Micro-USD that a usage costs on a model; null: the price is unknown, which is never 0. Tokens that the
 * provider counted are what it bills. Where it counted none, the price of an image, a minute or a character is
 * nearer to the bill than a guess of tokens, and stands for the whole call.
 */
export function costMicroUsd(model: Priced, usage: Billable): number | null {
  const units = byUnits(model.mediaPrices, usage.media);
  const micro =
    usage.estimated === true && units !== null ? units : (byTokens(model, usage) ?? units);
  return micro === null ? null : wholeMicroUsd(micro);
}

const addUp = (parts: readonly object[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part))
      sums[name] = (sums[name] ?? 0) + Number(count);
  return sums;
};

/** What several provider calls used together; null: nothing is known of any of them. */
export function usageTogether(usages: readonly Usage[]): Usage | null {
  const [first, ...more] = usages;
  if (first === undefined || more.length === 0) return first ?? null;
  const classes = addUp(usages.flatMap((usage) => usage.classes ?? []));
  const media = addUp(usages.flatMap((usage) => usage.media ?? []));
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    estimated: usages.some(({ estimated }) => estimated),
    ...(Object.keys(classes).length === 0 ? {} : { classes }),
    ...(Object.keys(media).length === 0 ? {} : { media }),
    ...(usages.some(({ implausible }) => implausible === true) ? { implausible: true } : {}),
  };
}

/** Tokens of the largest image of a model that only draws: GPT Image at high quality, 1024 by 1536. */
const tokensOfLargestImage = 6_240;
/** Tokens of the largest image of a model that also writes: Gemini at 4K. */
export const tokensOfLargestInlineImage = 2_520;

/** The most output tokens of one image. Where no provider says a number, an image is charged as that. */
export const imageTokensOf = (model: Pick<Model, "outputModalities">): number =>
  model.outputModalities.includes("text") ? tokensOfLargestInlineImage : tokensOfLargestImage;

/** Gemini's figure; OpenAI's speech has about 21. */
export const tokensPerAudioSecond = 25;
/** Slow reading; English prose was measured at 15 to 16. */
export const charactersPerSecond = 12;
/** No script packs more characters of speech into a token of our own estimate. */
const charactersPerToken = 4;

/** The parts of a model on which its usage depends. */
type Worker = Pick<Model, "outputModalities"> & Partial<Thinker>;

/** The parts of a request on which its usage depends. */
export type UsageNeeds = Pick<Requirements, "inputTokens" | "maxTokens" | "outputModalities"> &
  Partial<Pick<Requirements, "inputModalities" | "cacheWrites" | "reasoning">>;

/**
 * The usage of a call. `maxTokens` bounds text, and reasoning comes on top of it. An image and speech are as
 * long as they are, and speech is most of the answer that it is part of.
 */
export function usageWith(model: Worker, needs: UsageNeeds, reasoningTokens: number): Billable {
  const { inputTokens, outputModalities } = needs;
  const maxTokens = needs.maxTokens + reasoningTokens;
  const images = outputModalities.includes("image") ? 1 : 0;
  const speaks = outputModalities.includes("audio");
  const audioClasses = needs.inputModalities?.includes("audio")
    ? { classes: { audioInputTokens: inputTokens } }
    : {};
  if (images === 0 && !speaks) return { inputTokens, outputTokens: maxTokens, ...audioClasses };
  const imageOutputTokens = images * imageTokensOf(model);
  const characters = speaks ? inputTokens * charactersPerToken : 0;
  const audioSeconds = Math.ceil(characters / charactersPerSecond);
  const text = model.outputModalities.includes("text") ? maxTokens : 0;
  return {
    inputTokens,
    outputTokens: text + imageOutputTokens + audioSeconds * tokensPerAudioSecond,
    ...audioClasses,
    estimated: true,
    media: {
      ...(images > 0 ? { images, imageOutputTokens } : {}),
      ...(speaks ? { audioSeconds, characters } : {}),
    },
  };
}

/** What a call will likely use, with as much text as it may have. Choices compare this figure. */
export const expectedUsage = (model: Worker, needs: UsageNeeds): Billable =>
  usageWith(model, needs, likelyReasoningOf(model, needs));

/** `expectedUsage` with all the room that reasoning has. */
export const roomyUsage = (model: Worker, needs: UsageNeeds): Billable =>
  usageWith(model, needs, headroomOf(model, needs));

/** Providers that write a cache only where a request marks what to keep. Others write it by themselves. */
const needMarks: ReadonlySet<string> = new Set(["anthropic"]);

/**
 * What a call uses at its dearest, which a reservation holds: `roomyUsage` with all of its input in the dearest
 * class that the request can cause.
 */
export function mostUsage(
  model: Priced & Worker & Pick<Model, "provider">,
  needs: UsageNeeds,
): Billable {
  const expected = roomyUsage(model, needs);
  const { inputTokens } = expected;
  const prices = pricesAt(model, inputTokens);
  const mayWrite = needs.cacheWrites !== "none" || !needMarks.has(model.provider);
  if (prices === null || !mayWrite) return expected;
  const isHour = needs.cacheWrites === "hour";
  const dearest = Math.max(prices.plain, expected.classes === undefined ? 0 : prices.audio);
  if ((isHour ? prices.cacheWriteHour : prices.cacheWrite) <= dearest) return expected;
  const classes = isHour
    ? { cacheWriteHourTokens: inputTokens }
    : { cacheWriteTokens: inputTokens };
  return { ...expected, classes };
}

/** Whether everything that the model may be asked for has a known price. */
export const isPriced = (model: Priced & Worker): boolean =>
  model.outputModalities.every((modality) => {
    const needs = { inputTokens: 1, maxTokens: 1, outputModalities: [modality] };
    return costMicroUsd(model, expectedUsage(model, needs)) !== null;
  });

/** Whether the model has a price that no source of the catalogue knows, so that nobody can say what a call costs. */
export const isPriceMissing = (
  model: Priced & Worker & Pick<Model, "unverified" | "synced" | "source">,
): boolean =>
  (model.unverified?.includes("outputUsdPerMTok") === true || isUncurated(model)) &&
  !isPriced(model);
