/**
 * Status, code and message decide whether a client retries, compacts the conversation, or shows the message.
 * Official SDKs retry 408, 409, 429 and 5xx unless `x-should-retry` is `false`.
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
  | "quota_used_up"
  | "rate_limit"
  | "permission"
  | "model_not_found"
  | "too_long"
  | "overloaded"
  | "approval_pending"
  | "result_not_stored"
  | "too_large"
  | "not_found"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "invalid"
  | "internal";

export const unknownModel = { reason: "not_found", what: "no such model" } as const;

/** ms: after a shorter wait running calls release their reservations, so the budget isn't used up */
const shortWaitMs = 120_000;

function kindOfNoModel(refusal: Extract<Refusal, { reason: "no_eligible_model" }>): Kind {
  const namedCandidates = refusal.candidates.filter(({ excludedBy }) => excludedBy !== "not_named");
  if (refusal.cause !== "all_excluded" || namedCandidates.length === 0) return "model_not_found";
  return namedCandidates.every(({ excludedBy }) => excludedBy === "context_window")
    ? "too_long"
    : "invalid";
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
      return refusal.retryAfterMs !== null && refusal.retryAfterMs <= shortWaitMs
        ? "rate_limit"
        : "quota_used_up";
    case "rate_limited":
      return refusal.retryAfterMs === null ? "quota_used_up" : "rate_limit";
    case "forbidden":
    case "stopped":
    case "user_rejected":
    case "origin_not_allowed":
      return "permission";
    case "no_eligible_model":
      return kindOfNoModel(refusal);
    case "approval_pending":
      return "approval_pending";
    case "idempotency_conflict":
      return refusal.first === undefined ? "invalid" : "result_not_stored";
    case "provider_failed":
      return kindOfFailure(refusal.attempts.at(-1));
    case "unavailable":
    case "provider_timeout":
      return "overloaded";
    case "payload_too_large":
      return "too_large";
    case "not_found":
      return refusal.what === unknownModel.what ? "model_not_found" : "not_found";
    case "method_not_allowed":
      return "method_not_allowed";
    case "unsupported_media_type":
      return "unsupported_media_type";
    case "internal":
      return "internal";
    default:
      return "invalid";
  }
}

type ErrorRows = Readonly<Record<Kind, { status: number; type: string; code?: string }>>;

const openai: ErrorRows = {
  authentication: { status: 401, type: "invalid_request_error", code: "invalid_api_key" },
  quota_used_up: { status: 429, type: "insufficient_quota", code: "insufficient_quota" },
  rate_limit: { status: 429, type: "requests", code: "rate_limit_exceeded" },
  // Codex retries 403.
  permission: { status: 400, type: "invalid_request_error", code: "permission_denied" },
  model_not_found: { status: 404, type: "invalid_request_error", code: "model_not_found" },
  too_long: { status: 400, type: "invalid_request_error", code: "context_length_exceeded" },
  overloaded: { status: 503, type: "server_error", code: "server_error" },
  approval_pending: { status: 409, type: "invalid_request_error", code: "approval_pending" },
  result_not_stored: { status: 409, type: "invalid_request_error", code: "idempotency_conflict" },
  too_large: { status: 413, type: "invalid_request_error", code: "request_too_large" },
  not_found: { status: 404, type: "invalid_request_error", code: "not_found" },
  method_not_allowed: { status: 405, type: "invalid_request_error", code: "method_not_allowed" },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    code: "unsupported_media_type",
  },
  invalid: { status: 400, type: "invalid_request_error" },
  internal: { status: 500, type: "server_error", code: "server_error" },
};

const anthropic: ErrorRows = {
  authentication: { status: 401, type: "authentication_error" },
  quota_used_up: { status: 402, type: "billing_error" },
  rate_limit: { status: 429, type: "rate_limit_error" },
  permission: { status: 403, type: "permission_error" },
  // Claude Code retries a 404 once, but a 400 many times, each time without another beta header.
  model_not_found: { status: 404, type: "not_found_error" },
  too_long: { status: 400, type: "invalid_request_error" },
  overloaded: { status: 529, type: "overloaded_error" },
  approval_pending: { status: 409, type: "invalid_request_error" },
  result_not_stored: { status: 409, type: "invalid_request_error" },
  too_large: { status: 413, type: "request_too_large" },
  not_found: { status: 404, type: "not_found_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  invalid: { status: 400, type: "invalid_request_error" },
  internal: { status: 500, type: "api_error" },
};

/** Clients compact the conversation if the message starts with `prompt is too long`. */
function tooLongMessage(refusal: Refusal, modelContext: number | null): string {
  // The context is unknown if the request names `auto` instead of a model.
  if (refusal.reason !== "no_eligible_model" || modelContext === null)
    return `prompt is too long: ${explain(refusal)}`;
  const { inputTokens, maxTokens } = refusal.requirements;
  // Model selection adds a margin and `maxTokens` to the estimate, so the estimate alone may fit.
  const upperEstimate = maxInputTokens(inputTokens);
  const tokens = [inputTokens, upperEstimate, upperEstimate + maxTokens].find(
    (each) => each > modelContext,
  );
  return `prompt is too long: ${tokens ?? modelContext + 1} tokens > ${modelContext} maximum`;
}

function messageOf(
  refusal: Refusal,
  { kind, modelContext }: { kind: Kind; modelContext: number | null },
): string {
  if (kind === "too_long") return tooLongMessage(refusal, modelContext);
  const text = explain(refusal);
  if (refusal.reason !== "approval_pending") return text;
  const key = refusal.idempotencyKey;
  return `${text}. Send the same request later with ${key === null ? "its Idempotency-Key" : `the header Idempotency-Key: ${key}`}.`;
}

const neverRetried: ReadonlySet<Kind> = new Set([
  "quota_used_up",
  "approval_pending",
  "result_not_stored",
]);

export interface BufferedAnswer {
  status: number;
  headers: Record<string, string>;
  /** string: the provider's JSON, unchanged */
  body: JsonObject | string;
}

const paramOf = (refusal: Refusal): string | null => {
  if (refusal.reason === "invalid_params") return refusal.path;
  return refusal.reason === "no_eligible_model"
    ? (refusal.requirements.passing?.losses[0] ?? null)
    : null;
};

/** Official SDKs prefer `retry-after-ms` to `Retry-After`, which has whole seconds. */
function retryAfterMsHeader(refusal: Refusal): Record<string, string> {
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
): BufferedAnswer & { body: JsonObject } {
  const kind = kindOf(refusal);
  const { status, type, code } = (dialect === "openai" ? openai : anthropic)[kind];
  const message = messageOf(refusal, { kind, modelContext });
  const isFinal =
    neverRetried.has(kind) ||
    (kind === "overloaded" && refusal.reason !== "unavailable" && !isRetryable(refusal));
  const about = { reason: refusal.reason, requestId };
  return {
    status,
    headers: {
      ...idHeaders(requestId),
      ...limitHeaders(limits, refusal),
      ...retryAfterMsHeader(refusal),
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
              param: paramOf(refusal),
              code: code ?? null,
              ...about,
            },
          }
        : { type: "error", error: { type, message, ...about }, request_id: requestId },
  };
}

/** The OpenAI SDKs read `X-Request-Id`, and Anthropic's `request-id`. */
export const idHeaders = (requestId: string): Record<string, string> => ({
  "X-Request-Id": requestId,
  "request-id": requestId,
});
