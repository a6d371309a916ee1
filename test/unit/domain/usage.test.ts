import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costMicroUsd } from "../../../src/domain/usage.ts";

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
    // In any order.
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
        // In whole numbers, the exact sum: never less is charged, and less than a micro-USD more.
        const exact =
          BigInt(Math.round(input * 1e6)) * BigInt(a) +
          BigInt(Math.round(output * 1e6)) * BigInt(b);
        expect(BigInt(cost) * 1_000_000n - exact).toBeGreaterThanOrEqual(0n);
        expect(BigInt(cost) * 1_000_000n - exact).toBeLessThan(1_000_000n);
      }),
    );
  });
});
