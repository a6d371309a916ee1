/**
 * How many tokens a text has, from what the text is made of: one pass over its characters, no vocabulary. The
 * weights are fitted to real tokenizers. `test/fixtures/tokens/held-out` has texts that no weight was fitted
 * to, with the true counts. A tokenizer itself would be 2 MB in the Worker, for one family only.
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

/** Families of which the true tokenizer, or a near relative of it, was counted. */
const exact = ["openai", "google", "llama", "qwen", "deepseek", "cohere"] as const;

/** Every family. A family's index is the place by which it is found. */
export const tokenFamilies: readonly TokenFamily[] = [
  ...(Object.keys(tokenWeights) as (keyof typeof tokenWeights)[]),
  "other",
];

/** The estimate, not rounded. */
export const tokensFrom = (features: TextFeatures, family: TokenFamily): number =>
  family === "other"
    ? Math.max(...exact.map((each) => weigh(features, each)))
    : weigh(features, family);

/** The estimate, rounded up. */
export const tokensIn = (text: string, family: TokenFamily): number =>
  Math.ceil(tokensFrom(featuresOf(text), family));

/** Words in a model's name or family that tell its tokenizer's family; the first that matches counts. */
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

/** Models are replaced and never changed, so what was read of one stays right. */
const familyByModel = new WeakMap<object, TokenFamily>();

/** The family of a model's tokenizer, wherever the model runs. */
export function tokenFamilyOf(model: {
  provider: string;
  id: string;
  family: string | null;
}): TokenFamily {
  const known = familyByModel.get(model);
  if (known !== undefined) return known;
  const name = `${model.id} ${model.family ?? ""}`.toLowerCase();
  const teller = tellers.find(([pattern]) => pattern.test(name));
  const family = teller?.[1] ?? (model.provider === "openai" ? "openai" : "other");
  familyByModel.set(model, family);
  return family;
}
