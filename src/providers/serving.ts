/** The object of a library that speaks to the model of a request, by its credential. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import { reasonsLikeOpenai, rulesOf, wireOf } from "../domain/wires/rules.ts";
import { baseUrlOf } from "./base-url.ts";
import { boundedFetch, boundedMediaFetch, readOutside } from "./bounded.ts";
import type { ServedImage } from "./image.ts";
import { mediaOf, type Served } from "./language.ts";
import { mendingFetch } from "./mended.ts";
import { marksOnBlocks } from "./openrouter.ts";
import { withCompletionTokens } from "./openai-names.ts";
import type { ServedSpeech } from "./speech.ts";
import type { WorkersAi } from "./workers-ai.ts";

/** Opts out of the provider's logs; new OpenAI accounts store by default. */
const unstored = { openai: { store: false } };
/** OpenAI rejects summaries for unverified organizations. */
const unsummarized = { openai: { ...unstored.openai, reasoningSummary: null } };

export interface ServingDeps {
  fetch: typeof fetch;
  workersAi?: WorkersAi | undefined;
  /** the answer's body is read as it arrives */
  isStreamed?: true;
}

/** `null` if the credential is unusable. Sends no request. */
export function serveLanguage(request: ProviderRequest, deps: ServingDeps): Served | null {
  const { credential, model } = request;
  const { apiKey, provider } = credential;
  if (provider === "workers-ai") {
    // Without `@` it is another provider's model, billed through the operator's gateway.
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.chat(model.id), library: "workers-ai" };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null) return null;
  const { isStreamed = false } = deps;
  const bounded =
    mediaOf(request).length > 0
      ? boundedMediaFetch(deps.fetch, baseURL)
      : boundedFetch(deps.fetch, "text");
  const fetch = isStreamed ? deps.fetch : readOutside(bounded, request.outside);
  const mended = isStreamed ? fetch : mendingFetch(fetch);
  switch (provider) {
    case "openai": {
      const openai = createOpenAI({ apiKey, baseURL, fetch: mended });
      const isResponses = wireOf(model) === "openai-responses";
      const { openai: options } = isResponses ? unsummarized : unstored;
      // The library detects reasoning models only by id.
      const kind = model.like === undefined ? {} : { forceReasoning: reasonsLikeOpenai(model) };
      return {
        model: isResponses ? openai.responses(model.id) : openai.chat(model.id),
        library: isResponses ? "openai-responses" : "openai-chat",
        providerOptions: { openai: { ...options, ...kind } },
      };
    }
    case "anthropic":
      return {
        model: createAnthropic({ apiKey, baseURL, fetch }).chat(model.id),
        library: "anthropic",
      };
    case "google":
      return { model: createGoogle({ apiKey, baseURL, fetch }).chat(model.id), library: "google" };
    default: {
      const compatible = createOpenAICompatible({
        name: provider,
        apiKey,
        baseURL,
        fetch: mended,
        ...(isStreamed && { includeUsage: true }),
        supportsStructuredOutputs: rulesOf[wireOf(model)].answerSchemas !== "never",
        ...(provider === "openrouter" ? { transformRequestBody: marksOnBlocks } : {}),
        ...(reasonsLikeOpenai(model) ? { transformRequestBody: withCompletionTokens } : {}),
      });
      return { model: compatible.chatModel(model.id), library: "openai-compatible" };
    }
  }
}

/** Of Google's image models only Gemini's remain, which are language models. */
export function serveImage(request: ProviderRequest, deps: ServingDeps): ServedImage | null {
  const { credential, model } = request;
  const { apiKey, provider } = credential;
  if (provider === "workers-ai") {
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.image(model.id), namespace: provider, dropsFiles: true };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null || provider === "anthropic") return null;
  const fetch = readOutside(boundedMediaFetch(deps.fetch, baseURL), request.outside);
  switch (provider) {
    case "openai":
      return {
        model: createOpenAI({ apiKey, baseURL, fetch }).image(model.id),
        namespace: provider,
      };
    case "google":
      return model.id.startsWith("gemini-")
        ? { model: createGoogle({ apiKey, baseURL, fetch }).image(model.id), namespace: provider }
        : null;
    default: {
      const compatible = createOpenAICompatible({ name: provider, apiKey, baseURL, fetch });
      return {
        model: compatible.imageModel(model.id),
        namespace: provider,
        // Many endpoints default to links, which aren't followed.
        providerOptions: { [provider]: { response_format: "b64_json" } },
      };
    }
  }
}

/** OpenAI's first speech models take no instructions. */
const readsOnly = /^tts-1/;

export function serveSpeech(request: ProviderRequest, deps: ServingDeps): ServedSpeech | null {
  const { credential, model } = request;
  const { apiKey, provider } = credential;
  if (provider === "workers-ai") {
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.speech(model.id), takesInstructions: false };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null || provider === "anthropic") return null;
  const fetch = readOutside(boundedMediaFetch(deps.fetch, baseURL), request.outside);
  if (provider === "google")
    return {
      model: createGoogle({ apiKey, baseURL, fetch }).speech(model.id),
      takesInstructions: true,
    };
  // OpenAI's speech endpoint, which the compatible library lacks.
  return {
    model: createOpenAI({ name: provider, apiKey, baseURL, fetch }).speech(model.id),
    takesInstructions: provider === "openai" && !readsOnly.test(model.id),
    // Smallest format with universal support.
    outputFormat: "mp3",
  };
}
