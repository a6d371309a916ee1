/**
 * Our figures against an independent price list: what a usage costs here is what it costs there, price
 * tiers and classes of tokens included. Where the two disagree, the difference is listed with its reason, and nothing else may.
 */
import { calcPrice } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../src/domain/models/catalogue.ts";
import { nameOf, type Model } from "../../src/domain/models/model.ts";
import { costMicroUsd } from "../../src/domain/models/cost.ts";
import { type MediaUsage, type TokenClasses } from "../../src/domain/usage.ts";

/** Our names of providers, and the oracle's. */
const oracleProviders: Readonly<Record<string, string>> = {
  "workers-ai": "cloudflare",
  xai: "x-ai",
};
/** Noon UTC: DeepSeek's prices depend on the hour. */
const at = new Date("2026-11-26T12:00:00Z");
const pairs = 200;

const unpublished = "Free of charge while offered, without a price; unknown is never 0 here.";
const neurons = "Billed by neurons at 0.011 USD per 1,000; ours is exact, the oracle's is rounded.";

const patterns = "The oracle takes the name for Gemini 3.8 Flash, by its beginning.";

/** Models that both know, and whose figures differ on purpose. */
const differences: Readonly<Record<string, string>> = {
  "google/gemini-3.8-flash-lite-tts": patterns,
  "google/gemini-3.8-flash-tts": patterns,
  "google/gemma-4-26b-a4b-it": unpublished,
  "google/gemma-4-31b-it": unpublished,
  "workers-ai/@cf/meta/llama-3.2-11b-vision-instruct": neurons,
  "workers-ai/@cf/meta/llama-3.2-3b-instruct": neurons,
  "workers-ai/@cf/qwen/qwen3-30b-a3b-fp8": neurons,
  "workers-ai/@cf/zai-org/glm-4.7-flash": neurons,
};

interface Used {
  inputTokens: number;
  outputTokens: number;
  classes?: TokenClasses;
  media?: MediaUsage;
}

/** micro-USD; null: the oracle doesn't know the model. */
function oracle(model: Model, { inputTokens, outputTokens, classes, media }: Used): number | null {
  const hour = classes?.cacheWriteHourTokens ?? 0;
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: classes?.cacheReadTokens,
    // The oracle wants this figure wherever both of its parts are there.
    cache_audio_read_tokens: classes?.cacheReadAudioTokens ?? 0,
    cache_write_tokens: (classes?.cacheWriteTokens ?? 0) + hour,
    cache_write_1h_tokens: hour,
    input_audio_tokens: classes?.audioInputTokens,
    output_reasoning_tokens: classes?.reasoningTokens,
    output_image_tokens: media?.imageOutputTokens,
  };
  const providerId = oracleProviders[model.provider] ?? model.provider;
  const price = calcPrice(usage, model.id, { providerId, timestamp: at });
  return price === null ? null : price.total_price * 1e6;
}

/** Our figure is rounded up to whole micro-USD, once. */
const agrees = (ours: number | null, theirs: number): boolean =>
  ours !== null && ours - theirs > -1e-3 && ours - theirs < 1 + 1e-3;

/** The same draws in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const known = seedCatalogue.models.filter(
  (model) => oracle(model, { inputTokens: 1, outputTokens: 1 }) !== null,
);
const compared = known.filter((model) => differences[nameOf(model)] === undefined);
const tiered = compared.filter(({ priceTiers }) => priceTiers.length > 0);

function usageFor({ contextTokens, outputTokens }: Model, draw: (below: number) => number): Used {
  const output = 1 + draw(Math.min(outputTokens ?? 8_000, 64_000));
  return { inputTokens: 1 + draw((contextTokens ?? 100_000) - 1), outputTokens: output };
}

/** Each class of tokens, by its name there and here. */
const classes = [
  { price: "cachedInputUsdPerMTok", theirs: "cache_read_mtok", tokens: "cacheReadTokens" },
  { price: "cacheWriteUsdPerMTok", theirs: "cache_write_mtok", tokens: "cacheWriteTokens" },
  {
    price: "cacheWriteHourUsdPerMTok",
    theirs: "cache_write_1h_mtok",
    tokens: "cacheWriteHourTokens",
  },
  { price: "audioInputUsdPerMTok", theirs: "input_audio_mtok", tokens: "audioInputTokens" },
] as const;
const heardBefore = { cacheReadTokens: 900, cacheReadAudioTokens: 400, audioInputTokens: 700 };

/** Classes of one model for which the oracle has a price. */
function pricedThere(model: Model): string[] {
  const providerId = oracleProviders[model.provider] ?? model.provider;
  const price = calcPrice({ input_tokens: 1 }, model.id, { providerId, timestamp: at });
  return Object.keys(price?.model_price ?? {});
}

const unlisted = "models.dev lists it, the oracle does not.";

/** Classes for which only one of the two has a price. */
const onesided: Readonly<Record<string, string>> = {
  "google/gemini-2.5-flash-image cachedInputUsdPerMTok": unlisted,
  "google/gemini-3.5-flash audioInputUsdPerMTok": unlisted,
};

describe("prices, against @pydantic/genai-prices", () => {
  it("compares most of the catalogue, with price tiers among it", () => {
    expect(compared.length).toBeGreaterThan(100);
    expect(tiered.length).toBeGreaterThan(5);
  });

  it(`cost the same for ${pairs} sampled pairs of model and usage`, () => {
    const draw = draws(2_026);
    const sampled = Array.from({ length: pairs }, (_, index) => {
      const model = compared[index % compared.length] as Model;
      return { model, used: usageFor(model, draw) };
    });
    const wrong = sampled.flatMap(({ model, used }) => {
      const [ours, theirs] = [costMicroUsd(model, used), oracle(model, used) ?? Number.NaN];
      return agrees(ours, theirs) ? [] : [{ model: nameOf(model), used, ours, theirs }];
    });
    expect(wrong).toEqual([]);
    const inTiers = sampled.filter(({ model, used }) =>
      model.priceTiers.some(({ aboveInputTokens }) => used.inputTokens > aboveInputTokens),
    );
    expect(inTiers.length).toBeGreaterThan(5);
  });

  it("change at the same token", () => {
    const wrong = tiered.flatMap((model) =>
      model.priceTiers.flatMap(({ aboveInputTokens }) =>
        [aboveInputTokens, aboveInputTokens + 1]
          .map((inputTokens) => ({ inputTokens, outputTokens: 1_000 }))
          .filter((used) => !agrees(costMicroUsd(model, used), oracle(model, used) ?? Number.NaN))
          .map((used) => `${nameOf(model)} at ${used.inputTokens}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("cost the same for every model both know, whatever was read from a cache, written or heard", () => {
    const draw = draws(12);
    const seen: Record<string, number> = {};
    const wrong = compared.flatMap((model) => {
      const there = pricedThere(model);
      const both = classes.filter(
        ({ price, theirs }) => typeof model[price] === "number" && there.includes(theirs),
      );
      const bounds = model.priceTiers.map(({ aboveInputTokens }) => aboveInputTokens + 2);
      return [10_000, ...bounds].flatMap((inputTokens) =>
        // Each class alone with plain tokens, then all classes at once.
        [...both.map((each) => [each]), both].flatMap((some) => {
          const used: Used = { inputTokens, outputTokens: 1 + draw(5_000) };
          const share = Math.floor(inputTokens / (some.length + 1));
          used.classes = Object.fromEntries(some.map(({ tokens }) => [tokens, 1 + draw(share)]));
          for (const { tokens } of some) seen[tokens] = (seen[tokens] ?? 0) + 1;
          const [ours, theirs] = [costMicroUsd(model, used), oracle(model, used) ?? Number.NaN];
          return agrees(ours, theirs) ? [] : [{ model: nameOf(model), used, ours, theirs }];
        }),
      );
    });
    expect(wrong).toEqual([]);
    const hearing = compared.filter(
      (model) =>
        typeof model.cachedAudioInputUsdPerMTok === "number" &&
        pricedThere(model).includes("cache_audio_read_mtok"),
    );
    expect(hearing.length).toBeGreaterThan(2);
    for (const model of hearing) {
      const used = { inputTokens: 2_000, outputTokens: 10, classes: heardBefore };
      const ours = costMicroUsd(model, used);
      expect([nameOf(model), agrees(ours, oracle(model, used) ?? 0)]).toEqual([
        nameOf(model),
        true,
      ]);
    }
    expect(seen["cacheReadTokens"]).toBeGreaterThan(100);
    expect(seen["cacheWriteTokens"]).toBeGreaterThan(20);
    expect(seen["cacheWriteHourTokens"]).toBeGreaterThan(20);
    expect(seen["audioInputTokens"]).toBeGreaterThan(2);
  });

  it("lack a class of tokens on one side only where the test lists the class", () => {
    const lacking = compared.flatMap((model) => {
      const there = pricedThere(model);
      return classes
        .filter(
          ({ price, theirs }) => (typeof model[price] === "number") !== there.includes(theirs),
        )
        .map(({ price }) => `${nameOf(model)} ${price}`);
    });
    expect(lacking.toSorted()).toEqual(Object.keys(onesided).toSorted());
  });

  it("of models that write and draw are those of text for text, and those of images for images", () => {
    const used = { inputTokens: 100, outputTokens: 3_500, media: { imageOutputTokens: 1_290 } };
    const drawing = compared.filter(
      ({ outputModalities, mediaPrices }) =>
        outputModalities.includes("image") && mediaPrices?.imageOutputUsdPerMTok !== undefined,
    );
    expect(drawing.map(nameOf)).toContain("google/gemini-2.5-flash-image");
    for (const model of drawing)
      expect([nameOf(model), agrees(costMicroUsd(model, used), oracle(model, used) ?? 0)]).toEqual([
        nameOf(model),
        true,
      ]);
  });

  it("differ only where the test lists it", () => {
    // Large enough that the rounding of a price shows, and no larger than the model's context.
    const differing = known.filter((model) => {
      const inputTokens = Math.min(model.contextTokens ?? 1_000_000, 1_000_000);
      const used = { inputTokens, outputTokens: 1_000_000 };
      return !agrees(costMicroUsd(model, used), oracle(model, used) ?? Number.NaN);
    });
    expect(differing.map(nameOf).toSorted()).toEqual(Object.keys(differences).toSorted());
  });

  it("are DeepSeek's outside its peak hours, in which it asks twice as much", () => {
    const deepseek = compared.find(({ id }) => id === "deepseek-v4-pro") as Model;
    const used = { inputTokens: 100_000, outputTokens: 10_000 };
    const peak = calcPrice({ input_tokens: 100_000, output_tokens: 10_000 }, deepseek.id, {
      providerId: "deepseek",
      timestamp: new Date("2026-11-20T02:00:00Z"),
    });
    expect((peak?.total_price ?? 0) * 1e6).toBeCloseTo(2 * (costMicroUsd(deepseek, used) ?? 0), 3);
  });
});
