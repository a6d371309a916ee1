/** One call of one language model: one request, no retry. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
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
import { withCaching } from "./cache-marks.ts";
import { faultContext, faultOf, notSent } from "./faults.ts";
import { passOn } from "./message.ts";
import { mergeOptions, optionsFromMetadata } from "./metadata.ts";
import { inOrder } from "./order.ts";
import { promptOf, toolsOf, type MediaPlaces } from "./prompt.ts";
import { reasoningOptions, tokensAddedByAdapter, withoutReasoning } from "./reasoning.ts";
import { refusesReasoning } from "./reasoning-faults.ts";
import { answerOf, type Generated } from "./result.ts";
import { withThoughtsApart } from "./thoughts.ts";
import { notesOfWarnings } from "./warnings.ts";

/** The part of a library that speaks to a model. It decides what can be said; the wire's rules, what may be. */
export type Library =
  | "openai-chat"
  | "openai-responses"
  | "openai-compatible"
  | "anthropic"
  | "google"
  | "workers-ai";

/** A model object of the AI SDK, ready to be called. */
export interface Served {
  model: LanguageModelV4;
  library: Library;
  providerOptions?: SharedV4ProviderOptions;
}

interface Traits {
  media: MediaPlaces;
  /** whether the library sends stop sequences */
  stops: boolean;
  /**
   * What a model may answer with beside text. OpenAI's chat models speak and OpenRouter's models draw,
   * but their libraries drop such output. Asking for it would mean to pay for an answer that can't be
   * read.
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
  // The adapter for Workers AI leaves stop sequences out without a word.
  "workers-ai": { media: outside, stops: false, emits: [] },
};

/** Providers whose reasoning models answer 400 to a stop sequence. */
const reasoningRefusesStop = new Set(["openai", "xai"]);

function stopLimitOf(request: ProviderRequest, library: Library): number {
  const { model, credential } = request;
  const refuses = reasoningRefusesStop.has(credential.provider) || reasonsLikeOpenai(model);
  if (model.reasoning && refuses) return 0;
  return traits[library].stops ? rulesOf[wireOf(model)].mostStops : 0;
}

/** The media modalities that were asked for: images and audio. */
export const mediaOf = ({ call }: ProviderRequest): Modality[] =>
  call.outputModalities.filter((modality) => modality !== "text");

/**
 * What Gemini answers with. Without this option Gemini may also write where only an image was asked
 * for.
 */
const emitting = (modalities: readonly Modality[]): SharedV4ProviderOptions => ({
  google: { responseModalities: modalities.map((modality) => modality.toUpperCase()) },
});

/**
 * Whether the provider's own JSON mode may be asked for. Gemini refuses `responseMimeType` beside
 * images, for every model that draws, and beside function calling (googleapis/python-genai#867).
 * Without JSON mode the prompt still asks for JSON, and the answer is still checked.
 */
function takesJsonMode(request: ProviderRequest, library: Library): boolean {
  if (mediaOf(request).length > 0) return false;
  const { call, model } = request;
  return (
    library !== "google" || (call.tools.length === 0 && !model.outputModalities.includes("image"))
  );
}

/** The options of a call, without those that the model doesn't take. */
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
  const providerOptions = mergeOptions(
    credential.provider,
    effort === null ? kept : { ...kept, ...effort },
    ours,
  );
  const mostTokens =
    request.maxTokens + (request.reasoning?.headroom ?? 0) - tokensAddedByAdapter(effort);
  const options: LanguageModelV4CallOptions = {
    prompt: prompt.prompt,
    maxOutputTokens: mostTokens,
    abortSignal: request.signal,
    ...toolsOf(call),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  if (call.format === "json") {
    if (takesJsonMode(request, served.library)) options.responseFormat = { type: "json" };
    else notes.push("responseFormat left out: this model does not take it with what was asked");
  }
  if (media.includes("audio")) {
    // An audio answer's length is counted in other tokens than those that the caller bounds.
    delete options.maxOutputTokens;
    notes.push("maxTokens left out: it counts text, and audio was asked for");
  } else if (media.includes("image")) {
    options.maxOutputTokens = Math.min(
      mostTokens + imageTokensOf(model),
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

/** The same request, saying nothing about reasoning. */
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

/** What was generated, with thoughts in the text as reasoning where a model may think aloud. */
function withoutThoughts(generated: Generated, { model, credential }: ProviderRequest): Generated {
  // Behind a URL of its own, OpenAI's wire may be any server's.
  const isOwn = credential.provider === "openai" && Boolean(credential.baseUrl?.trim());
  if (!isOwn && !rulesOf[wireOf(model)].thinksAloud) return generated;
  const isCut = generated.finishReason.unified === "length";
  return { ...generated, content: withThoughtsApart(generated.content, { isCut }) };
}

async function generateOnce(
  request: ProviderRequest,
  served: Served,
  { prefixes, said }: { prefixes?: PromptPrefixes | undefined; said: readonly string[] },
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const fit = fitted(request.call, request.model);
  const { options, notes } = optionsOf({ ...request, call: fit.call }, served);
  const generated = await served.model.doGenerate(
    // The call as it came: attempts at several models are one call.
    await withCaching({ request, options, prefixes }),
  );
  const warned = notesOfWarnings(generated.warnings, [...fit.notes, ...notes]);
  const answer = answerOf(withoutThoughts(generated, request), request.call, [
    ...said,
    ...fit.notes,
    ...notes,
    ...warned,
  ]);
  return answer.ok ? ok({ ...answer.value, content: fit.restored(answer.value.content) }) : answer;
}

interface GenerateDeps {
  now: () => number;
  refusals?: ReasoningRefusals;
  /** absent: no prompt is marked for a cache */
  prefixes?: PromptPrefixes | undefined;
}

/**
 * Calls the model once. Calls it a second time where the model refuses what the request says about
 * reasoning, since that refusal costs nothing. Never throws.
 */
export async function generate(
  request: ProviderRequest,
  served: Served,
  { now, refusals, prefixes }: GenerateDeps,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const { credential, model, reasoning } = request;
  // Nothing was sent, so nothing is billed, and the next candidate may do better.
  if (!mediaOf(request).every((modality) => traits[served.library].emits.includes(modality)))
    return err(notSent());
  const isOurs = reasoning !== undefined && reasoning.sent !== null;
  const isSaid = isOurs || withoutReasoningOf(request) !== request.call.metadata;
  const isKnown = credential.id !== undefined && refusals?.has(credential.id, model) === true;
  try {
    if (isOurs && isKnown)
      return await generateOnce(silenced(request), served, { prefixes, said: [refusedNote] });
    try {
      return await generateOnce(request, served, { prefixes, said: [] });
    } catch (thrown) {
      if (!isSaid || !refusesReasoning(thrown)) throw thrown;
      // With a forced tool the refusal may be about the tool beside the parameter, and not about
      // the model.
      const isModels = isOurs && request.call.toolChoice !== "required";
      if (isModels && credential.id !== undefined) refusals?.add(credential.id, model);
      return await generateOnce(silenced(request), served, { prefixes, said: [refusedNote] });
    }
  } catch (thrown) {
    passOn(thrown, request);
    return err(faultOf(thrown, faultContext(request, now())));
  }
}
