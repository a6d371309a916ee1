/** Usage by classes with a price of their own. */
import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { estimateInputTokens, tokensOfText } from "../domain/sampling/estimate.ts";
import { own, type JsonValue } from "../domain/json.ts";
import type { Block, SamplingCall } from "../domain/sampling/call.ts";
import { classesWithin, tokensOfLargestInlineImage } from "../domain/models/cost.ts";
import { type TokenClasses, type Usage } from "../domain/usage.ts";
import { secondsOf } from "./media.ts";

type Counted = Pick<LanguageModelV4GenerateResult, "content" | "usage"> & {
  response?: { body?: unknown } | undefined;
};

/** `null` if invalid. */
export const countedTokens = (tokens: unknown): number | null =>
  typeof tokens !== "number" || !Number.isFinite(tokens) || tokens < 0 ? null : Math.round(tokens);

/** From the library's raw usage, else from the body. */
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

/** Google: `[{modality: "IMAGE", tokenCount: 1290}]`. */
function countIn(counted: Counted, list: string, modality: string): number | null {
  const details = figureOf(counted, list);
  if (!Array.isArray(details)) return null;
  const detail = details.find((each) => own(each, "modality") === modality);
  return countedTokens(own(detail, "tokenCount"));
}

/** Anthropic's one-hour cache writes. */
const hourWritesIn = (counted: Counted): number =>
  countAt(counted, "cache_creation", "ephemeral_1h_input_tokens");

/** `prompt_tokens_details.audio_tokens`, or `input_tokens_details` in Responses. */
const audioIn = (counted: Counted): number =>
  countIn(counted, "promptTokensDetails", "AUDIO") ??
  (countAt(counted, "prompt_tokens_details", "audio_tokens") ||
    countAt(counted, "input_tokens_details", "audio_tokens"));

/** DeepSeek and Moonshot report cache reads under other names. */
const readIn = (counted: Counted): number =>
  countedTokens(counted.usage.inputTokens.cacheRead) ||
  countAt(counted, "prompt_cache_hit_tokens") ||
  countAt(counted, "cached_tokens");

/** The compatible library ignores OpenRouter's cache writes. */
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

const hasOutput = ({ content }: Counted): boolean =>
  content.some((part) =>
    part.type === "text" || part.type === "reasoning" ? part.text.trim() !== "" : true,
  );

/**
 * `null` unless input and output were counted. Libraries report missing figures as 0, but no call has 0 input
 * tokens. What a total has beyond its parts is output: hidden reasoning that some providers exclude (Gemini
 * behind OpenAI's wire, xAI), or all output if only input and total are given.
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
 * The input as Anthropic counts it when a stream begins; null: the event says nothing of it. Other wires count at the end.
 */
export function countedInput(event: unknown): Pick<Usage, "inputTokens" | "classes"> | null {
  const usage = own(own(event, "message"), "usage");
  const fresh = countedTokens(own(usage, "input_tokens"));
  if (own(event, "type") !== "message_start" || fresh === null) return null;
  const read = countedTokens(own(usage, "cache_read_input_tokens")) ?? 0;
  const written = countedTokens(own(usage, "cache_creation_input_tokens")) ?? 0;
  const hours = own(own(usage, "cache_creation"), "ephemeral_1h_input_tokens");
  const hour = Math.min(written, countedTokens(hours) ?? 0);
  const inputTokens = fresh + read + written;
  if (inputTokens === 0) return null;
  const classes = {
    cacheReadTokens: read,
    cacheWriteTokens: written - hour,
    cacheWriteHourTokens: hour,
  };
  const { classes: within } = withClasses(
    { inputTokens, outputTokens: 0, estimated: false },
    classes,
  );
  return { inputTokens, ...(within !== undefined && { classes: within }) };
}

/** Image output tokens: as reported, else what is neither text nor reasoning, up to the largest image size. */
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

/** Estimates missing figures and marks the usage. */
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
    // Never above the call's reservation.
    outputTokens:
      output !== null && output > 0
        ? output
        : Math.min(call.maxTokens, estimateInputTokens(answer)) + reasoning,
    estimated: true,
  };
  return withMedia(withClasses(usage, classesOf(counted, 0)), counted, blocks);
}
