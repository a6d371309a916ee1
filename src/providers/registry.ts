/** Implements the `Providers` port: validates the credential and calls the provider's adapter. */
import type { ProviderFault } from "../domain/attempts.ts";
import { plausibleUsage } from "../domain/sampling/plausible.ts";
import type {
  ProviderAnswer,
  Providers,
  ProviderRequest,
  ReasoningRefusals,
} from "../domain/sampling/providers.ts";
import type { Pins } from "../domain/sampling/pins.ts";
import type { PromptPrefixes } from "../domain/sampling/prompt-caching.ts";
import { partsOf, type TakePart } from "../domain/sampling/stream-parts.ts";
import { endpointOf } from "../domain/choice/endpoints.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { listsModels } from "../domain/models/cloud-place.ts";
import { apiOf } from "../domain/models/clouds.ts";
import { hosts } from "../domain/models/hosts.ts";
import { baseUrlOf, type CredentialPlace } from "./base-url.ts";
import { asApi } from "./clouds/as-api.ts";
import { listBedrockModels } from "./clouds/bedrock-listing.ts";
import { cloudFetch } from "./clouds/cloud-fetch.ts";
import { countPassed } from "./counted.ts";
import { headedFetch } from "./credential-headers.ts";
import { demoAnswer } from "./demo.ts";
import { aborted, faultContext, faultOf, notSent } from "./faults.ts";
import { generateImage } from "./image.ts";
import { generate, mediaOf } from "./language.ts";
import { listModels } from "./listing.ts";
import type { Kind } from "./metadata.ts";
import { streamPassed } from "./passed-stream.ts";
import { isPassed, pass, type PassDeps } from "./passed.ts";
import { generateSpeech } from "./speech.ts";
import type { RecentAnswers } from "./recent-answers.ts";
import { withEvidence } from "./request-evidence.ts";
import { serveImage, serveLanguage, serveSpeech } from "./serving.ts";
import { streamBody } from "./stream-body.ts";
import { streamOnce } from "./streamed.ts";
import { tracedFetch } from "./traced.ts";
import type { WorkersAi } from "./workers-ai.ts";

export interface ProvidersDeps extends Pick<PassDeps, "after"> {
  fetch: typeof fetch;
  workersAi?: WorkersAi | undefined;
  demo: boolean;
  prefixes?: PromptPrefixes | undefined;
  /** ms since the epoch */
  now: () => number;
  refusals?: ReasoningRefusals;
  recentAnswers?: RecentAnswers;
  /** absent: nothing is remembered */
  pins?: Pick<Pins, "note">;
}

function problemOf(credential: CredentialPlace, deps: ProvidersDeps): string | null {
  const { provider, baseUrl } = credential;
  if (provider === "demo")
    return deps.demo ? null : `The provider "demo" is disabled on this deployment.`;
  if (provider === "workers-ai")
    return deps.workersAi === undefined
      ? `The provider "workers-ai" needs the AI binding, which this deployment doesn't have.`
      : null;
  if (baseUrlOf(credential) !== null) return null;
  return baseUrl?.trim()
    ? `The base URL of the provider "${provider}" is not an http or https URL.`
    : `The provider "${provider}" has no default base URL. Set \`baseUrl\`.`;
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

/** As `complete`, with the parts of an answer as they arrive. Media arrive whole. */
async function stream(
  request: ProviderRequest,
  { kind, take }: { kind: Kind; take: TakePart },
  deps: ProvidersDeps,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  if (kind !== "language" || mediaOf(request).length > 0) return complete(request, kind, deps);
  const baseUrl = isPassed(request) ? baseUrlOf(request.credential) : null;
  if (isPassed(request) && baseUrl !== null)
    return streamPassed(request, take, { ...deps, baseUrl });
  // What only the provider's own wire carries can't be translated.
  if ((request.call.passing?.losses.length ?? 0) > 0) return err(notSent());
  const { fetch, hasDoneEvent } = streamBody(deps.fetch);
  const served = serveLanguage(request, { ...deps, fetch, isStreamed: true });
  if (served === null) return err(notSent());
  return generate(request, served, {
    ...deps,
    once: streamOnce(take, { now: deps.now, hasDoneEvent }),
  });
}

/** Replaces implausible usage with the reserved usage, and marks it. */
function believed(
  result: Result<ProviderAnswer, ProviderFault>,
  request: ProviderRequest,
): Result<ProviderAnswer, ProviderFault> {
  if (result.ok) return ok({ ...result.value, usage: plausibleUsage(result.value.usage, request) });
  const { usage } = result.error;
  return usage === null ? result : err({ ...result.error, usage: plausibleUsage(usage, request) });
}

/** Marks a fault as not billed. A timeout then happened while connecting, not while waiting for the answer. */
function asUnbilled(fault: ProviderFault): ProviderFault {
  const { network } = fault;
  const isUnanswered = network?.cause === "response_timeout";
  return {
    ...fault,
    billed: "no",
    ...(isUnanswered && { network: { ...network, cause: "connect_timeout" } }),
  };
}

/** `null` if the provider isn't reached over HTTP. */
const httpUrlOf = (credential: CredentialPlace): string | null =>
  ["demo", "workers-ai"].includes(credential.provider) ? null : baseUrlOf(credential);

interface Asking {
  request: ProviderRequest;
  kind: Kind;
  fetch: typeof globalThis.fetch;
}

export function createProviders(deps: ProvidersDeps): Providers {
  /** Calls the provider, and marks as free what can't have been billed. */
  const answered = async (
    given: ProviderRequest,
    ask: (asking: Asking) => Promise<Result<ProviderAnswer, ProviderFault>>,
  ): Promise<Result<ProviderAnswer, ProviderFault>> => {
    const request = asApi(given);
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
      const headed = headedFetch(evidence.fetch, request.credential);
      const traced = tracedFetch(headed, request.traceHeaders);
      const fetch = cloudFetch(traced, { ...request.credential, now: deps.now });
      const completed = believed(await ask({ request, kind, fetch }), request);
      if (completed.ok || !evidence.surelyFree()) return completed;
      // The fault table says whether an error status may be billed.
      const isRefused = (completed.error.status ?? 0) >= 400;
      return isRefused ? completed : err(asUnbilled(completed.error));
    } catch (thrown) {
      return err(faultOf(thrown, faultContext(request, deps.now())));
    }
  };
  return {
    complete(given) {
      // A binding has no `fetch` to wait for.
      const outside = given.credential.provider === "workers-ai" ? given.outside : undefined;
      return answered(given, ({ request, kind, fetch }) => {
        const completing = () => complete(request, kind, { ...deps, fetch });
        return outside?.(completing) ?? completing();
      });
    },
    async stream(given, take) {
      let isGivenOut = false;
      const noting: TakePart = (part) => {
        isGivenOut = true;
        return take(part);
      };
      const streamed = await answered(given, ({ request, kind, fetch }) =>
        stream(request, { kind, take: noting }, { ...deps, fetch }),
      );
      if (streamed.ok && !isGivenOut)
        for (const part of partsOf(streamed.value.content)) await take(part);
      return streamed;
    },
    problemWith: (credential) => problemOf(credential, deps),
    async countTokens(request) {
      const { credential, model } = request;
      const baseUrl = httpUrlOf({ ...credential, provider: apiOf(model) });
      const headed = headedFetch(deps.fetch, credential);
      const fetch = cloudFetch(headed, { ...credential, now: deps.now });
      return baseUrl === null ? null : countPassed(request, { fetch, baseUrl });
    },
    async listModels(credential, signal) {
      const { place } = credential;
      if (hosts.get(credential.provider)?.lists === "none") return null;
      if (place && (!listsModels(place) || credential.baseUrl !== null)) return null;
      const baseUrl = httpUrlOf({ ...credential, ...(place && { provider: "anthropic" }) });
      if (baseUrl === null) return null;
      const headed = headedFetch(deps.fetch, credential);
      const fetch = cloudFetch(headed, { ...credential, now: deps.now });
      return place
        ? listBedrockModels({ fetch, baseUrl, signal })
        : listModels(credential, { fetch, baseUrl, signal });
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
