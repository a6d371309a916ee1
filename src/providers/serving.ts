/** Creates the AI SDK's object for the model of a request, with its credential. */
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import { GoogleLanguageModel, GoogleSpeechModel } from "@ai-sdk/google/internal";
import {
  OpenAIChatLanguageModel,
  OpenAIImageModel,
  OpenAIResponsesLanguageModel,
  OpenAISpeechModel,
} from "@ai-sdk/openai/internal";
import {
  OpenAICompatibleChatLanguageModel,
  OpenAICompatibleImageModel,
} from "@ai-sdk/openai-compatible";
import { generateId } from "@ai-sdk/provider-utils";
import { withoutTrailing } from "../domain/bounded-url.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import { reasonsLikeOpenai, rulesOf, wireOf } from "../domain/wires/rules.ts";
import { baseUrlOf } from "./base-url.ts";
import { boundedFetch, boundedMediaFetch, readOutsideSlot } from "./bounded.ts";
import { credentialHeaders } from "./credential-headers.ts";
import { geminiImages } from "./gemini-images.ts";
import type { ServedImage } from "./image.ts";
import { mediaOf, type Served } from "./language.ts";
import { repairingFetch } from "./repaired-errors.ts";
import { withMarksOnBlocks } from "./openrouter.ts";
import { withCompletionTokens } from "./openai-names.ts";
import type { ServedSpeech } from "./speech.ts";
import type { WorkersAi } from "./workers-ai.ts";

/** Keeps content out of OpenAI's logs, which are on by default for new accounts. */
const unstored = { openai: { store: false } };
/** OpenAI rejects summaries for unverified organizations. */
const unsummarized = { openai: { ...unstored.openai, reasoningSummary: null } };

export interface ServingDeps {
  fetch: typeof fetch;
  workersAi?: WorkersAi | undefined;
  /** pass the answer's body on while it arrives */
  isStreamed?: true;
}

interface Endpoint {
  baseURL: string;
  fetch: typeof fetch;
}

/** For the model classes: an SDK's whole provider would add all its model classes to the bundle. */
function configFor({ credential }: ProviderRequest, { baseURL, fetch }: Endpoint) {
  const base = withoutTrailing(baseURL, "/");
  return {
    provider: credential.provider,
    baseURL: base,
    url: ({ path }: { path: string }) => `${base}${path}`,
    headers: credentialHeaders(credential),
    generateId,
    fetch,
  };
}

/** `null` if the credential is unusable. Sends no request. */
export function serveLanguage(request: ProviderRequest, deps: ServingDeps): Served | null {
  const { credential, model } = request;
  const { provider } = credential;
  if (provider === "workers-ai") {
    // A model without `@` is another provider's, and is billed through the operator's gateway.
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
  const fetch = isStreamed ? deps.fetch : readOutsideSlot(bounded, request.outside);
  const repairedFetch = isStreamed ? fetch : repairingFetch(fetch);
  switch (provider) {
    case "openai": {
      const isResponses = wireOf(model) === "openai-responses";
      const { openai: options } = isResponses ? unsummarized : unstored;
      // The library detects reasoning models only by id.
      const reasoningFlag =
        model.like === undefined ? {} : { forceReasoning: reasonsLikeOpenai(model) };
      const Library = isResponses ? OpenAIResponsesLanguageModel : OpenAIChatLanguageModel;
      return {
        model: new Library(model.id, configFor(request, { baseURL, fetch: repairedFetch })),
        library: isResponses ? "openai-responses" : "openai-chat",
        providerOptions: { openai: { ...options, ...reasoningFlag } },
      };
    }
    case "anthropic":
      return {
        model: new AnthropicLanguageModel(model.id, configFor(request, { baseURL, fetch })),
        library: "anthropic",
      };
    case "google":
      return {
        model: new GoogleLanguageModel(model.id, configFor(request, { baseURL, fetch })),
        library: "google",
      };
    default:
      return {
        model: new OpenAICompatibleChatLanguageModel(model.id, {
          ...configFor(request, { baseURL, fetch: repairedFetch }),
          ...(isStreamed && { includeUsage: true }),
          supportsStructuredOutputs: rulesOf[wireOf(model)].answerSchemas !== "never",
          ...(provider === "openrouter" ? { transformRequestBody: withMarksOnBlocks } : {}),
          ...(reasonsLikeOpenai(model) ? { transformRequestBody: withCompletionTokens } : {}),
        }),
        library: "openai-compatible",
      };
  }
}

/** Google's image models are Gemini models, which the SDK runs as language models. */
export function serveImage(request: ProviderRequest, deps: ServingDeps): ServedImage | null {
  const { credential, model } = request;
  const { provider } = credential;
  if (provider === "workers-ai") {
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.image(model.id), namespace: provider, dropsInputImages: true };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null || provider === "anthropic") return null;
  const fetch = readOutsideSlot(boundedMediaFetch(deps.fetch, baseURL), request.outside);
  const config = configFor(request, { baseURL, fetch });
  switch (provider) {
    case "openai":
      return { model: new OpenAIImageModel(model.id, config), namespace: provider };
    case "google":
      return model.id.startsWith("gemini-")
        ? { model: geminiImages(new GoogleLanguageModel(model.id, config)), namespace: provider }
        : null;
    default:
      return {
        model: new OpenAICompatibleImageModel(model.id, config),
        namespace: provider,
        // Many endpoints return links by default, which the router doesn't follow.
        providerOptions: { [provider]: { response_format: "b64_json" } },
      };
  }
}

/** OpenAI's first speech models. */
const withoutInstructions = /^tts-1/;

export function serveSpeech(request: ProviderRequest, deps: ServingDeps): ServedSpeech | null {
  const { credential, model } = request;
  const { provider } = credential;
  if (provider === "workers-ai") {
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.speech(model.id), takesInstructions: false };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null || provider === "anthropic") return null;
  const fetch = readOutsideSlot(boundedMediaFetch(deps.fetch, baseURL), request.outside);
  const config = configFor(request, { baseURL, fetch });
  if (provider === "google")
    return { model: new GoogleSpeechModel(model.id, config), takesInstructions: true };
  // The OpenAI-compatible library has no speech models.
  return {
    model: new OpenAISpeechModel(model.id, config),
    takesInstructions: provider === "openai" && !withoutInstructions.test(model.id),
    // The smallest format that every player supports.
    outputFormat: "mp3",
  };
}
