/** The port to all providers. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ProviderFault } from "../domain/attempts.ts";
import { believedUsage } from "../domain/sampling/plausible.ts";
import type {
  ProviderAnswer,
  Providers,
  ProviderRequest,
  ReasoningRefusals,
} from "../domain/sampling/providers.ts";
import type { PromptPrefixes } from "../domain/sampling/prompt-caching.ts";
import { endpointOf } from "../domain/choice/endpoints.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { reasonsLikeOpenai, rulesOf, wireOf } from "../domain/wires/rules.ts";
import { baseUrlOf, type CredentialPlace } from "./base-url.ts";
import { boundedFetch, boundedMediaFetch, readOutside } from "./bounded.ts";
import { demoAnswer } from "./demo.ts";
import { aborted, faultContext, faultOf, notSent } from "./faults.ts";
import { generateImage, type ServedImage } from "./image.ts";
import { generate, mediaOf, type Served } from "./language.ts";
import { listModels } from "./listing.ts";
import type { Kind } from "./metadata.ts";
import { mendingFetch } from "./mended.ts";
import { marksOnBlocks } from "./openrouter.ts";
import { countPassed, isPassed, pass } from "./passed.ts";
import { generateSpeech, type ServedSpeech } from "./speech.ts";
import { withCompletionTokens } from "./openai-names.ts";
import type { RecentAnswers } from "./recent-answers.ts";
import { withEvidence } from "./request-evidence.ts";
import { tracedFetch } from "./traced.ts";
import type { WorkersAi } from "./workers-ai.ts";

export interface ProvidersDeps {
  fetch: typeof fetch;
  workersAi?: WorkersAi | undefined;
  demo: boolean;
  prefixes?: PromptPrefixes | undefined;
  /** ms since the epoch */
  now: () => number;
  refusals?: ReasoningRefusals;
  recentAnswers?: RecentAnswers;
}

/** Opts out of the provider's logs; new OpenAI accounts store by default. */
const unstored = { openai: { store: false } };
/** OpenAI rejects summaries for unverified organizations. */
const unsummarized = { openai: { ...unstored.openai, reasoningSummary: null } };

function problemOf(credential: CredentialPlace, deps: ProvidersDeps): string | null {
  const { provider, baseUrl } = credential;
  if (provider === "demo")
    return deps.demo ? null : `The provider "demo" is not offered by this deployment.`;
  if (provider === "workers-ai")
    return deps.workersAi === undefined
      ? `The provider "workers-ai" needs the AI binding, which this deployment does not have.`
      : null;
  if (baseUrlOf(credential) !== null) return null;
  return baseUrl?.trim()
    ? `The base URL of the provider "${provider}" is not an http or https URL.`
    : `The provider "${provider}" needs a base URL: it has no default one.`;
}

/** `null` if the model can't serve the call. */
export function kindOf({ model, call }: Pick<ProviderRequest, "model" | "call">): Kind | null {
  const wanted = call.outputModalities;
  if (model.outputModalities.includes("text")) return "language";
  // A model without text has an endpoint for one kind of media.
  const [only, ...more] = wanted;
  if (more.length > 0 || only === undefined || !model.outputModalities.includes(only)) return null;
  return only === "image" ? "image" : "speech";
}
/** `null` if the credential is unusable. Sends no request. */
function serveLanguage(request: ProviderRequest, deps: ProvidersDeps): Served | null {
  const { credential, model } = request;
  const { apiKey, provider } = credential;
  if (provider === "workers-ai") {
    // Without `@` it is another provider's model, billed through the operator's gateway.
    if (deps.workersAi === undefined || !model.id.startsWith("@")) return null;
    return { model: deps.workersAi.chat(model.id), library: "workers-ai" };
  }
  const baseURL = baseUrlOf(credential);
  if (baseURL === null) return null;
  const fetch = readOutside(
    mediaOf(request).length > 0
      ? boundedMediaFetch(deps.fetch, baseURL)
      : boundedFetch(deps.fetch, "text"),
    request.outside,
  );
  switch (provider) {
    case "openai": {
      const openai = createOpenAI({ apiKey, baseURL, fetch: mendingFetch(fetch) });
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
        fetch: mendingFetch(fetch),
        supportsStructuredOutputs: rulesOf[wireOf(model)].answerSchemas !== "never",
        ...(provider === "openrouter" ? { transformRequestBody: marksOnBlocks } : {}),
        ...(reasonsLikeOpenai(model) ? { transformRequestBody: withCompletionTokens } : {}),
      });
      return { model: compatible.chatModel(model.id), library: "openai-compatible" };
    }
  }
}

/** Of Google's image models only Gemini's remain, which are language models. */
function serveImage(request: ProviderRequest, deps: ProvidersDeps): ServedImage | null {
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

function serveSpeech(request: ProviderRequest, deps: ProvidersDeps): ServedSpeech | null {
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

async function complete(
  request: ProviderRequest,
  kind: Kind,
  deps: ProvidersDeps,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  switch (kind) {
    case "language": {
      const baseUrl = isPassed(request) ? baseUrlOf(request.credential) : null;
      if (isPassed(request) && baseUrl !== null) return pass(request, { ...deps, baseUrl });
      const served = serveLanguage(request, deps);
      return served === null ? err(notSent()) : generate(request, served, deps);
    }
    case "image": {
      const served = serveImage(request, deps);
      return served === null ? err(notSent()) : generateImage(request, served, deps.now);
    }
    case "speech": {
      const served = serveSpeech(request, deps);
      return served === null ? err(notSent()) : generateSpeech(request, served, deps.now);
    }
  }
}

/** Removes implausible usage. */
function believed(
  result: Result<ProviderAnswer, ProviderFault>,
  request: ProviderRequest,
): Result<ProviderAnswer, ProviderFault> {
  if (result.ok) return ok({ ...result.value, usage: believedUsage(result.value.usage, request) });
  const { usage } = result.error;
  return usage === null ? result : err({ ...result.error, usage: believedUsage(usage, request) });
}

/** Timed out before it was sent. */
function free(fault: ProviderFault): ProviderFault {
  const { network } = fault;
  const isUnanswered = network?.cause === "answer_timeout";
  return {
    ...fault,
    billed: "no",
    ...(isUnanswered && { network: { ...network, cause: "connect_timeout" } }),
  };
}

/** null: the provider is not reached over HTTP */
const httpUrlOf = (credential: CredentialPlace): string | null =>
  ["demo", "workers-ai"].includes(credential.provider) ? null : baseUrlOf(credential);

export function createProviders(deps: ProvidersDeps): Providers {
  return {
    async complete(request) {
      // Nothing is sent or billed.
      if (request.signal.aborted) return err({ ...aborted(request), billed: "no" });
      if (problemOf(request.credential, deps) !== null) return err(notSent());
      const kind = kindOf(request);
      if (kind === null) return err(notSent());
      if (request.credential.provider === "demo")
        return mediaOf(request).length > 0 ? err(notSent()) : ok(demoAnswer(request));
      const recent = deps.recentAnswers?.(endpointOf(request.credential));
      const evidence = withEvidence(deps.fetch, { recent });
      try {
        const fetch = tracedFetch(evidence.fetch, request.traceHeaders);
        const completing = () => complete(request, kind, { ...deps, fetch });
        // A binding has no `fetch` to wait for.
        const outside = request.credential.provider === "workers-ai" ? request.outside : undefined;
        const completed = believed(await (outside?.(completing) ?? completing()), request);
        if (completed.ok || !evidence.surelyFree()) return completed;
        // The fault table says whether an error status may be billed.
        const isRefused = (completed.error.status ?? 0) >= 400;
        return isRefused ? completed : err(free(completed.error));
      } catch (thrown) {
        return err(faultOf(thrown, faultContext(request, deps.now())));
      }
    },
    problemWith: (credential) => problemOf(credential, deps),
    async countTokens(request) {
      const baseUrl = httpUrlOf(request.credential);
      return baseUrl === null ? null : countPassed(request, { fetch: deps.fetch, baseUrl });
    },
    async listModels(credential, signal) {
      const baseUrl = httpUrlOf(credential);
      return baseUrl === null
        ? null
        : listModels(credential, { fetch: deps.fetch, baseUrl, signal });
    },
    addressOf(credential) {
      const text = httpUrlOf(credential);
      if (text === null) return null;
      const { hostname, port, protocol } = new URL(text);
      const usual = protocol === "https:" ? 443 : 80;
      return { address: hostname, port: port === "" ? usual : Number(port) };
    },
  };
}
