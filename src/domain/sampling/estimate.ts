/**
 * Estimates of tokens before a provider has counted: the likely number, which a choice compares, and the
 * largest, which a reservation holds and a context must have room for.
 */
import type { Requirements } from "../requirements.ts";
import { type Modality } from "../modality.ts";
import { blocksOf, type SamplingCall } from "./call.ts";
import { addFeatures, featuresOf, type TextFeatures } from "../tokens/text-features.ts";
import { tokensFrom } from "../tokens/tokenizers.ts";
import { type TokenFamily } from "../requirements.ts";

/** Characters per token of English prose lie near 4; code and other scripts run denser. */
const charactersPerToken = 3.5;
/** Every Chinese, Japanese or Korean character is about a token of its own. */
const denseScript = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/gu;
/** The largest that OpenAI, Anthropic and Google charge for one full-size image. */
const tokensPerImage = 1_600;
/** Compressed speech: 32 tokens a second (Google) at 4 kB a second; 3 bytes are 4 of base64. */
const base64CharactersPerAudioToken = 170;
/** Role, separators and wrapper of one message. */
const tokensPerMessage = 8;

/** A rough estimate, the same for every model, for where no family is known and little depends on it. */
export const tokensOfText = (text: string): number => {
  const dense = text.match(denseScript)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / charactersPerToken);
};

/** The most tokens of an image or a recording in base64. */
export const tokensOfMedia = (type: "image" | "audio", data: string): number =>
  type === "audio" ? Math.ceil(data.length / base64CharactersPerAudioToken) : tokensPerImage;

/** A call's input, read once for all families of tokenizers. */
export interface Measure {
  /** features of all texts */
  features: TextFeatures;
  /** tokens of everything that is no text */
  fixed: number;
}

export function measureInput(call: SamplingCall): Measure {
  const features = featuresOf(call.systemPrompt ?? "");
  let fixed = call.messages.length * tokensPerMessage;
  const add = (text: string): void => addFeatures(features, text);
  if (call.tools.length > 0) add(JSON.stringify(call.tools));
  for (const block of blocksOf(call)) {
    switch (block.type) {
      case "text":
        add(block.text);
        break;
      case "image":
      case "audio":
        fixed += tokensOfMedia(block.type, block.data);
        break;
      case "tool_use":
        add(block.name);
        add(JSON.stringify(block.input));
        break;
      case "tool_result":
        add(JSON.stringify(block.structuredContent ?? ""));
        break;
      case "resource":
      case "resource_link":
        add(JSON.stringify(block.raw));
        break;
    }
  }
  return { features, fixed };
}

export const tokensMeasured = ({ features, fixed }: Measure, family: TokenFamily): number =>
  fixed + Math.ceil(tokensFrom(features, family));

/**
 * Tokens that the call's input will likely be, system prompt, tools and media included. The family is that of
 * the model's tokenizer; without one, the family that counts most decides.
 */
export const estimateInputTokens = (call: SamplingCall, family: TokenFamily = "other"): number =>
  tokensMeasured(measureInput(call), family);

/** The estimate for a tokenizer; for one that was not estimated, the largest of the estimates. */
export const inputTokensFor = (
  { inputTokens, inputTokensByFamily }: Pick<Requirements, "inputTokens" | "inputTokensByFamily">,
  family: TokenFamily,
): number => inputTokensByFamily?.[family] ?? inputTokens;

/** Of 304 estimates for texts that no weight was fitted to, two lie further below the truth. */
const margin = 1.25;

/** The most that an estimated input will turn out to be. */
export const mostInputTokens = (estimated: number): number => Math.ceil(estimated * margin);

/** Modalities that a model must read: those of all blocks, also inside of tool results. */
export function inputModalitiesOf(call: SamplingCall): Modality[] {
  const found = new Set<Modality>(["text"]);
  for (const block of blocksOf(call))
    if (block.type === "image" || block.type === "audio") found.add(block.type);
  return [...found];
}
