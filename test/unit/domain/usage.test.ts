/** Cost is whole, never negative, grows with usage, and is unknown without a price. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Modality } from "../../../src/domain/modality.ts";
import type { MediaPrices } from "../../../src/domain/models/model.ts";
import {
  classesWithin,
  costMicroUsd,
  expectedUsage,
  maxUsage,
  combinedUsage,
  type UsageNeeds,
} from "../../../src/domain/models/cost.ts";
import { type TokenClasses } from "../../../src/domain/usage.ts";

const priced = (inputUsdPerMTok: number | null, outputUsdPerMTok: number | null) => ({
  inputUsdPerMTok,
  outputUsdPerMTok,
  priceTiers: [],
});
const used = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

describe("cost", () => {
  it.each([
    ["a USD per million is a micro-USD per token", priced(3, 15), used(1_000, 100), 4_500],
    ["nothing costs nothing", priced(3, 15), used(0, 0), 0],
    ["a fraction rounds up", priced(0.1, 0), used(1, 0), 1],
    ["it rounds once, at the end", priced(0.1, 0.1), used(4, 4), 1],
    ["the binary error of 0.1 + 0.2 does not count", priced(0.1, 0.2), used(10, 10), 3],
    ["six decimals count", priced(0.000001, 0), used(1_000_001, 0), 2],
    ["free is 0", priced(0, 0), used(1_000, 1_000), 0],
  ])("%s", (_, model, usage, cost) => {
    expect(costMicroUsd(model, usage)).toBe(cost);
  });

  it.each([priced(null, 1), priced(1, null), priced(null, null)])(
    "is unknown, and not 0, where a price is: %j",
    (model) => {
      expect(costMicroUsd(model, used(1, 1))).toBeNull();
      expect(costMicroUsd(model, used(0, 0))).toBeNull();
    },
  );

  it("of the whole request is the tier's once the input is larger than its bound", () => {
    const tier = (aboveInputTokens: number, usd: number) => ({
      aboveInputTokens,
      inputUsdPerMTok: usd,
      outputUsdPerMTok: usd,
    });
    // The tiers stand in any order.
    const model = { ...priced(1, 1), priceTiers: [tier(500, 4), tier(100, 2), tier(1_000, 8)] };
    const costs = [100, 101, 500, 501, 1_001].map((input) => costMicroUsd(model, used(input, 10)));
    expect(costs).toEqual([110, 222, 1_020, 2_044, 8_088]);
  });

  it("is whole, never negative, and grows with usage", () => {
    const tokens = fc.nat({ max: 2_000_000 });
    const price = fc.integer({ min: 0, max: 100_000_000 }).map((micro) => micro / 1e6);
    fc.assert(
      fc.property(price, price, tokens, tokens, tokens, (input, output, a, b, more) => {
        const model = priced(input, output);
        const cost = costMicroUsd(model, used(a, b)) ?? -1;
        expect(Number.isInteger(cost)).toBe(true);
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(costMicroUsd(model, used(a + more, b))).toBeGreaterThanOrEqual(cost);
        expect(costMicroUsd(model, used(a, b + more))).toBeGreaterThanOrEqual(cost);
        // The exact sum in whole numbers: never less is charged, and less than a micro-USD more.
        const exact =
          BigInt(Math.round(input * 1e6)) * BigInt(a) +
          BigInt(Math.round(output * 1e6)) * BigInt(b);
        expect(BigInt(cost) * 1_000_000n - exact).toBeGreaterThanOrEqual(0n);
        expect(BigInt(cost) * 1_000_000n - exact).toBeLessThan(1_000_000n);
      }),
    );
  });
});

describe("what no call costs", () => {
  it.each([1e300, 1e12])("is a million USD at a price of %s", (price) => {
    const usage = { inputTokens: 1_000, outputTokens: 0 };
    expect(costMicroUsd({ ...priced(price, 1) }, usage)).toBe(1e12);
  });

  it("is unknown where nothing can be reckoned", () => {
    const usage = { inputTokens: Number.NaN, outputTokens: 1 };
    expect(costMicroUsd(priced(1, 1), usage)).toBeNull();
  });
});

describe("classes of tokens", () => {
  const sonnet = {
    ...priced(3, 15),
    cachedInputUsdPerMTok: 0.3,
    cacheWriteUsdPerMTok: 3.75,
    cacheWriteHourUsdPerMTok: 6,
    audioInputUsdPerMTok: 10,
    cachedAudioInputUsdPerMTok: 1,
  };
  const costOf = (classes: TokenClasses, model: Parameters<typeof costMicroUsd>[0] = sonnet) =>
    costMicroUsd(model, { inputTokens: 20_000, outputTokens: 100, classes });

  it("are priced apart: 18,000 of 20,000 tokens from the cache are no plain input", () => {
    expect(costOf({})).toBe(61_500);
    expect(costOf({ cacheReadTokens: 18_000 })).toBe(2_000 * 3 + 18_000 * 0.3 + 1_500);
    expect(costOf({ cacheReadTokens: 18_000 }, { ...sonnet, cachedInputUsdPerMTok: 0 })).toBe(
      7_500,
    );
  });

  it.each<[string, TokenClasses, number]>([
    ["a write", { cacheWriteTokens: 1_000 }, 1_000 * 0.75],
    ["a write for an hour", { cacheWriteHourTokens: 1_000 }, 1_000 * 3],
    ["audio", { audioInputTokens: 1_000 }, 1_000 * 7],
    [
      "audio from the cache",
      { audioInputTokens: 1_000, cacheReadTokens: 1_500, cacheReadAudioTokens: 1_000 },
      1_000 * -2 + 500 * -2.7,
    ],
    ["reasoning, which costs what output does", { reasoningTokens: 90 }, 0],
  ])("cost by %s what they do beyond plain input", (_, classes, beyond) => {
    expect(costOf(classes)).toBe(61_500 + beyond);
  });

  it("without a price of their own cost plain input, and never 0", () => {
    const all = { cacheReadTokens: 5_000, cacheWriteTokens: 5_000, cacheWriteHourTokens: 5_000 };
    for (const unknown of [null, undefined])
      expect(
        costOf(
          { ...all, audioInputTokens: 5_000 },
          { ...priced(3, 15), cachedInputUsdPerMTok: unknown },
        ),
      ).toBe(61_500);
    // A cache write for an hour is not cheaper than one for minutes.
    expect(
      costOf({ cacheWriteHourTokens: 1_000 }, { ...priced(3, 15), cacheWriteUsdPerMTok: 4 }),
    ).toBe(62_500);
  });

  it("have the tier's prices; those that it doesn't name cost its plain input", () => {
    const tier = { aboveInputTokens: 10_000, inputUsdPerMTok: 6, outputUsdPerMTok: 30 };
    const model = { ...sonnet, priceTiers: [{ ...tier, cachedInputUsdPerMTok: 0.6 }] };
    expect(costOf({ cacheReadTokens: 18_000 }, model)).toBe(2_000 * 6 + 18_000 * 0.6 + 3_000);
    expect(costOf({ cacheWriteTokens: 20_000 }, model)).toBe(20_000 * 6 + 3_000);
  });

  it("are cut to what their total leaves", () => {
    const tokens = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(1e16, 2 ** 63, 1e300, -5));
    const classes = fc.record({
      cacheReadTokens: tokens,
      cacheReadAudioTokens: tokens,
      cacheWriteTokens: tokens,
      cacheWriteHourTokens: tokens,
      audioInputTokens: tokens,
      reasoningTokens: tokens,
    });
    const counts = fc.nat({ max: 300 });
    fc.assert(
      fc.property(counts, counts, classes, (inputTokens, outputTokens, reported) => {
        const usage = { inputTokens, outputTokens, classes: reported };
        const within = classesWithin(usage);
        const {
          cacheReadTokens = 0,
          cacheReadAudioTokens = 0,
          cacheWriteTokens = 0,
          cacheWriteHourTokens = 0,
          audioInputTokens = 0,
          reasoningTokens = 0,
        } = within;
        expect(Object.values(within).every((count) => count > 0)).toBe(true);
        expect(
          cacheReadTokens +
            cacheWriteTokens +
            cacheWriteHourTokens +
            (audioInputTokens - cacheReadAudioTokens),
        ).toBeLessThanOrEqual(inputTokens);
        expect(cacheReadAudioTokens).toBeLessThanOrEqual(
          Math.min(audioInputTokens, cacheReadTokens),
        );
        expect(reasoningTokens).toBeLessThanOrEqual(outputTokens);
        expect(classesWithin({ ...usage, classes: within })).toEqual(within);
        // Whatever a provider reports, no token costs less than the cheapest class, or more than
        // the dearest.
        const cost = costMicroUsd(sonnet, usage) ?? -1;
        expect(cost).toBeGreaterThanOrEqual(Math.floor(inputTokens * 0.3 + outputTokens * 15));
        expect(cost).toBeLessThanOrEqual(inputTokens * 10 + outputTokens * 15);
      }),
    );
  });
});

describe("what a call will use at its dearest", () => {
  const needs = { inputTokens: 1_000, maxTokens: 100, outputModalities: ["text" as const] };
  const claude = {
    ...priced(3, 15),
    provider: "anthropic",
    outputModalities: ["text" as const],
    cachedInputUsdPerMTok: 0.3,
    cacheWriteUsdPerMTok: 3.75,
    cacheWriteHourUsdPerMTok: 6,
  };
  const most = (
    model: typeof claude & { audioInputUsdPerMTok?: number },
    more: Partial<UsageNeeds> = {},
  ) => costMicroUsd(model, maxUsage(model, { ...needs, ...more }));

  it("is a write of the cache where that is dearer: for minutes, or for an hour if asked", () => {
    expect(most(claude)).toBe(3_750 + 1_500);
    expect(most(claude, { cacheWrites: "hour" })).toBe(6_000 + 1_500);
    expect(most({ ...claude, cacheWriteUsdPerMTok: 1 })).toBe(3_000 + 1_500);
  });

  it("is none where nothing is marked, but for providers that write by themselves", () => {
    expect(most(claude, { cacheWrites: "none" })).toBe(3_000 + 1_500);
    expect(most({ ...claude, provider: "openai" }, { cacheWrites: "none" })).toBe(3_750 + 1_500);
  });

  it("is audio where the request has some", () => {
    const hears = { ...claude, audioInputUsdPerMTok: 10 };
    expect(most(hears, { inputModalities: ["text"] })).toBe(3_750 + 1_500);
    expect(most(hears, { inputModalities: ["text", "audio"] })).toBe(10_000 + 1_500);
  });

  it("is never less than what is expected", () => {
    const { cacheWrites: _, ...plain } = { ...needs, cacheWrites: "none" };
    expect(costMicroUsd(claude, expectedUsage(claude, plain))).toBe(3_000 + 1_500);
  });
});

describe("several usages together", () => {
  it("are one whose figures, classes and media are their sums", () => {
    const one = { inputTokens: 1, outputTokens: 2, estimated: false };
    expect(combinedUsage([])).toBeNull();
    expect(combinedUsage([one])).toBe(one);
    expect(
      combinedUsage([
        { ...one, classes: { cacheReadTokens: 1 } },
        { ...one, estimated: true, implausible: true, media: { images: 1 } },
        { ...one, classes: { cacheReadTokens: 2, reasoningTokens: 1 }, media: { images: 2 } },
      ]),
    ).toEqual({
      inputTokens: 3,
      outputTokens: 6,
      estimated: true,
      implausible: true,
      classes: { cacheReadTokens: 3, reasoningTokens: 1 },
      media: { images: 3 },
    });
  });
});

describe("images and audio", () => {
  const tokens = { inputTokens: 100, outputTokens: 1_000 };
  const withPrices = (
    mediaPrices: MediaPrices,
    input: number | null = null,
    output: number | null = null,
  ) => ({ ...priced(input, output), mediaPrices });

  it("cost their own price a token, within the tokens that were counted", () => {
    const model = withPrices({ imageInputUsdPerMTok: 8, imageOutputUsdPerMTok: 30 }, 5, 2);
    const media = { imageInputTokens: 60, imageOutputTokens: 900 };
    expect(costMicroUsd(model, { ...tokens, media })).toBe(40 * 5 + 60 * 8 + 100 * 2 + 900 * 30);
    const more = { imageInputTokens: 101, imageOutputTokens: 1_001 };
    expect(costMicroUsd(model, { ...tokens, media: more })).toBe(100 * 8 + 1_000 * 30);
  });

  it("cost what text does where the model has no price for them", () => {
    const media = { images: 1, imageInputTokens: 60, imageOutputTokens: 900, audioSeconds: 3 };
    expect(costMicroUsd(priced(5, 2), { ...tokens, media })).toBe(100 * 5 + 1_000 * 2);
  });

  it.each([
    ["an image", { usdPerImage: 0.02 }, { images: 2 }, 40_000],
    ["a minute", { usdPerAudioMinute: 0.015 }, { audioSeconds: 90 }, 22_500],
    ["a part of one", { usdPerAudioMinute: 0.015 }, { audioSeconds: 0.001 }, 1],
    ["a million characters", { usdPerMCharacters: 15 }, { characters: 100 }, 1_500],
    ["both", { usdPerImage: 0.02, usdPerAudioMinute: 0.6 }, { images: 1, audioSeconds: 1 }, 30_000],
    ["a price of nothing", { usdPerImage: 0 }, { images: 1 }, 0],
  ])("cost by %s", (_, prices, media, cost) => {
    for (const estimated of [true, false])
      expect(costMicroUsd(withPrices(prices), { ...tokens, estimated, media })).toBe(cost);
  });

  it("cost by tokens where the provider counted them, else by their units", () => {
    const model = withPrices({ usdPerAudioMinute: 0.015 }, 0.6, 12);
    const media = { audioSeconds: 60 };
    expect(costMicroUsd(model, { ...tokens, estimated: false, media })).toBe(60 + 12_000);
    expect(costMicroUsd(model, { ...tokens, estimated: true, media })).toBe(15_000);
    expect(costMicroUsd(model, { ...tokens, estimated: true })).toBe(60 + 12_000);
  });

  it("cost nobody knows what without a price, and not 0", () => {
    const media = { images: 1, characters: 5 };
    expect(costMicroUsd(priced(null, null), { ...tokens, media })).toBeNull();
    expect(costMicroUsd(withPrices({ usdPerAudioMinute: 1 }), { ...tokens, media })).toBeNull();
    expect(costMicroUsd(withPrices({ usdPerImage: 1 }), tokens)).toBeNull();
  });
});

describe("what a call is expected to use", () => {
  const needs = (outputModalities: Modality[]) => ({
    inputTokens: 120,
    maxTokens: 500,
    outputModalities,
  });
  const making = (...outputModalities: Modality[]) => ({ outputModalities });

  it("is maxTokens of text", () => {
    const text = { inputTokens: 120, outputTokens: 500 };
    expect(expectedUsage(making("text"), needs(["text"]))).toEqual(text);
    expect(expectedUsage(making("text", "image"), needs(["text"]))).toEqual(text);
  });

  it("is one image, whatever maxTokens says", () => {
    expect(expectedUsage(making("image"), needs(["image"]))).toEqual({
      inputTokens: 120,
      outputTokens: 6_240,
      estimated: true,
      media: { images: 1, imageOutputTokens: 6_240 },
    });
  });

  it("is text beside the image, for a model that writes", () => {
    expect(expectedUsage(making("text", "image"), needs(["image"]))).toMatchObject({
      outputTokens: 500 + 2_520,
      media: { images: 1, imageOutputTokens: 2_520 },
    });
  });

  it("is as much speech as there is to read", () => {
    expect(expectedUsage(making("audio"), needs(["audio"]))).toEqual({
      inputTokens: 120,
      outputTokens: 40 * 25,
      estimated: true,
      media: { audioSeconds: 40, characters: 480 },
    });
  });

  it("prices an image by the image before it is made", () => {
    const model = { ...priced(null, null), mediaPrices: { usdPerImage: 0.05 } };
    const expected = expectedUsage(making("image"), needs(["image"]));
    expect(costMicroUsd(model, expected)).toBe(50_000);
  });
});
