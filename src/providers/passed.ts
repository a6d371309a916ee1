/** Passes a call's request and answer unchanged, except for the members that `bodyFor` edits. */
import { APICallError } from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { withoutTrailing } from "../domain/bounded-url.ts";
import { isObject, own, parsedJson, type JsonObject } from "../domain/json.ts";
import type { ModelEndpointName } from "../domain/model-endpoint.ts";
import { bodyFor, isStreamAsked, type PassedRequest } from "../domain/passing.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProviderAnswer, ProviderRequest, Providers } from "../domain/sampling/providers.ts";
import type { Pins } from "../domain/sampling/pins.ts";
import { speaks } from "../domain/wires/spoken.ts";
import { reportMessage } from "./message.ts";
import { boundedFetch, readOutsideSlot } from "./bounded.ts";
import { faultContext, faultOf } from "./faults.ts";
import { claudeFormOf, passedFormOf } from "./clouds/claude.ts";
import { answerMember, marksOf, readPassedAnswer } from "./passed-answer.ts";

export type Passing = ProviderRequest & { passed: PassedRequest };

const paths: Readonly<Record<ModelEndpointName, string>> = {
  messages: "messages",
  "chat.completions": "chat/completions",
  responses: "responses",
};

const urlOf = (
  baseUrl: string,
  { endpoint, query = "" }: PassedRequest,
  below: "" | "/count_tokens" = "",
): string => `${withoutTrailing(baseUrl, "/")}/${paths[endpoint]}${below}${query}`;

/** For clients that send no version: the oldest. */
const oldestVersion = "2023-06-01";

/** Only headers that the provider needs, because clients send paths and ids in other headers. */
export function passedHeaders(
  { endpoint, headers }: Pick<PassedRequest, "endpoint" | "headers">,
  apiKey: string,
): Record<string, string> {
  const always = {
    "content-type": "application/json",
    // `fetch` would decompress the answer, which then isn't passed unchanged.
    "accept-encoding": "identity",
    ...headers,
  };
  if (endpoint === "messages")
    return {
      "anthropic-version": oldestVersion,
      ...always,
      ...(apiKey !== "" && { "x-api-key": apiKey }),
    };
  return apiKey === "" ? always : { ...always, authorization: `Bearer ${apiKey}` };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The same error as the AI SDK throws, so that the same fault rows classify it. */
export function failureOf(url: string, response: Response, text: string | null): APICallError {
  const body = parsedJson(text ?? "");
  // A failed response with status 200 has the members of an answer, and an error.
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
  { credential, model, passed, signal, maxTokens }: Passing,
  deps: { fetch: typeof fetch; baseUrl: string },
): Promise<{ url: string; response: Response }> {
  const { provider, apiKey, place } = credential;
  const claude = passed.endpoint === "messages" ? claudeFormOf(place) : undefined;
  const form = claude && passedFormOf(claude, passed.headers);
  const url =
    claude === undefined
      ? urlOf(deps.baseUrl, passed)
      : `${withoutTrailing(deps.baseUrl, "/")}/${claude.path(model.id, isStreamAsked(passed.body))}`;
  const response = await deps.fetch(url, {
    method: "POST",
    headers: passedHeaders(passed, apiKey),
    body: bodyFor(passed, { provider, model: model.id, maxTokens, form }),
    signal,
  });
  return { url, response };
}

export interface PassDeps {
  fetch: typeof fetch;
  baseUrl: string;
  /** absent: the account isn't remembered */
  pins?: Pick<Pins, "note">;
  /** Calls `act` after `ms` unless the returned function is called. Absent: connections aren't reused after a stream. */
  after?: (ms: number, act: () => void) => () => void;
}

/** Remembers the account that can read the answer's encrypted parts in later requests. */
export function noteMarks(
  { credential, passed }: Passing,
  body: JsonObject,
  pins: PassDeps["pins"],
): void {
  if (credential.id !== undefined) pins?.note(marksOf(passed.endpoint, body), credential.id);
}

async function passOnce(
  request: Passing,
  { fetch, baseUrl, pins }: PassDeps,
): Promise<ProviderAnswer> {
  const { call, passed, outside } = request;
  const { endpoint } = passed;
  const bounded = readOutsideSlot(boundedFetch(fetch, "text"), outside);
  const { url, response } = await sendPassed(request, { fetch: bounded, baseUrl });
  const text = textOf(new Uint8Array(await response.arrayBuffer()));
  const body = response.status === 200 && text !== null ? parsedJson(text) : undefined;
  const isAnswer =
    isObject(body) &&
    own(body, "status") !== "failed" &&
    own(body, answerMember[endpoint]) !== undefined;
  if (!isAnswer || text === null) throw failureOf(url, response, text);
  noteMarks(request, body, pins);
  return { ...readPassedAnswer(endpoint, body, call), notes: [], passed: text };
}

/** @returns the provider's answer; `null` if it contains no count */
export async function countPassed(
  { credential, model, passed, signal }: Parameters<Providers["countTokens"]>[0],
  deps: { fetch: typeof fetch; baseUrl: string },
): Promise<string | null> {
  const { provider, apiKey } = credential;
  try {
    const response = await boundedFetch(deps.fetch, "text")(
      urlOf(deps.baseUrl, passed, "/count_tokens"),
      {
        method: "POST",
        headers: passedHeaders(passed, apiKey),
        body: bodyFor(passed, { provider, model, maxTokens: Infinity }),
        signal,
      },
    );
    const text = textOf(new Uint8Array(await response.arrayBuffer()));
    const counted = own(parsedJson(text ?? ""), "input_tokens");
    return response.status === 200 && typeof counted === "number" ? text : null;
  } catch {
    return null;
  }
}

export const isPassed = (request: ProviderRequest): request is Passing =>
  request.passed !== undefined && speaks(request.model, request.passed.endpoint);

/** Never throws. */
export async function pass(
  request: Passing,
  deps: PassDeps & { now: () => number },
): Promise<Result<ProviderAnswer, ProviderFault>> {
  try {
    return ok(await passOnce(request, deps));
  } catch (thrown) {
    reportMessage(thrown, request);
    return err(faultOf(thrown, faultContext(request, deps.now())));
  }
}
