/** A language model's answer, streamed while the provider generates it. */
import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { own } from "../domain/json.ts";
import type { ProviderAnswer } from "../domain/sampling/providers.ts";
import { err, type Result } from "../domain/result.ts";
import type { StreamPart, TakePart } from "../domain/sampling/stream-parts.ts";
import { toolInputOf } from "../domain/sampling/tool-input.ts";
import type { Usage } from "../domain/usage.ts";
import { answerTooLarge, faultContext, faultOf } from "./faults.ts";
import { maxAnswerBytes } from "./bounded.ts";
import { mayMixThoughts, prepared, type GenerateDeps, type Served } from "./language.ts";
import { reportMessage } from "./message.ts";
import type { Generated } from "./result.ts";
import { brokenOffFault, faultOfEvent } from "./stream-faults.ts";
import { noThoughts, createThoughtSplitter, type ThoughtSplitter } from "./streamed-thoughts.ts";
import { countedInput, reportedUsage } from "./usage.ts";

type Prepared = Awaited<ReturnType<typeof prepared>>;
type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

interface Assembly {
  /** The parts to pass to the client. */
  read(part: LanguageModelV4StreamPart): StreamPart[];
  /** null: the stream broke off */
  ended(): { generated: Generated; last: StreamPart[] } | null;
  warnings: SharedV4Warning[];
  /** undefined: none */
  firstError(): unknown;
  /** of the whole answer; null: not reported */
  usage(): Usage | null;
}

/** Libraries report a stream that broke off as "interrupted", or as "other" without a raw reason. */
const isComplete = ({ finishReason: { unified, raw } }: Finish): boolean =>
  unified !== "error" &&
  unified !== "interrupted" &&
  // Complete answers of OpenAI's Responses API have no raw reason either.
  (raw !== undefined || unified !== "other");

/** Translates the library's parts for the client, and collects the whole answer. */
function createAssembly(
  { restoreBlocks, renamesInputs }: Pick<Prepared, "restoreBlocks" | "renamesInputs">,
  thoughts: ThoughtSplitter,
): Assembly {
  const content: LanguageModelV4Content[] = [];
  const warnings: SharedV4Warning[] = [];
  const startedToolUses = new Set<string>();
  let size = 0;
  let error: unknown;
  let finish: Finish | null = null;
  let anthropicInput: ReturnType<typeof countedInput> = null;
  let anthropicOutput: number | null = null;
  const countSize = (text: string): void => {
    size += text.length;
    if (size > maxAnswerBytes.text) throw answerTooLarge("text");
  };
  /** Pieces of one text or thought are one part of the content. */
  const append = (type: "text" | "reasoning", text: string): void => {
    countSize(text);
    const last = content.at(-1);
    if (last?.type === type) last.text += text;
    else content.push({ type, text });
  };
  const toolUse = (id: string, name: string): StreamPart[] => {
    if (startedToolUses.has(id)) return [];
    startedToolUses.add(id);
    const [use] = restoreBlocks([{ type: "tool_use", id, name, input: {} }]);
    return [{ type: "tool_use", id, name: use?.type === "tool_use" ? use.name : name }];
  };
  const toolInput = (id: string, name: string, input: string): StreamPart[] => {
    const read = toolInputOf(input);
    const [use] = read === null ? [] : restoreBlocks([{ type: "tool_use", id, name, input: read }]);
    const json = use?.type === "tool_use" ? JSON.stringify(use.input) : input;
    return [{ type: "tool_input", id, json }];
  };
  const withStreamedInput = new Set<string>();
  const read = (part: LanguageModelV4StreamPart): StreamPart[] => {
    switch (part.type) {
      case "stream-start":
        warnings.push(...part.warnings);
        return [];
      case "raw": {
        const input = countedInput(part.rawValue);
        anthropicOutput = finalOutputTokens(part.rawValue) ?? anthropicOutput;
        if (input === null) return [];
        anthropicInput = input;
        return [{ type: "counted", input }];
      }
      case "response-metadata":
        return [{ type: "began" }];
      case "text-delta":
        append("text", part.delta);
        return part.delta === "" ? [] : thoughts.add(part.delta);
      case "reasoning-delta":
        append("reasoning", part.delta);
        return part.delta === "" ? [] : [{ type: "hidden", text: part.delta }];
      case "tool-input-start":
        return part.providerExecuted === true ? [] : toolUse(part.id, part.toolName);
      case "tool-input-delta":
        countSize(part.delta);
        if (renamesInputs || part.delta === "") return [];
        withStreamedInput.add(part.id);
        return [{ type: "tool_input", id: part.id, json: part.delta }];
      case "tool-call": {
        if (part.providerExecuted === true) return [];
        const { toolCallId: id, toolName: name, input } = part;
        content.push(part);
        const begins = toolUse(id, name);
        return [...begins, ...(withStreamedInput.has(id) ? [] : toolInput(id, name, input))];
      }
      case "finish":
        finish = part;
        return [];
      case "error":
        error ??= part.error;
        return [];
      default:
        return [];
    }
  };
  const generatedBy = (last: Finish): Generated => ({
    content,
    finishReason: last.finishReason,
    usage: last.usage,
  });
  return {
    read,
    warnings,
    firstError: () => error,
    ended: () => {
      if (finish === null || !isComplete(finish)) return null;
      const isCut = finish.finishReason.unified === "length";
      return { generated: generatedBy(finish), last: thoughts.end(isCut) };
    },
    usage: () => {
      const reported = finish === null ? null : reportedUsage(generatedBy(finish));
      if (reported !== null || anthropicInput === null || anthropicOutput === null) return reported;
      return { ...anthropicInput, outputTokens: anthropicOutput, estimated: false };
    },
  };
}

/** The total in Anthropic's `message_delta`; null: another event. */
function finalOutputTokens(event: unknown): number | null {
  const output = own(own(event, "usage"), "output_tokens");
  return own(event, "type") === "message_delta" && typeof output === "number" ? output : null;
}

/** Sends one request for `generate`, and passes each part of the answer to `take`. */
export const streamOnce =
  (
    take: TakePart,
    { now, hasDoneEvent }: { now: () => number; hasDoneEvent: () => boolean },
  ): NonNullable<GenerateDeps["once"]> =>
  async (request, served, how) => {
    const call = await prepared(request, served, how);
    const thoughts = mayMixThoughts(request) ? createThoughtSplitter() : noThoughts;
    const assembly = createAssembly(call, thoughts);
    const faultWith = (fault: ProviderFault): Result<ProviderAnswer, ProviderFault> =>
      err({ ...fault, usage: assembly.usage() });
    const context = faultContext(request, now());
    const { stream } = await served.model.doStream({ ...call.options, includeRawChunks: true });
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const part of assembly.read(value)) await take(part);
        const error = assembly.firstError();
        if (error === undefined) continue;
        if (error instanceof Error) throw error;
        return faultWith(faultOfEvent(error, context));
      }
    } catch (thrown) {
      reportMessage(thrown, request);
      return faultWith(faultOf(thrown, context));
    } finally {
      void reader.cancel().catch(() => undefined);
    }
    const ended = assembly.ended();
    // Chat Completions sends usage after the finish reason, so the stream may break off in between.
    const isWhole =
      ended !== null && (!endsWithDoneEvent(served) || hasDoneEvent() || assembly.usage() !== null);
    if (!isWhole) return faultWith(brokenOffFault(context));
    for (const part of ended.last) await take(part);
    return call.answer(ended.generated, assembly.warnings);
  };

const endsWithDoneEvent = ({ library }: Served): boolean =>
  library === "openai-chat" || library === "openai-compatible";
