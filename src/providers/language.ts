/** One call of a language model: one request, no retry. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { isObject, own, type JsonObject } from "../domain/json.ts";
import type { Modality } from "../domain/modality.ts";
import type {
  ProviderAnswer,
  ProviderRequest,
  ReasoningRefusals,
} from "../domain/sampling/providers.ts";
import { reasoningKeyOf } from "../domain/sampling/reasoning-needs.ts";
import type { PromptPrefixes } from "../domain/sampling/prompt-caching.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { imageTokensOf } from "../domain/models/cost.ts";
import { fitted } from "../domain/wires/fitted.ts";
import { reasonsLikeOpenai, rulesOf, wireOf } from "../domain/wires/rules.ts";
import { shapeOptions } from "./answer-shape.ts";
import { withCaching } from "./cache-marks.ts";
import { faultContext, faultOf, notSent } from "./faults.ts";
import { reportMessage } from "./message.ts";
import { mergeOptions, optionsFromMetadata } from "./metadata.ts";
import { inOrder } from "./order.ts";
import { promptOf, toolsOf, type MediaPlaces } from "./prompt.ts";
import { reasoningOptions, tokensAddedByAdapter, withoutReasoning } from "./reasoning.ts";
import { refusesReasoning } from "./reasoning-faults.ts";
import { answerOf, type Generated } from "./result.ts";
import { withThoughtsSplit } from "./thoughts.ts";
import { notesOfWarnings } from "./warnings.ts";

/** What a library can express. What a wire accepts is in its rules. */
export type Library =
  | "openai-chat"
  | "openai-responses"
  | "openai-compatible"
  | "anthropic"
  | "google"
  | "workers-ai";

export interface Served {
  model: LanguageModelV4;
  library: Library;
  providerOptions?: SharedV4ProviderOptions;
}

interface Traits {
  media: MediaPlaces;
  /** sends stop sequences */
  stops: boolean;
  /**
   * Output other than text that the library returns. Others drop audio and images, which would be billed without
   * being readable.
   */
  emits: readonly Modality[];
}

const inside: MediaPlaces = { inToolResults: true, inAssistantMessages: true };
const outside: MediaPlaces = { inToolResults: false, inAssistantMessages: false };

const traits: Readonly<Record<Library, Traits>> = {
  "openai-chat": { media: outside, stops: true, emits: [] },
  "openai-responses": { media: outside, stops: false, emits: [] },
  "openai-compatible": { media: outside, stops: true, emits: [] },
  anthropic: {
    media: { inToolResults: true, inAssistantMessages: false },
    stops: true,
    emits: [],
  },
  google: { media: inside, stops: true, emits: ["image", "audio"] },
  // Its adapter silently drops stop sequences.
  "workers-ai": { media: outside, stops: false, emits: [] },
};

/** Their reasoning models reject stop sequences with a 400. */
const reasoningRefusesStop = new Set(["openai", "xai"]);

function stopLimitOf(request: ProviderRequest, library: Library): number {
  const { model, credential } = request;
  const refuses = reasoningRefusesStop.has(credential.provider) || reasonsLikeOpenai(model);
  if (model.reasoning && refuses) return 0;
  return traits[library].stops ? rulesOf[wireOf(model)].maxStops : 0;
}

export const mediaOf = ({ call }: ProviderRequest): Modality[] =>
  call.outputModalities.filter((modality) => modality !== "text");

/** Otherwise Gemini may add text to an image. */
const emitting = (modalities: readonly Modality[]): SharedV4ProviderOptions => ({
  google: { responseModalities: modalities.map((modality) => modality.toUpperCase()) },
});

/**
 * Whether JSON mode is possible. Gemini rejects `responseMimeType` with images and function calling
 * (googleapis/python-genai#867); the prompt then asks for JSON, and the answer is checked.
 */
function takesJsonMode(request: ProviderRequest, library: Library): boolean {
  if (mediaOf(request).length > 0) return false;
  const { call, model } = request;
  return (
    library !== "google" || (call.tools.length === 0 && !model.outputModalities.includes("image"))
  );
}

export function optionsOf(
  request: ProviderRequest,
  served: Pick<Served, "library" | "providerOptions">,
): { options: LanguageModelV4CallOptions; notes: string[] } {
  const { call, credential, model } = request;
  const passed = optionsFromMetadata(call.metadata, credential.provider);
  const prompt = inOrder(promptOf(call, traits[served.library].media), rulesOf[wireOf(model)]);
  const notes: string[] = [...passed.notes, ...prompt.notes];
  const media = mediaOf(request);
  const leavesOut = request.reasoning?.metadata === "left_out";
  if (leavesOut) notes.push("metadata: reasoning left out: this call may ask for the least only");
  const kept = leavesOut ? withoutReasoning(passed.options, credential.provider) : passed.options;
  const effort = reasoningOptions(request);
  const ours = media.length > 0 ? emitting(call.outputModalities) : served.providerOptions;
  const shape = shapeOptions(call, served.library);
  const providerOptions = mergeOptions(
    credential.provider,
    effort === null && shape === null ? kept : { ...kept, ...effort, ...shape },
    ours,
  );
  const answerTokens =
    request.maxTokens + (request.reasoning?.headroom ?? 0) - tokensAddedByAdapter(effort);
  const options: LanguageModelV4CallOptions = {
    prompt: prompt.prompt,
    maxOutputTokens: answerTokens,
    abortSignal: request.signal,
    ...toolsOf(call),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  if (call.format === "json") {
    if (takesJsonMode(request, served.library))
      options.responseFormat = { type: "json", ...call.schema };
    else notes.push("responseFormat left out: this model does not take it with what was asked");
  }
  if (media.includes("audio")) {
    // Audio tokens differ from those that the caller bounds.
    delete options.maxOutputTokens;
    notes.push("maxTokens left out: it counts text, and audio was asked for");
  } else if (media.includes("image")) {
    options.maxOutputTokens = Math.min(
      answerTokens + imageTokensOf(model),
      model.outputTokens ?? Number.POSITIVE_INFINITY,
    );
    notes.push("maxTokens counts text: room for an image was added");
  }
  if (call.temperature !== undefined) {
    if (model.temperature) options.temperature = call.temperature;
    else notes.push("temperature left out: this model does not take it");
  }
  const limit = stopLimitOf(request, served.library);
  const stops = call.stopSequences.slice(0, limit);
  if (stops.length > 0) options.stopSequences = stops;
  if (call.stopSequences.length > 0 && stops.length === 0)
    notes.push("stopSequences left out: this model does not take them");
  else if (stops.length < call.stopSequences.length)
    notes.push(`stopSequences after the first ${limit} left out: this model takes no more`);
  return { options, notes };
}

const refusedNote = "reasoning left out: this model refuses to be asked for it";

const silenced = (request: ProviderRequest): ProviderRequest => ({
  ...request,
  call: { ...request.call, metadata: withoutReasoningOf(request) },
  reasoning: { headroom: request.reasoning?.headroom ?? 0, sent: null, metadata: "absent" },
});

function withoutReasoningOf({ call, credential: { provider } }: ProviderRequest): JsonObject {
  const given = own(call.metadata, provider);
  if (!isObject(given) || own(given, reasoningKeyOf(provider)) === undefined) return call.metadata;
  return { ...call.metadata, [provider]: withoutReasoning(given, provider) ?? {} };
}

/** Whether the text may contain thoughts. At a custom URL, OpenAI's wire may be any server's. */
export const mayMixThoughts = ({
  model,
  credential,
}: Pick<ProviderRequest, "model" | "credential">): boolean =>
  (credential.provider === "openai" && Boolean(credential.baseUrl?.trim())) ||
  rulesOf[wireOf(model)].mixesThoughts;

/** Moves thoughts from text to reasoning for models that mix them. */
function withoutThoughts(generated: Generated, request: ProviderRequest): Generated {
  if (!mayMixThoughts(request)) return generated;
  const isCut = generated.finishReason.unified === "length";
  return { ...generated, content: withThoughtsSplit(generated.content, { isCut }) };
}

export async function prepared(
  request: ProviderRequest,
  served: Served,
  {
    prefixes,
    initialNotes,
  }: { prefixes?: PromptPrefixes | undefined; initialNotes: readonly string[] },
) {
  const fit = fitted(request.call, request.model);
  const { options, notes } = optionsOf({ ...request, call: fit.call }, served);
  const known = [...fit.notes, ...notes];
  return {
    // The original call: attempts at several models share a prefix.
    options: await withCaching({ request, options, prefixes }),
    restoreBlocks: fit.restoreBlocks,
    renamesInputs: fit.renamesInputs,
    answer(
      generated: Generated,
      warnings: readonly SharedV4Warning[],
    ): Result<ProviderAnswer, ProviderFault> {
      const warned = notesOfWarnings(warnings, known);
      const all = [...initialNotes, ...known, ...warned];
      const answer = answerOf(withoutThoughts(generated, request), request.call, all);
      return answer.ok
        ? ok({ ...answer.value, content: fit.restoreBlocks(answer.value.content) })
        : answer;
    },
  };
}

/** One request to the provider. Throws what the library throws. */
type Once = (
  request: ProviderRequest,
  served: Served,
  how: { prefixes?: PromptPrefixes | undefined; initialNotes: readonly string[] },
) => Promise<Result<ProviderAnswer, ProviderFault>>;

const generateOnce: Once = async (request, served, how) => {
  const { options, answer } = await prepared(request, served, how);
  const generated = await served.model.doGenerate(options);
  return answer(generated, generated.warnings);
};

export interface GenerateDeps {
  now: () => number;
  refusals?: ReasoningRefusals;
  prefixes?: PromptPrefixes | undefined;
  /** absent: the answer comes whole */
  once?: Once;
}

/** Asks again without reasoning parameters if the model rejects them, which costs nothing. Never throws. */
export async function generate(
  request: ProviderRequest,
  served: Served,
  { now, refusals, prefixes, once = generateOnce }: GenerateDeps,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const { credential, model, reasoning } = request;
  // Nothing is sent or billed; the next candidate may fit.
  if (!mediaOf(request).every((modality) => traits[served.library].emits.includes(modality)))
    return err(notSent());
  const isOurs = reasoning !== undefined && reasoning.sent !== null;
  const isSaid = isOurs || withoutReasoningOf(request) !== request.call.metadata;
  const isKnown = credential.id !== undefined && refusals?.has(credential.id, model) === true;
  try {
    if (isOurs && isKnown)
      return await once(silenced(request), served, { prefixes, initialNotes: [refusedNote] });
    try {
      return await once(request, served, { prefixes, initialNotes: [] });
    } catch (thrown) {
      if (!isSaid || !refusesReasoning(thrown)) throw thrown;
      // With a forced tool, the rejection may concern the combination, not the model.
      const isModels = isOurs && request.call.toolChoice !== "required";
      if (isModels && credential.id !== undefined) refusals?.add(credential.id, model);
      return await once(silenced(request), served, { prefixes, initialNotes: [refusedNote] });
    }
  } catch (thrown) {
    reportMessage(thrown, request);
    return err(faultOf(thrown, faultContext(request, now())));
  }
}
