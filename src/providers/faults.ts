/**
 * Converts exceptions of providers' libraries into faults of numbers and our own words: messages, stacks,
 * bodies, and headers contain keys and prompts.
 */
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  LoadSettingError,
  NoContentGeneratedError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { FaultKind, ProviderFault } from "../domain/attempts.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { ProviderRequest } from "../domain/sampling/providers.ts";
import {
  causesOf,
  isUnsent,
  networkCauseOf,
  networkFaultAt,
  type NetworkCause,
} from "../domain/network-fault.ts";
import { baseUrlOf, type CredentialPlace } from "./base-url.ts";
import { meaningOf } from "./fault-reach.ts";
import { overlongRows, type Overlong } from "./overlong-rows.ts";

export const fault = (kind: FaultKind, rest: Partial<ProviderFault> = {}): ProviderFault => ({
  kind,
  status: null,
  retryable: true,
  retryAfterMs: null,
  billed: "maybe",
  reach: "endpoint",
  usage: null,
  ...rest,
});

export const emptyAnswer = (): ProviderFault => fault("empty", { status: 200 });

export const malformedAnswer = (): ProviderFault => fault("malformed", { status: 200 });

const tooLarge: ReadonlyMap<unknown, Overlong> = new Map([
  ["TextTooLarge", "text"],
  ["MediaTooLarge", "media"],
]);

export const answerTooLarge = (what: Overlong): Error =>
  Object.assign(new Error("The answer is too large."), {
    name: what === "text" ? "TextTooLarge" : "MediaTooLarge",
  });

/** `overlongRows` says whether another candidate is tried. */
export function tooLargeAnswer(what: Overlong): ProviderFault {
  const { kind, reach, retryable, code } = overlongRows[what];
  return fault(kind, { status: 200, reach, retryable, code });
}

/** Rejected before sending; another model may accept it. */
export const notSent = (): ProviderFault =>
  fault("invalid_request", { billed: "no", reach: "model" });

/** `thrown` shows how far the request had come. */
export const aborted = (
  { signal, credential }: Pick<Asked, "credential"> & { signal: AbortSignal },
  thrown: unknown = signal.reason,
): ProviderFault =>
  isTimeout(signal.reason)
    ? fault("timeout", networkAt(credential, networkCauseOf(thrown)))
    : fault("cancelled", { retryable: false });

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    "name" in thrown &&
    thrown.name === "TimeoutError"
  );
}

/** ms; longer than any call waits. */
const longestWaitMs = 86_400_000;

/** RFC 9110, section 5.6.7. `Date.parse` accepts much else: `-5` is a day in May. */
const httpDate = /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/** ms, from seconds or an HTTP date. Repeated headers arrive joined; the longest counts. */
function waitOf(header: string, now: number): number | null {
  const seconds = header.split(",").map((each) => each.trim());
  if (seconds.every((each) => /^\d+(\.\d+)?$/.test(each)))
    return Math.ceil(Math.max(...seconds.map(Number)) * 1_000);
  if (!httpDate.test(header.trim())) return null;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function parse(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Google: `{error: {details: [{"@type": "…RetryInfo", retryDelay: "1.5s"}]}}`. */
function retryInfo(body: string | undefined): number | null {
  const details = own(own(parse(body), "error"), "details");
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = own(detail, "retryDelay");
    const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return null;
}

/** ms, at most a day; `null` if absent or unreadable. */
export function retryAfterMsOf(
  answer: { headers?: Record<string, string> | undefined; body?: string | undefined },
  now: number,
): number | null {
  const ms = answer.headers?.["retry-after-ms"];
  const after = answer.headers?.["retry-after"];
  const wait =
    ms !== undefined && /^\d+(\.\d+)?$/.test(ms.trim())
      ? Math.ceil(Number(ms))
      : ((after === undefined ? null : waitOf(after, now)) ?? retryInfo(answer.body));
  return wait === null ? null : Math.min(wait, longestWaitMs);
}

const networkFault = (thrown: unknown, { credential }: Pick<Asked, "credential">): ProviderFault =>
  fault("network", {
    ...(isUnsent(thrown) || networkCauseOf(thrown) === "protocol" ? { billed: "no" } : {}),
    ...networkAt(credential, networkCauseOf(thrown)),
  });

export function networkAt(
  credential: Asked["credential"],
  cause: NetworkCause,
): Pick<ProviderFault, "network"> {
  const url = credential === undefined ? null : baseUrlOf(credential);
  return url === null ? {} : { network: networkFaultAt(url, cause) };
}

const isUnreadable = (thrown: unknown): boolean =>
  JSONParseError.isInstance(thrown) ||
  TypeValidationError.isInstance(thrown) ||
  thrown instanceof SyntaxError;

/**
 * OpenAI's Responses library invents a status of 400 or 500 for a failure inside a success, and its body is
 * already parsed.
 */
function faultInside(body: JsonObject): ProviderFault {
  const error = own(body, "error");
  if (!isObject(error)) return emptyAnswer();
  const limited = error["code"] === "rate_limit_exceeded";
  return limited
    ? fault("rate_limit", { status: 200, reach: "model", code: "rate_limited" })
    : fault("server", { status: 200 });
}

/** Members that only answers have. */
const answerMembers = ["choices", "content", "candidates", "output"];

/** Source: https://platform.claude.com/docs/en/api/errors */
const statusOfType: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["rate_limit_error", 429],
  ["overloaded_error", 529],
]);

/**
 * An error inside a success, as gateways send it after the status. Its number counts as status, else it is a
 * fault of the endpoint.
 */
export function errorInside(
  body: JsonValue | undefined,
): { status: number; body: JsonObject } | null {
  if (!isObject(body) || answerMembers.some((name) => Object.hasOwn(body, name))) return null;
  const error = body["error"];
  if (!isObject(error) && (typeof error !== "string" || error === "")) return null;
  const type = own(error, "type");
  const byType = typeof type === "string" ? statusOfType.get(type) : undefined;
  const statuses = [own(error, "code"), own(error, "status"), body["code"], body["status"]].map(
    Number,
  );
  const status = statuses.find((each) => Number.isInteger(each) && each >= 400 && each <= 599);
  return { status: status ?? byType ?? 500, body };
}

export interface Asked {
  provider?: string | undefined;
  credential?: CredentialPlace;
  model?: string | undefined;
  /** ms since the epoch */
  now: number;
}

function faultOfCall(error: APICallError, asked: Asked): ProviderFault {
  const { provider, credential, model, now } = asked;
  const cloud = credential?.place?.cloud;
  const status = error.statusCode;
  if (status === undefined) return networkFault(error, asked);
  const body: unknown = error.responseBody;
  if (isObject(body)) return faultInside(body);
  const text = typeof body === "string" ? body : undefined;
  if (status >= 400) {
    const retryAfterMs = retryAfterMsOf({ headers: error.responseHeaders, body: text }, now);
    const meaning = meaningOf({ provider, cloud, model, status, body: parse(text) });
    return fault(meaning.kind, { ...meaning, status, retryAfterMs });
  }
  if (text?.trim() === "") return fault("empty", { status });
  const inside = errorInside(parse(text));
  if (inside !== null) {
    const meaning = meaningOf({ provider, cloud, model, ...inside });
    const retryAfterMs = retryAfterMsOf({ headers: error.responseHeaders, body: text }, now);
    return fault(meaning.kind, { ...meaning, status, retryAfterMs });
  }
  if ([...causesOf(error)].some(isUnreadable)) return fault("malformed", { status });
  // The body broke off after the status.
  return error.cause === undefined
    ? fault("malformed", { status })
    : fault("network", { status, ...networkAt(asked.credential, networkCauseOf(error)) });
}

export const faultContext = (
  { signal, credential, model }: Pick<ProviderRequest, "signal" | "credential" | "model">,
  now: number,
): Asked & { signal: AbortSignal } => ({
  signal,
  provider: credential.provider,
  credential,
  model: model.id,
  now,
});

/** Never throws, and keeps no text of the error. */
export function faultOf(thrown: unknown, context: Asked & { signal: AbortSignal }): ProviderFault {
  // An error status counts even if reading its body was aborted.
  if (APICallError.isInstance(thrown) && (thrown.statusCode ?? 0) >= 400)
    return faultOfCall(thrown, context);
  for (const cause of causesOf(thrown)) {
    const what = "name" in cause ? tooLarge.get(cause.name) : undefined;
    if (what !== undefined) return tooLargeAnswer(what);
  }
  if (context.signal.aborted) return aborted(context, thrown);
  if (APICallError.isInstance(thrown)) return faultOfCall(thrown, context);
  if (EmptyResponseBodyError.isInstance(thrown) || NoContentGeneratedError.isInstance(thrown))
    return emptyAnswer();
  // Thrown for an empty list of choices.
  if (InvalidResponseDataError.isInstance(thrown)) return emptyAnswer();
  if (isUnreadable(thrown)) return malformedAnswer();
  if (LoadAPIKeyError.isInstance(thrown) || LoadSettingError.isInstance(thrown))
    return fault("auth", { billed: "no", reach: "credential" });
  if (
    UnsupportedFunctionalityError.isInstance(thrown) ||
    InvalidPromptError.isInstance(thrown) ||
    InvalidArgumentError.isInstance(thrown) ||
    NoSuchModelError.isInstance(thrown)
  )
    return notSent();
  if (isTimeout(thrown))
    return fault("timeout", networkAt(context.credential, networkCauseOf(thrown)));
  return networkFault(thrown, context);
}
