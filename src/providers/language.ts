/** One call of one language model: one request, no retry. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import type { ProviderAnswer, ProviderRequest } from "../domain/providers.ts";
import { err, type Result } from "../domain/result.ts";
import { faultOf } from "./faults.ts";
import { mergeOptions, optionsFromMetadata } from "./metadata.ts";
import { promptOf, toolsOf, type MediaPlaces } from "./prompt.ts";
import { answerOf } from "./result.ts";

/** How a request travels, which decides what it may hold. */
export type Wire =
  | "openai-chat"
  | "openai-responses"
  | "openai-compatible"
  | "anthropic"
  | "google"
  | "workers-ai";

/** A model object of the AI SDK, ready to be called. */
export interface Served {
  model: LanguageModelV4;
  wire: Wire;
  providerOptions?: SharedV4ProviderOptions;
}

interface Traits {
  media: MediaPlaces;
  /** how many stop sequences the endpoint takes; more are an error there */
  stopSequences: number;
}

const inside: MediaPlaces = { inToolResults: true, inAssistantMessages: true };
const outside: MediaPlaces = { inToolResults: false, inAssistantMessages: false };

const traits: Readonly<Record<Wire, Traits>> = {
  "openai-chat": { media: outside, stopSequences: 4 },
  "openai-responses": { media: outside, stopSequences: 0 },
  "openai-compatible": { media: outside, stopSequences: Number.POSITIVE_INFINITY },
  anthropic: {
    media: { inToolResults: true, inAssistantMessages: false },
    stopSequences: Number.POSITIVE_INFINITY,
  },
  google: { media: inside, stopSequences: 5 },
  // Its adapter leaves them out without a word.
  "workers-ai": { media: outside, stopSequences: 0 },
};

/** Providers whose reasoning models answer a stop sequence with 400. */
const reasoningRefusesStop = new Set(["openai", "xai"]);

function stopLimitOf(request: ProviderRequest, wire: Wire): number {
  const { model, credential } = request;
  if (model.reasoning && reasoningRefusesStop.has(credential.provider)) return 0;
  return traits[wire].stopSequences;
}

/** What a call asks for, less what the model doesn't take. */
export function optionsOf(
  request: ProviderRequest,
  served: Pick<Served, "wire" | "providerOptions">,
): { options: LanguageModelV4CallOptions; notes: string[] } {
  const { call, credential, model } = request;
  const passed = optionsFromMetadata(call.metadata, credential.provider);
  const notes: string[] = [...passed.notes];
  const providerOptions = mergeOptions(credential.provider, passed.options, served.providerOptions);
  const options: LanguageModelV4CallOptions = {
    prompt: promptOf(call, traits[served.wire].media),
    maxOutputTokens: request.maxTokens,
    abortSignal: request.signal,
    ...toolsOf(call),
    ...(call.format === "json" ? { responseFormat: { type: "json" as const } } : {}),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  if (call.temperature !== undefined) {
    if (model.temperature) options.temperature = call.temperature;
    else notes.push("temperature left out: this model does not take it");
  }
  const limit = stopLimitOf(request, served.wire);
  const stops = call.stopSequences.slice(0, limit);
  if (stops.length > 0) options.stopSequences = stops;
  if (call.stopSequences.length > 0 && stops.length === 0)
    notes.push("stopSequences left out: this model does not take them");
  else if (stops.length < call.stopSequences.length)
    notes.push(`stopSequences after the first ${limit} left out: this model takes no more`);
  return { options, notes };
}

/** Only the name of a setting is taken over: the library's details quote what was asked. */
function notesOf(warnings: readonly SharedV4Warning[], known: readonly string[]): string[] {
  const notes: string[] = [];
  for (const warning of warnings) {
    if (warning.type !== "unsupported" && warning.type !== "compatibility") continue;
    const { feature } = warning;
    if (!/^[a-zA-Z]{1,40}$/.test(feature) || known.some((note) => note.startsWith(feature)))
      continue;
    notes.push(
      warning.type === "unsupported"
        ? `${feature} left out or changed: this model does not take it as asked`
        : `${feature} adjusted to what this model takes`,
    );
  }
  return notes;
}

/** Calls the model once. Never throws. */
export async function generate(
  request: ProviderRequest,
  served: Served,
  now: () => number,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  try {
    const { options, notes } = optionsOf(request, served);
    const generated = await served.model.doGenerate(options);
    return answerOf(generated, request.call, [...notes, ...notesOf(generated.warnings, notes)]);
  } catch (thrown) {
    return err(faultOf(thrown, { signal: request.signal, now: now() }));
  }
}
