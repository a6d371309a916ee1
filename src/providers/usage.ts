/** What a language model's provider counted, in the classes that are billed apart. */
import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { estimateInputTokens, tokensOfText } from "../domain/sampling/estimate.ts";
import { own, type JsonValue } from "../domain/json.ts";
import type { Block, SamplingCall } from "../domain/sampling/call.ts";
import { classesWithin, tokensOfLargestInlineImage } from "../domain/models/cost.ts";
import { type TokenClasses, type Usage } from "../domain/usage.ts";
import { secondsOf } from "./media.ts";

/** The parts of a generated result that are read. */
type Counted = Pick<LanguageModelV4GenerateResult, "content" | "usage"> & {
  response?: { body?: unknown } | undefined;
};

/** Tokens as reported; null: the figure is no count. */
export const countedTokens = (tokens: unknown): number | null =>
  typeof tokens !== "number" || !Number.isFinite(tokens) || tokens < 0 ? null : Math.round(tokens);

/**
 * A figure of the provider's own usage, by its path: from what the library keeps, else from the body as
 * it came.
 */
function figureOf({ usage, response }: Counted, ...path: string[]): JsonValue | undefined {
  const body = response?.body;
  for (const source of [usage.raw, own(body, "usage"), own(body, "usageMetadata")]) {
    const figure = path.reduce<unknown>((value, key) => own(value, key), source);
    if (figure !== undefined && figure !== null) return figure as JsonValue;
  }
  return undefined;
}

const countAt = (counted: Counted, ...path: string[]): number =>
  countedTokens(figureOf(counted, ...path)) ?? 0;

/**
 * Google's list of tokens by modality: `[{modality: "IMAGE", tokenCount: 1290}]`. Null: there is no
 * such list.
 */
function countIn(counted: Counted, list: string, modality: string): number | null {
  const details = figureOf(counted, list);
  if (!Array.isArray(details)) return null;
  const detail = details.find((each) => own(each, "modality") === modality);
  return countedTokens(own(detail, "tokenCount"));
}

/** The part of Anthropic's cache writes that stays for an hour. */
const hourWritesIn = (counted: Counted): number =>
  countAt(counted, "cache_creation", "ephemeral_1h_input_tokens");

/** OpenAI's name for audio is `prompt_tokens_details.audio_tokens`, or `input_tokens_details` in Responses. */
const audioIn = (counted: Counted): number =>
  countIn(counted, "promptTokensDetails", "AUDIO") ??
  (countAt(counted, "prompt_tokens_details", "audio_tokens") ||
    countAt(counted, "input_tokens_details", "audio_tokens"));

/** DeepSeek and Moonshot have names of their own for cache reads, which the library for OpenAI's wire doesn't read. */
const readIn = (counted: Counted): number =>
  countedTokens(counted.usage.inputTokens.cacheRead) ||
  countAt(counted, "prompt_cache_hit_tokens") ||
  countAt(counted, "cached_tokens");

/**
 * OpenRouter reports cache writes as OpenAI does, and the library for compatible endpoints doesn't read
 * them.
 */
const writtenIn = (counted: Counted): number =>
  countedTokens(counted.usage.inputTokens.cacheWrite) ||
  countAt(counted, "prompt_tokens_details", "cache_write_tokens");

function classesOf(counted: Counted, hidden: number): TokenClasses {
  const { outputTokens } = counted.usage;
  const written = writtenIn(counted);
  const hour = Math.min(written, hourWritesIn(counted));
  return {
    cacheReadTokens: readIn(counted),
    cacheReadAudioTokens: countIn(counted, "cacheTokensDetails", "AUDIO") ?? 0,
    cacheWriteTokens: written - hour,
    cacheWriteHourTokens: hour,
    audioInputTokens: audioIn(counted),
    reasoningTokens: Math.max(countedTokens(outputTokens.reasoning) ?? 0, hidden),
  };
}

const withClasses = (usage: Usage, classes: TokenClasses): Usage => {
  const within = classesWithin({ ...usage, classes });
  return Object.keys(within).length === 0 ? usage : { ...usage, classes: within };
};

/** Whether the answer holds what its model can't have written in no tokens. */
const hasOutput = ({ content }: Counted): boolean =>
  content.some((part) =>
    part.type === "text" || part.type === "reasoning" ? part.text.trim() !== "" : true,
  );

/**
 * The tokens that the provider counted; null where the provider did not count input and output both. Libraries
 * turn what was not reported into zeros, and no call has an input of zero tokens. What a total has beyond its
 * parts is output: reasoning that nobody sees, since some providers leave it out of the output (Gemini behind
 * OpenAI's wire, xAI); or the whole output, where only input and total were reported.
 */
export function reportedUsage(counted: Counted): Usage | null {
  const inputTokens = countedTokens(counted.usage.inputTokens.total);
  const output = countedTokens(counted.usage.outputTokens.total);
  if (inputTokens === null || inputTokens === 0 || output === null) return null;
  const total = countAt(counted, "total_tokens") || countAt(counted, "totalTokenCount");
  const beyond = Math.max(0, total - inputTokens - output);
  const outputTokens = output + beyond;
  if (outputTokens === 0 && hasOutput(counted)) return null;
  const hidden = output === 0 && hasOutput(counted) ? 0 : beyond;
  return withClasses({ inputTokens, outputTokens, estimated: false }, classesOf(counted, hidden));
}

/**
 * How many of the output tokens are images. Where the provider doesn't say, they are what neither text
 * nor reasoning accounts for, and no more than the largest images have.
 */
function imageTokensIn(counted: Counted, usage: Usage, blocks: readonly Block[]): number {
  const reported = countIn(counted, "candidatesTokensDetails", "IMAGE");
  if (reported !== null) return reported;
  const images = blocks.filter(({ type }) => type === "image").length;
  let text = 0;
  for (const block of blocks) if (block.type === "text") text += tokensOfText(block.text);
  const left = usage.outputTokens - (usage.classes?.reasoningTokens ?? 0) - text;
  return Math.max(0, Math.min(left, images * tokensOfLargestInlineImage));
}

function withMedia(usage: Usage, counted: Counted, blocks: readonly Block[]): Usage {
  const images = blocks.filter(({ type }) => type === "image").length;
  const audio = blocks.find((block) => block.type === "audio");
  if (images === 0 && audio === undefined) return usage;
  const seconds = audio === undefined ? null : secondsOf(audio);
  return {
    ...usage,
    media: {
      ...(images > 0 ? { images, imageOutputTokens: imageTokensIn(counted, usage, blocks) } : {}),
      ...(seconds === null ? {} : { audioSeconds: seconds }),
    },
  };
}

/** Tokens as the provider counted them. What the provider did not count is estimated, and the usage is marked. */
export function usageOf(counted: Counted, call: SamplingCall, blocks: Block[]): Usage {
  const reported = reportedUsage(counted);
  if (reported !== null) return withMedia(reported, counted, blocks);
  const input = countedTokens(counted.usage.inputTokens.total);
  const output = countedTokens(counted.usage.outputTokens.total);
  let reasoning = 0;
  for (const part of counted.content)
    if (part.type === "reasoning") reasoning += tokensOfText(part.text);
  const { systemPrompt: _, ...bare } = call;
  const answer = {
    ...bare,
    tools: [],
    messages: [{ role: "assistant" as const, content: blocks }],
  };
  const usage = {
    inputTokens: input !== null && input > 0 ? input : estimateInputTokens(call),
    // No model writes more than it may, and the call reserved no more.
    outputTokens:
      output !== null && output > 0
        ? output
        : Math.min(call.maxTokens, estimateInputTokens(answer)) + reasoning,
    estimated: true,
  };
  return withMedia(withClasses(usage, classesOf(counted, 0)), counted, blocks);
}
