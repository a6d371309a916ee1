/** Enforces `maxTokens` (MUST in the specification): the provider also got room for reasoning. */
import type { ProviderAnswer } from "./providers.ts";
import type { Block } from "./call.ts";
import { featuresOf } from "../tokens/text-features.ts";
import { tokensFrom } from "../tokens/tokenizers.ts";

export const cutNote = "text cut to maxTokens: the model wrote more";

/** A token has at least a byte, and a UTF-16 unit at most three. */
const maxTokensPerUnit = 3;

const textOf = (content: readonly Block[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

const likelyTokens = (text: string): number => Math.ceil(tokensFrom(featuresOf(text), "openai"));

function visibleTokens(answer: ProviderAnswer, text: string, estimated: number): number {
  const { content, usage } = answer;
  if (usage.estimated) return estimated;
  const reasoning = usage.classes?.reasoningTokens;
  const counted = usage.outputTokens - (reasoning ?? 0) - (usage.media?.imageOutputTokens ?? 0);
  const isTextAlone = content.every(({ type }) => type === "text");
  const isBelievable = reasoning !== undefined && counted <= text.length * maxTokensPerUnit;
  return isBelievable && isTextAlone ? counted : Math.min(counted, estimated);
}

function beginningOf(text: string, tokens: number): string {
  const characters = [...text];
  let [fits, max] = [1, characters.length];
  while (fits < max) {
    const middle = Math.ceil((fits + max) / 2);
    if (likelyTokens(characters.slice(0, middle).join("")) <= tokens) fits = middle;
    else max = middle - 1;
  }
  return characters.slice(0, fits).join("");
}

function shortenedTo(content: readonly Block[], text: string): Block[] {
  let left = text.length;
  return content.flatMap((block): Block[] => {
    if (block.type !== "text") return [block];
    const kept = block.text.slice(0, left);
    left -= kept.length;
    return kept === "" ? [] : [{ type: "text", text: kept }];
  });
}

/** Keeps the stop reason of a tool use, otherwise its caller would not run the tool. */
export function cutToVisible(answer: ProviderAnswer, maxTokens: number): ProviderAnswer {
  const text = textOf(answer.content);
  if (text.length * maxTokensPerUnit <= maxTokens) return answer;
  const estimated = likelyTokens(text);
  const visible = visibleTokens(answer, text, estimated);
  if (visible <= maxTokens) return answer;
  // Converted to the router's estimate, because tokenizers differ.
  const kept = beginningOf(text, (maxTokens / visible) * estimated);
  return {
    ...answer,
    content: shortenedTo(answer.content, kept),
    stopReason: answer.stopReason === "toolUse" ? "toolUse" : "maxTokens",
    notes: [...answer.notes, cutNote],
  };
}
