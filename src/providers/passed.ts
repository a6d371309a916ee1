/** Forwards a request and its response byte for byte, except for the spans that `bodyFor` edits. */
import { APICallError } from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { withoutTrailing } from "../domain/bounded-url.ts";
import { isObject, own, parsedJson, type JsonObject } from "../domain/json.ts";
import type { ModelEndpointName } from "../domain/model-endpoint.ts";
import { bodyFor, isStreamAsked, type PassedRequest } from "../domain/passing.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProviderAnswer, ProviderRequest } from "../domain/sampling/providers.ts";
import type { Pins } from "../domain/sampling/pins.ts";
import { speaks } from "../domain/wires/spoken.ts";
import { reportMessage } from "./message.ts";
import { boundedFetch, readOutsideSlot } from "./bounded.ts";
import { faultContext, faultOf } from "./faults.ts";
import { claudeFormOf, cloudFormOf } from "./clouds/claude.ts";
import { answerMember, marksOf, readPassedAnswer } from "./passed-answer.ts";

export type PassthroughRequest = ProviderRequest & { passed: PassedRequest };

const paths: Readonly<Record<ModelEndpointName, string>> = {
  messages: "messages",
  "chat.completions": "chat/completions",
  responses: "responses",
};

export const passedUrl = (
  baseUrl: string,
  { endpoint, query = "" }: PassedRequest,
  suffix: "" | "/count_tokens" = "",
): string => `${withoutTrailing(baseUrl, "/")}/${paths[endpoint]}${suffix}${query}`;

/** Anthropic requires the header, but some clients omit it. */
const defaultAnthropicVersion = "2023-06-01";

/** Only headers that the provider needs: others can contain the client's paths and ids. */
export function passedHeaders(
  { endpoint, headers }: Pick<PassedRequest, "endpoint" | "headers">,
  apiKey: string,
): Record<string, string> {
  const common = {
    "content-type": "application/json",
    // `fetch` decompresses bodies, so a compressed response would not be forwarded unchanged.
    "accept-encoding": "identity",
    ...headers,
  };
  if (endpoint === "messages")
    return {
      "anthropic-version": defaultAnthropicVersion,
      ...common,
      ...(apiKey !== "" && { "x-api-key": apiKey }),
    };
  return apiKey === "" ? common : { ...common, authorization: `Bearer ${apiKey}` };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The error that the AI SDK would throw, so that the rows in `fault-rows.ts` apply. */
export function failureOf(url: string, response: Response, text: string | null): APICallError {
  const body = parsedJson(text ?? "");
  // OpenAI's Responses API reports some failures with HTTP 200.
  const failed = isObject(body) && own(body, "status") === "failed" ? body : undefined;
  return new APICallError({
    message: "",
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    ...((failed ?? text) !== null && { responseBody: (failed ?? text) as string }),
    ...(body === undefined && { cause: new SyntaxError() }),
  });
}

export async function sendPassed(
  { credential, model, passed, signal, maxTokens }: PassthroughRequest,
  deps: { fetch: typeof fetch; baseUrl: string },
): Promise<{ url: string; response: Response }> {
  const { provider, apiKey, place } = credential;
  const claude = passed.endpoint === "messages" ? claudeFormOf(place) : undefined;
  const cloudForm = claude && cloudFormOf(claude, passed.headers);
  const url =
    claude === undefined
      ? passedUrl(deps.baseUrl, passed)
      : `${withoutTrailing(deps.baseUrl, "/")}/${claude.path(model.id, isStreamAsked(passed.body))}`;
  const response = await deps.fetch(url, {
    method: "POST",
    headers: passedHeaders(passed, apiKey),
    body: bodyFor(passed, { provider, model: model.id, maxTokens, form: cloudForm }),
    signal,
  });
  return { url, response };
}

export interface PassDeps {
  fetch: typeof fetch;
  baseUrl: string;
  /** absent: follow-up requests may use any credential */
  pins?: Pick<Pins, "note">;
  /** Calls `act` after `ms`, unless the returned function is called. If absent, connections aren't reused after a stream. */
  after?: (ms: number, act: () => void) => () => void;
}

/** Only this credential's account can read the answer's signatures and ids in follow-up requests. */
export function pinToCredential(
  { credential, passed }: PassthroughRequest,
  body: JsonObject,
  pins: PassDeps["pins"],
): void {
  if (credential.id !== undefined) pins?.note(marksOf(passed.endpoint, body), credential.id);
}

async function passOnce(
  request: PassthroughRequest,
  { fetch, baseUrl, pins }: PassDeps,
): Promise<ProviderAnswer> {
  const { call, passed, outside } = request;
  const { endpoint } = passed;
  const bounded = readOutsideSlot(boundedFetch(fetch, "text"), outside);
  const { url, response } = await sendPassed(request, { fetch: bounded, baseUrl });
  const text = textOf(new Uint8Array(await response.arrayBuffer()));
  // The client gets the byte order mark too.
  const json = text?.replace(/^\uFEFF/, "") ?? "";
  const body = response.status === 200 ? parsedJson(json) : undefined;
  const isAnswer =
    isObject(body) &&
    own(body, "status") !== "failed" &&
    own(body, answerMember[endpoint]) !== undefined;
  if (!isAnswer || text === null) throw failureOf(url, response, text);
  pinToCredential(request, body, pins);
  return { ...readPassedAnswer(endpoint, body, call), notes: [], passed: text };
}

export const isPassed = (request: ProviderRequest): request is PassthroughRequest =>
  request.passed !== undefined && speaks(request.model, request.passed.endpoint);

/** Never throws. */
export async function pass(
  request: PassthroughRequest,
  deps: PassDeps & { now: () => number },
): Promise<Result<ProviderAnswer, ProviderFault>> {
  try {
    return ok(await passOnce(request, deps));
  } catch (thrown) {
    reportMessage(thrown, request);
    return err(faultOf(thrown, faultContext(request, deps.now())));
  }
}
