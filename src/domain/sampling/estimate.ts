/** Token estimates: the likely number for comparison, and the maximum for reservations and context. */
import type { Requirements } from "../requirements.ts";
import { type Modality } from "../modality.ts";
import { blocksOf, type SamplingCall } from "./call.ts";
import { addFeatures, featuresOf, type TextFeatures } from "../tokens/text-features.ts";
import { tokensFrom } from "../tokens/tokenizers.ts";
import { type TokenFamily } from "../requirements.ts";

/** English prose is near 4; code and other scripts are denser. */
const charactersPerToken = 3.5;
/** Chinese, Japanese and Korean: about a token per character. */
const denseScript = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/gu;
/** The maximum of OpenAI, Anthropic and Google for a full-size image. */
const tokensPerImage = 1_600;
/** Google: 32 tokens per second of speech, at 4 kB; 3 bytes are 4 characters of base64. */
const base64CharactersPerAudioToken = 170;
const tokensPerMessage = 8;

/** Rough, independent of the tokenizer. */
export const tokensOfText = (text: string): number => {
  const dense = text.match(denseScript)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / charactersPerToken);
};

/** Maximum, from base64. */
export const tokensOfMedia = (type: "image" | "audio", data: string): number =>
  type === "audio" ? Math.ceil(data.length / base64CharactersPerAudioToken) : tokensPerImage;

export interface Measure {
  features: TextFeatures;
  fixed: number;
}

export function measureInput(call: SamplingCall): Measure {
  const features = featuresOf(call.systemPrompt ?? "");
  let fixed = call.messages.length * tokensPerMessage + (call.passing?.opaqueTokens ?? 0);
  const add = (text: string): void => addFeatures(features, text);
  if (call.tools.length > 0) add(JSON.stringify(call.tools));
  if (call.schema !== undefined) add(JSON.stringify(call.schema));
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

export const estimateInputTokens = (call: SamplingCall, family: TokenFamily = "other"): number =>
  tokensMeasured(measureInput(call), family);

export const inputTokensFor = (
  { inputTokens, inputTokensByFamily }: Pick<Requirements, "inputTokens" | "inputTokensByFamily">,
  family: TokenFamily,
): number => inputTokensByFamily?.[family] ?? inputTokens;

/** Two of 304 estimates on held-out texts are off by more. */
const margin = 1.25;

export const maxInputTokens = (estimated: number): number => Math.ceil(estimated * margin);

export function inputModalitiesOf(call: SamplingCall): Modality[] {
  const found = new Set<Modality>(["text"]);
  for (const block of blocksOf(call))
    if (block.type === "image" || block.type === "audio") found.add(block.type);
  return [...found];
}
