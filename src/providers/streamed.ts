/** An answer of a language model, given out while its provider writes it. */
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
import { mayThinkAloud, prepared, type GenerateDeps, type Served } from "./language.ts";
import { passOn } from "./message.ts";
import type { Generated } from "./result.ts";
import { cutAnswer, faultOfEvent } from "./stream-faults.ts";
import { allText, createThoughtsApart, type ThoughtsApart } from "./thoughts-apart.ts";
import { countedInput, reportedUsage } from "./usage.ts";

type Prepared = Awaited<ReturnType<typeof prepared>>;
type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

interface Assembly {
  /** What the part says to a reader. */
  read(part: LanguageModelV4StreamPart): StreamPart[];
  /** null: the stream has no last event */
  ended(): { generated: Generated; last: StreamPart[] } | null;
  warnings: SharedV4Warning[];
  /** an event that is an error; undefined: none has come */
  failure(): unknown;
  /** what was counted of the whole answer; null: nothing */
  usage(): Usage | null;
}

/** A stream that was cut ends as "interrupted", or in some libraries as "other" without the provider's reason. */
const isOwnEnd = ({ finishReason: { unified, raw } }: Finish): boolean =>
  unified !== "error" &&
  unified !== "interrupted" &&
  // A complete response has no reason of its own.
  (raw !== undefined || unified !== "other");

/** Takes the library's parts apart, and puts the answer together. */
function createAssembly(
  { restored, restoresInputs }: Pick<Prepared, "restored" | "restoresInputs">,
  thoughts: ThoughtsApart,
): Assembly {
  const content: LanguageModelV4Content[] = [];
  const warnings: SharedV4Warning[] = [];
  const begun = new Set<string>();
  let size = 0;
  let failure: unknown;
  let finish: Finish | null = null;
  let counted: ReturnType<typeof countedInput> = null;
  let countedOutput: number | null = null;
  const grow = (text: string): void => {
    size += text.length;
    if (size > maxAnswerBytes.text) throw answerTooLarge("text");
  };
  /** Pieces of one text or thought are one part of the content. */
  const append = (type: "text" | "reasoning", text: string): void => {
    grow(text);
    const last = content.at(-1);
    if (last?.type === type) last.text += text;
    else content.push({ type, text });
  };
  const toolUse = (id: string, name: string): StreamPart[] => {
    if (begun.has(id)) return [];
    begun.add(id);
    const [use] = restored([{ type: "tool_use", id, name, input: {} }]);
    return [{ type: "tool_use", id, name: use?.type === "tool_use" ? use.name : name }];
  };
  const toolInput = (id: string, name: string, input: string): StreamPart[] => {
    const read = toolInputOf(input);
    const [use] = read === null ? [] : restored([{ type: "tool_use", id, name, input: read }]);
    const json = use?.type === "tool_use" ? JSON.stringify(use.input) : input;
    return [{ type: "tool_input", id, json }];
  };
  const withInput = new Set<string>();
  const read = (part: LanguageModelV4StreamPart): StreamPart[] => {
    switch (part.type) {
      case "stream-start":
        warnings.push(...part.warnings);
        return [];
      case "raw": {
        const input = countedInput(part.rawValue);
        countedOutput = lastOutput(part.rawValue) ?? countedOutput;
        if (input === null) return [];
        counted = input;
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
        grow(part.delta);
        if (restoresInputs || part.delta === "") return [];
        withInput.add(part.id);
        return [{ type: "tool_input", id: part.id, json: part.delta }];
      case "tool-call": {
        if (part.providerExecuted === true) return [];
        const { toolCallId: id, toolName: name, input } = part;
        content.push(part);
        const begins = toolUse(id, name);
        return [...begins, ...(withInput.has(id) ? [] : toolInput(id, name, input))];
      }
      case "finish":
        finish = part;
        return [];
      case "error":
        failure ??= part.error;
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
    failure: () => failure,
    ended: () => {
      if (finish === null || !isOwnEnd(finish)) return null;
      const isCut = finish.finishReason.unified === "length";
      return { generated: generatedBy(finish), last: thoughts.end(isCut) };
    },
    usage: () => {
      const reported = finish === null ? null : reportedUsage(generatedBy(finish));
      if (reported !== null || counted === null || countedOutput === null) return reported;
      return { ...counted, outputTokens: countedOutput, estimated: false };
    },
  };
}

/** Tokens of the output, from Anthropic's event with the last word on them; null: this is another event. */
function lastOutput(event: unknown): number | null {
  const output = own(own(event, "usage"), "output_tokens");
  return own(event, "type") === "message_delta" && typeof output === "number" ? output : null;
}

/** One request whose answer is given out part by part, as `generate` sends it. */
export const streamOnce =
  (
    take: TakePart,
    { now, isDone }: { now: () => number; isDone: () => boolean },
  ): NonNullable<GenerateDeps["once"]> =>
  async (request, served, how) => {
    const ready = await prepared(request, served, how);
    const thoughts = mayThinkAloud(request) ? createThoughtsApart() : allText;
    const assembly = createAssembly(ready, thoughts);
    const faultWith = (fault: ProviderFault): Result<ProviderAnswer, ProviderFault> =>
      err({ ...fault, usage: assembly.usage() });
    const context = faultContext(request, now());
    const { stream } = await served.model.doStream({ ...ready.options, includeRawChunks: true });
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const part of assembly.read(value)) await take(part);
        const failure = assembly.failure();
        if (failure === undefined) continue;
        if (failure instanceof Error) throw failure;
        return faultWith(faultOfEvent(failure, context));
      }
    } catch (thrown) {
      passOn(thrown, request);
      return faultWith(faultOf(thrown, context));
    } finally {
      void reader.cancel().catch(() => undefined);
    }
    const ended = assembly.ended();
    // Chat tells the usage after its reason to stop, so a stream may be cut in between.
    const isWhole =
      ended !== null && (!endsByDone(served) || isDone() || assembly.usage() !== null);
    if (!isWhole) return faultWith(cutAnswer(context));
    for (const part of ended.last) await take(part);
    return ready.answer(ended.generated, assembly.warnings);
  };

const endsByDone = ({ library }: Served): boolean =>
  library === "openai-chat" || library === "openai-compatible";
