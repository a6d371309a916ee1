/** Token estimates from weighted text features. A tokenizer would add 2 MB per family to the Worker. */
import type { TokenFamily } from "../requirements.ts";
import { featureNames, featuresOf, type TextFeatures } from "./text-features.ts";
import { tokenWeights } from "./token-weights.ts";

function weigh(features: TextFeatures, family: keyof typeof tokenWeights): number {
  const weights = tokenWeights[family];
  let tokens = 0;
  for (const name of featureNames) tokens += features[name] * weights[name];
  return tokens;
}

/** Families whose tokenizer, or a close relative, was measured. */
const exact = ["openai", "google", "llama", "qwen", "deepseek", "cohere"] as const;

/** The index is `familyPlace`. */
export const tokenFamilies: readonly TokenFamily[] = [
  ...(Object.keys(tokenWeights) as (keyof typeof tokenWeights)[]),
  "other",
];

export const tokensFrom = (features: TextFeatures, family: TokenFamily): number =>
  family === "other"
    ? Math.max(...exact.map((each) => weigh(features, each)))
    : weigh(features, family);

export const tokensIn = (text: string, family: TokenFamily): number =>
  Math.ceil(tokensFrom(featuresOf(text), family));

/** The first matching pattern of a model's name or family wins. */
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

/** Models are immutable. */
const familyByModel = new WeakMap<object, TokenFamily>();

/** Independent of the provider. */
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
