/** Token estimates before a provider has counted. Rounded up: a reservation should cover the bill. */
import { blocksOf, type SamplingCall } from "./sampling.ts";
import { type Modality } from "./modality.ts";
import { tokensIn, type TokenFamily } from "./tokens.ts";

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

/** Rough, and the same for every model: where no family is known and little depends on it. */
export const tokensOfText = (text: string): number => {
  const dense = text.match(denseScript)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / charactersPerToken);
};

/**
 * Tokens that the call's input will be, system prompt, tools and media included. The family is that of the
 * model's tokenizer; without one, the most that any known one counts.
 */
export function estimateInputTokens(call: SamplingCall, family: TokenFamily = "other"): number {
  const tokensOf = (text: string): number => tokensIn(text, family);
  let tokens = call.messages.length * tokensPerMessage + tokensOf(call.systemPrompt ?? "");
  if (call.tools.length > 0) tokens += tokensOf(JSON.stringify(call.tools));
  for (const block of blocksOf(call)) {
    switch (block.type) {
      case "text":
        tokens += tokensOf(block.text);
        break;
      case "image":
        tokens += tokensPerImage;
        break;
      case "audio":
        tokens += Math.ceil(block.data.length / base64CharactersPerAudioToken);
        break;
      case "tool_use":
        tokens += tokensOf(block.name) + tokensOf(JSON.stringify(block.input));
        break;
      case "tool_result":
        tokens += tokensOf(JSON.stringify(block.structuredContent ?? ""));
        break;
      case "resource":
      case "resource_link":
        tokens += tokensOf(JSON.stringify(block.raw));
        break;
    }
  }
  return tokens;
}

/** Modalities that a model must read: the blocks' own, those inside tool results included. */
export function inputModalitiesOf(call: SamplingCall): Modality[] {
  const found = new Set<Modality>(["text"]);
  for (const block of blocksOf(call))
    if (block.type === "image" || block.type === "audio") found.add(block.type);
  return [...found];
}
