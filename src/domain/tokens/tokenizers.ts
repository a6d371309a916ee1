/**
 * How many tokens a text has, by what it is made of: one pass over its characters, no vocabulary. The
 * weights are fitted to real tokenizers; `test/fixtures/tokens/held-out` has texts that no weight was
 * fitted to, with the true counts. A tokenizer itself would be 2 MB in the Worker, for one family only.
 */
import type { TokenFamily } from "../requirements.ts";
import { featureNames, featuresOf, type TextFeatures } from "./text-features.ts";
import { tokenWeights } from "./token-weights.ts";

function weigh(features: TextFeatures, family: keyof typeof tokenWeights): number {
  const weights = tokenWeights[family];
  let tokens = 0;
  for (const name of featureNames) tokens += features[name] * weights[name];
  return tokens;
}

/** Those whose counts the providers themselves would give, or their next of kin. */
const exact = ["openai", "google", "llama", "qwen", "deepseek", "cohere"] as const;

/** Every family, at the place by which it is found. */
export const tokenFamilies: readonly TokenFamily[] = [
  ...(Object.keys(tokenWeights) as (keyof typeof tokenWeights)[]),
  "other",
];

/** Not rounded. */
export const tokensFrom = (features: TextFeatures, family: TokenFamily): number =>
  family === "other"
    ? Math.max(...exact.map((each) => weigh(features, each)))
    : weigh(features, family);

/** Rounded up. */
export const tokensIn = (text: string, family: TokenFamily): number =>
  Math.ceil(tokensFrom(featuresOf(text), family));

/** The words in a model's name or family that tell whose tokenizer it has, in this order. */
const tellers: readonly (readonly [RegExp, TokenFamily])[] = [
  [/gpt-oss/, "openai"],
  [/deepseek/, "deepseek"],
  [/qwen|qwq/, "qwen"],
  [/mistral|mixtral|ministral|magistral|devstral|codestral|pixtral/, "mistral"],
  [/llama/, "llama"],
  [/gemini|gemma/, "google"],
  [/claude/, "anthropic"],
  [/command|aya/, "cohere"],
];

/** Models are never changed, only replaced, so what was told of one stays right. */
const told = new WeakMap<object, TokenFamily>();

/** Whose tokenizer a model has, wherever it runs. */
export function tokenFamilyOf(model: {
  provider: string;
  id: string;
  family: string | null;
}): TokenFamily {
  const known = told.get(model);
  if (known !== undefined) return known;
  const name = `${model.id} ${model.family ?? ""}`.toLowerCase();
  const teller = tellers.find(([pattern]) => pattern.test(name));
  const family = teller?.[1] ?? (model.provider === "openai" ? "openai" : "other");
  told.set(model, family);
  return family;
}
