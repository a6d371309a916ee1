/**
 * `maxTokens` bounds the text that a caller sees: the specification says that it MUST be respected. The
 * provider got room for reasoning beside the text, so text beyond the bound is cut here.
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

/** An estimate by a tokenizer of the usual kind, for what no provider counted. */
const likelyTokens = (text: string): number => Math.ceil(tokensFrom(featuresOf(text), "openai"));

/**
 * Tokens of the text: the provider's own count, less what the provider says was reasoning or an image. Where
 * the provider doesn't tell reasoning apart, or counts tool uses in, our own estimate counts if it is lower.
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

/** The longest beginning of whole characters with at most `tokens` estimated tokens. One character is the least. */
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

/** Cuts the text blocks so that together they are no longer than `text`. Everything else stays as it is. */
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
 * The answer with text no longer than `maxTokens`. Tool uses and media are never cut. An answer with a tool use
 * keeps its stop reason, since its caller would not answer the tool use otherwise.
 */
export function cutToVisible(answer: ProviderAnswer, maxTokens: number): ProviderAnswer {
  const text = textOf(answer.content);
  if (text.length * mostTokensPerUnit <= maxTokens) return answer;
  const estimated = likelyTokens(text);
  const visible = visibleTokens(answer, text, estimated);
  if (visible <= maxTokens) return answer;
  // In our own unit, from which the provider's count may differ by its tokenizer.
  const kept = beginningOf(text, (maxTokens / visible) * estimated);
  return {
    ...answer,
    content: shortenedTo(answer.content, kept),
    stopReason: answer.stopReason === "toolUse" ? "toolUse" : "maxTokens",
    notes: [...answer.notes, cutNote],
  };
}
