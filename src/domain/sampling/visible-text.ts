/**
 * `maxTokens` bounds the text that a caller sees (the specification: it MUST be respected), while a
 * provider was given room for reasoning beside it. What of the text is beyond the bound is cut here.
 */
import type { ProviderAnswer } from "./providers.ts";
import type { Block } from "./call.ts";
import { featuresOf } from "../tokens/text-features.ts";
import { tokensFrom } from "../tokens/tokenizers.ts";

export const cutNote = "text cut to maxTokens: the model wrote more";

/** No token is less than a byte, and no unit of a string more than three. */
const mostTokensPerUnit = 3;

const textOf = (content: readonly Block[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

/** As a tokenizer of the usual kind counts; what no provider counted, this stands for. */
const likelyTokens = (text: string): number => Math.ceil(tokensFrom(featuresOf(text), "openai"));

/**
 * Tokens of the text: the provider's own count, less what it says was reasoning or an image. Where it
 * doesn't say what was reasoning, or counts tool uses in, our estimate is believed if it is lower.
 */
function visibleTokens(answer: ProviderAnswer, text: string, estimated: number): number {
  const { content, usage } = answer;
  if (usage.estimated) return estimated;
  const reasoning = usage.classes?.reasoningTokens;
  const counted = usage.outputTokens - (reasoning ?? 0) - (usage.media?.imageOutputTokens ?? 0);
  const isTextAlone = content.every(({ type }) => type === "text");
  const isBelievable = reasoning !== undefined && counted <= text.length * mostTokensPerUnit;
  return isBelievable && isTextAlone ? counted : Math.min(counted, estimated);
}

/** The longest beginning, whole characters and one at least, that is estimated at so many tokens or fewer. */
function beginningOf(text: string, tokens: number): string {
  const characters = [...text];
  let [fits, most] = [1, characters.length];
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    if (likelyTokens(characters.slice(0, middle).join("")) <= tokens) fits = middle;
    else most = middle - 1;
  }
  return characters.slice(0, fits).join("");
}

/** The texts together are no longer than `text`; everything else stays as it is. */
function shortenedTo(content: readonly Block[], text: string): Block[] {
  let left = text.length;
  return content.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    const kept = block.text.slice(0, left);
    left -= kept.length;
    return kept === "" ? [] : [{ type: "text", text: kept }];
  });
}

/**
 * The answer, its text no longer than `maxTokens`. Tool uses and media are never cut; an answer that
 * uses a tool still stops for that, or its caller would not answer the tool use.
 */
export function cutToVisible(answer: ProviderAnswer, maxTokens: number): ProviderAnswer {
  const text = textOf(answer.content);
  if (text.length * mostTokensPerUnit <= maxTokens) return answer;
  const estimated = likelyTokens(text);
  const visible = visibleTokens(answer, text, estimated);
  if (visible <= maxTokens) return answer;
  // In our own unit: the provider's count may differ from it by its tokenizer.
  const kept = beginningOf(text, (maxTokens / visible) * estimated);
  return {
    ...answer,
    content: shortenedTo(answer.content, kept),
    stopReason: answer.stopReason === "toolUse" ? "toolUse" : "maxTokens",
    notes: [...answer.notes, cutNote],
  };
}
