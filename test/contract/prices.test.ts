/**
 * Our figures against an independent price list: what a usage costs here is what it costs there, price
 * tiers included. Where the two disagree, the difference is listed with its reason, and nothing else may.
 */
import { calcPrice } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../src/domain/catalogue.ts";
import { nameOf, type Model } from "../../src/domain/models.ts";
import { costMicroUsd } from "../../src/domain/usage.ts";

/** Providers by the oracle's names. */
const oracleProviders: Readonly<Record<string, string>> = {
  "workers-ai": "cloudflare",
  xai: "x-ai",
};
/** Noon UTC: DeepSeek's prices depend on the hour. */
const at = new Date("2026-11-20T12:00:00Z");
const pairs = 200;

const aboveText =
  "One price for what comes out: ours is the image's, the oracle has text and image.";
const unpublished = "Free of charge while offered, without a price; unknown is never 0 here.";
const neurons = "Billed by neurons at 0.011 USD per 1,000; ours is exact, the oracle's is rounded.";

/** Models both know whose figures differ on purpose. */
const differences: Readonly<Record<string, string>> = {
  "google/gemini-2.5-flash-image": aboveText,
  "google/gemini-3-pro-image-preview": aboveText,
  "google/gemini-3.1-flash-image-preview": aboveText,
  "google/gemma-4-26b-a4b-it": unpublished,
  "google/gemma-4-31b-it": unpublished,
  "openai/gpt-image-1.5": aboveText,
  "workers-ai/@cf/meta/llama-3.2-11b-vision-instruct": neurons,
  "workers-ai/@cf/meta/llama-3.2-3b-instruct": neurons,
  "workers-ai/@cf/qwen/qwen3-30b-a3b-fp8": neurons,
  "workers-ai/@cf/zai-org/glm-4.7-flash": neurons,
};

interface Used {
  inputTokens: number;
  outputTokens: number;
}

/** micro-USD; null: the oracle doesn't know the model. */
function oracle(model: Model, { inputTokens, outputTokens }: Used): number | null {
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
  const providerId = oracleProviders[model.provider] ?? model.provider;
  const price = calcPrice(usage, model.id, { providerId, timestamp: at });
  return price === null ? null : price.total_price * 1e6;
}

/** Ours is rounded up to whole micro-USD, once. */
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

describe("prices, against @pydantic/genai-prices", () => {
  it("compares most of the catalogue, with price tiers among it", () => {
    expect(compared.length).toBeGreaterThan(100);
    expect(tiered.length).toBeGreaterThan(5);
  });

  it(`cost the same for ${pairs} sampled pairs of model and usage`, () => {
    const draw = draws(2_026);
    const sampled = Array.from({ length: pairs }, (_, at) => {
      const model = compared[at % compared.length] as Model;
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

  it("differ where it is listed, and only there", () => {
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
