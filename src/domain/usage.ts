/** Tokens into money. Money is micro-USD, whole, rounded up once at the end. */
import type { Model } from "./models.ts";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** the provider reported none, so these are our estimate */
  estimated: boolean;
}

/** Micro-USD of a usage on a model; null where the price is unknown, which is never 0. */
export function costMicroUsd(
  model: Pick<Model, "inputUsdPerMTok" | "outputUsdPerMTok" | "priceTiers">,
  usage: Pick<Usage, "inputTokens" | "outputTokens">,
): number | null {
  const tier = model.priceTiers
    .filter(({ aboveInputTokens }) => usage.inputTokens > aboveInputTokens)
    .toSorted((a, b) => b.aboveInputTokens - a.aboveInputTokens)[0];
  const input = tier?.inputUsdPerMTok ?? model.inputUsdPerMTok;
  const output = tier?.outputUsdPerMTok ?? model.outputUsdPerMTok;
  if (input === null || output === null) return null;
  // Prices carry at most six decimals; rounding there first keeps 0.1 + 0.2 from costing a micro-USD.
  const micro = usage.inputTokens * input + usage.outputTokens * output;
  return Math.ceil(Math.round(micro * 1e6) / 1e6);
}
