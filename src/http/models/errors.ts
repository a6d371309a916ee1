/**
 * Whether a client retries, compacts or shows the message. Official SDKs retry 408, 409, 429 and 5xx unless
 * `x-should-retry` says otherwise.
 */
import type { JsonObject } from "../../domain/json.ts";
import type { LimitState } from "../../domain/limits/limit-checks.ts";
import type { AttemptSummary } from "../../domain/attempts.ts";
import { explain } from "../../domain/refusal-messages.ts";
import { maxInputTokens } from "../../domain/sampling/estimate.ts";
import { isRetryable, retryAfterOf, type Refusal } from "../../domain/refusals.ts";
import { allowHeader, limitHeaders } from "../../mcp/refusal-headers.ts";

export type Dialect = "openai" | "anthropic";

type Kind =
  | "authentication"
  | "no_money"
  | "rate"
  | "permission"
  | "no_model"
  | "too_long"
  | "overloaded"
  | "pending"
  | "not_kept"
  | "too_large"
  | "not_found"
  | "method"
  | "media_type"
  | "invalid"
  | "internal";

/** ms: a limit that has room sooner is in the way of running calls, and not used up */
const soonMs = 120_000;

function kindOfNoModel(refusal: Extract<Refusal, { reason: "no_eligible_model" }>): Kind {
  const named = refusal.candidates.filter(({ excludedBy }) => excludedBy !== "not_named");
  if (refusal.cause !== "all_excluded" || named.length === 0) return "no_model";
  return named.every(({ excludedBy }) => excludedBy === "context_window") ? "too_long" : "invalid";
}

const refusedRequests: ReadonlySet<number | null> = new Set([400, 413, 422]);

function kindOfFailure(last: AttemptSummary | undefined): Kind {
  if (last?.code === "context_length") return "too_long";
  return last !== undefined && refusedRequests.has(last.status) && !last.retryable
    ? "invalid"
    : "overloaded";
}

function kindOf(refusal: Refusal): Kind {
  switch (refusal.reason) {
    case "unauthorized":
      return "authentication";
    case "budget_exceeded":
      return refusal.retryAfterMs !== null && refusal.retryAfterMs <= soonMs ? "rate" : "no_money";
    case "rate_limited":
      return refusal.retryAfterMs === null ? "no_money" : "rate";
    case "forbidden":
    case "stopped":
    case "user_rejected":
    case "origin_not_allowed":
      return "permission";
    case "no_eligible_model":
      return kindOfNoModel(refusal);
    case "approval_pending":
      return "pending";
    case "idempotency_conflict":
      return refusal.first === undefined ? "invalid" : "not_kept";
    case "provider_failed":
      return kindOfFailure(refusal.attempts.at(-1));
    case "unavailable":
    case "provider_timeout":
      return "overloaded";
    case "payload_too_large":
      return "too_large";
    case "not_found":
      return "not_found";
    case "method_not_allowed":
      return "method";
    case "unsupported_media_type":
      return "media_type";
    case "internal":
      return "internal";
    default:
      return "invalid";
  }
}

type ErrorTexts = Readonly<Record<Kind, { status: number; type: string; code?: string }>>;

const openai: ErrorTexts = {
  authentication: { status: 401, type: "invalid_request_error", code: "invalid_api_key" },
  no_money: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  rate: { status: 429, type: "requests", code: "rate_limit_exceeded" },
  // Codex retries 403.
  permission: { status: 400, type: "invalid_request_error", code: "permission_denied" },
  no_model: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  too_long: { status: 400, type: "invalid_request_error", code: "context_length_exceeded" },
  overloaded: { status: 503, type: "server_error", code: "server_error" },
  pending: { status: 409, type: "invalid_request_error", code: "approval_pending" },
  not_kept: { status: 409, type: "invalid_request_error", code: "idempotency_conflict" },
  too_large: { status: 413, type: "invalid_request_error", code: "request_too_large" },
  not_found: { status: 404, type: "invalid_request_error", code: "not_found" },
  method: { status: 405, type: "invalid_request_error", code: "method_not_allowed" },
  media_type: { status: 415, type: "invalid_request_error", code: "unsupported_media_type" },
  invalid: { status: 400, type: "invalid_request_error" },
  internal: { status: 500, type: "server_error", code: "server_error" },
};

const anthropic: ErrorTexts = {
  authentication: { status: 401, type: "authentication_error" },
  no_money: { status: 402, type: "billing_error" },
  rate: { status: 429, type: "rate_limit_error" },
  permission: { status: 403, type: "permission_error" },
  // Claude Code repeats a 404 once, and a 400 without one beta after another.
  no_model: { status: 404, type: "not_found_error" },
  too_long: { status: 400, type: "invalid_request_error" },
  overloaded: { status: 529, type: "overloaded_error" },
  pending: { status: 409, type: "invalid_request_error" },
  not_kept: { status: 409, type: "invalid_request_error" },
  too_large: { status: 413, type: "request_too_large" },
  not_found: { status: 404, type: "not_found_error" },
  method: { status: 405, type: "invalid_request_error" },
  media_type: { status: 415, type: "invalid_request_error" },
  invalid: { status: 400, type: "invalid_request_error" },
  internal: { status: 500, type: "api_error" },
};

/** Clients compact a conversation on these words. */
function tooLongMessage(refusal: Refusal, modelContext: number | null): string {
  // Nothing is known of the context of `auto`.
  if (refusal.reason !== "no_eligible_model" || modelContext === null)
    return `prompt is too long: ${explain(refusal)}`;
  const { inputTokens, maxTokens } = refusal.requirements;
  // The choice leaves a margin, and room for the answer.
  const most = maxInputTokens(inputTokens);
  const tokens = [inputTokens, most, most + maxTokens].find((each) => each > modelContext);
  return `prompt is too long: ${tokens ?? modelContext + 1} tokens > ${modelContext} maximum`;
}

function wordsOf(
  refusal: Refusal,
  { kind, modelContext }: { kind: Kind; modelContext: number | null },
): string {
  if (kind === "too_long") return tooLongMessage(refusal, modelContext);
  const text = explain(refusal);
  if (refusal.reason !== "approval_pending") return text;
  const key = refusal.idempotencyKey;
  return `${text}. Send the same request later with ${key === null ? "its Idempotency-Key" : `the header Idempotency-Key: ${key}`}.`;
}

const neverRetried: ReadonlySet<Kind> = new Set(["no_money", "pending", "not_kept"]);

export interface Answered {
  status: number;
  headers: Record<string, string>;
  /** a text: JSON as a provider wrote it */
  body: JsonObject | string;
}

const memberOf = (refusal: Refusal): string | null => {
  if (refusal.reason === "invalid_params") return refusal.path;
  return refusal.reason === "no_eligible_model"
    ? (refusal.requirements.passing?.losses[0] ?? null)
    : null;
};

/** Official SDKs prefer it to `Retry-After`, which has whole seconds. */
function preciseRetry(refusal: Refusal): Record<string, string> {
  const retryAfterMs = retryAfterOf(refusal);
  return retryAfterMs === null ? {} : { "retry-after-ms": String(Math.ceil(retryAfterMs)) };
}

/** @param modelContext context of the model that the request names; null: unknown */
export function errorAnswer(
  refusal: Refusal,
  {
    dialect,
    requestId,
    modelContext = null,
    limits = [],
  }: {
    dialect: Dialect;
    requestId: string;
    modelContext?: number | null;
    limits?: readonly LimitState[];
  },
): Answered & { body: JsonObject } {
  const kind = kindOf(refusal);
  const { status, type, code } = (dialect === "openai" ? openai : anthropic)[kind];
  const message = wordsOf(refusal, { kind, modelContext });
  const isFinal =
    neverRetried.has(kind) ||
    (kind === "overloaded" && refusal.reason !== "unavailable" && !isRetryable(refusal));
  const about = { reason: refusal.reason, requestId };
  return {
    status,
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, refusal),
      ...preciseRetry(refusal),
      ...allowHeader(refusal),
      ...(status === 401 && { "WWW-Authenticate": 'Bearer realm="sampling-router"' }),
      ...(isFinal && { "x-should-retry": "false" }),
    },
    body:
      dialect === "openai"
        ? {
            error: {
              message,
              type,
              param: memberOf(refusal),
              code: code ?? null,
              ...about,
            },
          }
        : { type: "error", error: { type, message, ...about }, request_id: requestId },
  };
}

/** The id of the request, under the names that the SDKs of each wire read. */
export const idHeaders = (requestId: string): Record<string, string> => ({
  "X-Request-Id": requestId,
  "request-id": requestId,
});
