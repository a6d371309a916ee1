/** Costs in whole micro-USD, rounded up once at the end. */
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
import { apiOf } from "./clouds.ts";
import { headroomOf, likelyReasoningOf, type Thinker } from "./reasoning.ts";

export type Billable = Pick<
  Usage,
  "inputTokens" | "outputTokens" | "media" | "classes" | "surcharge"
> &
  Partial<Pick<Usage, "estimated">>;

type Priced = TokenPrices & Pick<Model, "priceTiers" | "mediaPrices">;

interface ClassPrices {
  plain: number;
  cacheRead: number;
  cacheReadAudio: number;
  cacheWrite: number;
  cacheWriteHour: number;
  audio: number;
  output: number;
}

/** A class without a price costs as much as plain input: never free. null: no plain prices. */
function pricesAt(model: Priced, inputTokens: number): ClassPrices | null {
  let tier: PriceTier | null = null;
  for (const each of model.priceTiers) {
    const { aboveInputTokens: above } = each;
    if (inputTokens > above && above > (tier?.aboveInputTokens ?? -1)) tier = each;
  }
  // Without a tier's class price, the price below the tier would be too low.
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

/** Clamps classes to their totals, so that no token is counted twice. Classes of 0 are omitted. */
export function classesWithin({ inputTokens, outputTokens, classes }: Billable): TokenClasses {
  if (classes === undefined) return {};
  const within = (count: number | undefined, max: number): number =>
    Math.max(0, Math.min(count ?? 0, max));
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
  // Excess audio must have come from the cache.
  const minRead =
    audioInputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens - inputTokens;
  const cacheReadAudioTokens = within(
    Math.max(classes.cacheReadAudioTokens ?? 0, minRead),
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

function byUnits(prices: MediaPrices | undefined, media: MediaUsage | undefined): number | null {
  const units: [number | undefined, number | undefined][] = [
    [prices?.usdPerImage, media?.images],
    [prices?.usdPerAudioMinute, media?.audioSeconds && media.audioSeconds / 60],
    // USD per million units equals micro-USD per unit.
    [prices?.usdPerMCharacters && prices.usdPerMCharacters / microUsd, media?.characters],
  ];
  let micro: number | null = null;
  for (const [price, count] of units)
    if (price !== undefined && count !== undefined) micro = (micro ?? 0) + price * count * microUsd;
  return micro;
}

/** null: unknown, never 0. Counted tokens take precedence over unit prices, and those over estimates. */
export function costMicroUsd(model: Priced, usage: Billable): number | null {
  const units = byUnits(model.mediaPrices, usage.media);
  const micro =
    usage.estimated === true && units !== null ? units : (byTokens(model, usage) ?? units);
  const { factor = 1, feeMicroUsd = 0 } = usage.surcharge ?? {};
  return micro === null ? null : wholeMicroUsd(micro * factor + feeMicroUsd);
}

const addUp = (parts: readonly object[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part))
      sums[name] = (sums[name] ?? 0) + Number(count);
  return sums;
};

export function combinedUsage(usages: readonly Usage[]): Usage | null {
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

/** GPT Image, high quality, 1024 × 1536. */
const tokensOfLargestImage = 6_240;
/** Gemini at 4K. */
export const tokensOfLargestInlineImage = 2_520;

/** Tokens charged for an image without a reported count. */
export const imageTokensOf = (model: Pick<Model, "outputModalities">): number =>
  model.outputModalities.includes("text") ? tokensOfLargestInlineImage : tokensOfLargestImage;

/** Gemini's figure; OpenAI's speech has about 21. */
export const tokensPerAudioSecond = 25;
/** Slow speech; English prose was measured at 15 to 16. */
export const charactersPerSecond = 12;
const charactersPerToken = 4;

type Worker = Pick<Model, "outputModalities"> & Partial<Thinker>;

export type UsageNeeds = Pick<Requirements, "inputTokens" | "maxTokens" | "outputModalities"> &
  Partial<Pick<Requirements, "inputModalities" | "cacheWrites" | "reasoning" | "passing">>;

/** `maxTokens` bounds only text; reasoning, images and speech are additional. */
export function usageWith(model: Worker, needs: UsageNeeds, reasoningTokens: number): Billable {
  const { inputTokens, outputModalities } = needs;
  const maxTokens = (needs.maxTokens + reasoningTokens) * (needs.passing?.answers ?? 1);
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

export const expectedUsage = (model: Worker, needs: UsageNeeds): Billable =>
  usageWith(model, needs, likelyReasoningOf(model, needs));

export const roomyUsage = (model: Worker, needs: UsageNeeds): Billable =>
  usageWith(model, needs, headroomOf(model, needs));

/** Providers that cache only marked requests. */
const needMarks: ReadonlySet<string> = new Set(["anthropic"]);

export function maxUsage(
  model: Priced & Worker & Pick<Model, "provider">,
  needs: UsageNeeds,
): Billable {
  const surcharge = needs.passing?.surcharge;
  const expected = {
    ...roomyUsage(model, needs),
    ...(surcharge !== undefined && { surcharge }),
  };
  const { inputTokens } = expected;
  const prices = pricesAt(model, inputTokens);
  const mayWrite = needs.cacheWrites !== "none" || !needMarks.has(apiOf(model));
  if (prices === null || !mayWrite) return expected;
  const isHour = needs.cacheWrites === "hour";
  const mostExpensive = Math.max(prices.plain, expected.classes === undefined ? 0 : prices.audio);
  if ((isHour ? prices.cacheWriteHour : prices.cacheWrite) <= mostExpensive) return expected;
  const classes = isHour
    ? { cacheWriteHourTokens: inputTokens }
    : { cacheWriteTokens: inputTokens };
  return { ...expected, classes };
}

export const isPriced = (model: Priced & Worker): boolean =>
  model.outputModalities.every((modality) => {
    const needs = { inputTokens: 1, maxTokens: 1, outputModalities: [modality] };
    return costMicroUsd(model, expectedUsage(model, needs)) !== null;
  });

export const isPriceMissing = (
  model: Priced & Worker & Pick<Model, "unverified" | "synced" | "source">,
): boolean =>
  (model.unverified?.includes("outputUsdPerMTok") === true || isUncurated(model)) &&
  !isPriced(model);
