/** Token estimates from weighted text features. A tokenizer would add 2 MB per family to the Worker. */
import { memoizedByObject } from "../memoized.ts";
import type { TokenFamily } from "../requirements.ts";
import { featureNames, featuresOf, type TextFeatures } from "./text-features.ts";
import { tokenWeights, weighedFamilies, type WeighedFamily } from "./token-weights.ts";

function weigh(features: TextFeatures, family: WeighedFamily): number {
  const column = weighedFamilies.indexOf(family);
  let tokens = 0;
  for (const name of featureNames) {
    const count = features[name];
    // Most texts have few of the features.
    if (count > 0) tokens += count * (tokenWeights[name][column] ?? 0);
  }
  return tokens;
}

/** Families whose tokenizer, or a close relative, was measured. */
const exact = ["openai", "google", "llama", "qwen", "deepseek", "cohere"] as const;

export const tokenFamilies: readonly TokenFamily[] = [...weighedFamilies, "other"];

export const tokensFrom = (features: TextFeatures, family: TokenFamily): number =>
  family === "other"
    ? Math.max(...exact.map((each) => weigh(features, each)))
    : weigh(features, family);

export const tokensIn = (text: string, family: TokenFamily): number =>
  Math.ceil(tokensFrom(featuresOf(text), family));

const tokenizerPatterns: readonly (readonly [RegExp, TokenFamily])[] = [
  [/gpt-oss/, "openai"],
  [/deepseek/, "deepseek"],
  [/qwen|qwq/, "qwen"],
  [/mistral|mixtral|ministral|magistral|devstral|codestral|pixtral/, "mistral"],
  [/llama/, "llama"],
  [/gemini|gemma/, "google"],
  [/claude/, "anthropic"],
  [/command|aya/, "cohere"],
];

export const tokenFamilyOf = memoizedByObject(
  (model: { provider: string; id: string; family: string | null }): TokenFamily => {
    const name = `${model.id} ${model.family ?? ""}`.toLowerCase();
    const teller = tokenizerPatterns.find(([pattern]) => pattern.test(name));
    return teller?.[1] ?? (model.provider === "openai" ? "openai" : "other");
  },
);
