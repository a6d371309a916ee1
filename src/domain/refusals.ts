/** All expected refusals, and the only table that maps them to JSON-RPC, problem+json, OpenAPI and records. */
import type { JsonObject } from "./json.ts";
import { isTransientStatus, type AttemptSummary } from "./attempts.ts";
import type { ExclusionReason, Requirements } from "./requirements.ts";
import type { Result } from "./result.ts";

export type NoModelCause = "no_credential" | "no_known_model" | "all_excluded";

interface FullLimit {
  limit: string;
  /** the tag, run, group or person that the limit applies to; absent: another level */
  node?: string;
  retryAfterMs: number | null;
  /** a total or a run is exhausted; absent: a period ends, or the request exceeds the limit itself */
  usedUp?: true;
}

/** USD. `neededUsd` is the smallest claim. */
export interface BudgetAmounts {
  limitUsd: number;
  usedUsd: number;
  neededUsd: number;
}

export interface WrongMember {
  path: string;
  detail: string;
}

export type Refusal =
  /** `explanation`: the approver's, for the caller */
  | { reason: "user_rejected"; by: string; explanation?: string }
  /** `idempotencyKey` joins the waiting call; null: the caller sent a key */
  | { reason: "approval_pending"; retryAfterMs: number; idempotencyKey: string | null }
  /** `others`: further wrong members of a form */
  | { reason: "invalid_params"; path: string; detail: string; others?: readonly WrongMember[] }
  /** `detail`: why declaring the capability does not help, and what does; absent: not declared */
  | { reason: "capability_missing"; requiredCapabilities: JsonObject; detail?: string }
  | {
      reason: "no_eligible_model";
      cause: NoModelCause;
      requirements: Requirements;
      candidates: { model: string; excludedBy: ExclusionReason }[];
    }
  | ({ reason: "rate_limited" } & FullLimit)
  | ({ reason: "budget_exceeded" } & FullLimit & BudgetAmounts)
  /** `scope`: the access token scope that would allow the action */
  | { reason: "forbidden"; action: string; scope?: string }
  /** a kill switch of a tenant, key or server; stopped models and providers are excluded instead */
  | { reason: "stopped"; kind: string; name: string; explanation: string }
  /** `retryAfterMs`: the shortest wait that a provider asked for */
  | { reason: "provider_failed"; attempts: AttemptSummary[]; retryAfterMs?: number }
  | { reason: "provider_timeout"; attempts: AttemptSummary[]; retryAfterMs?: number }
  | { reason: "server_unauthorized"; detail: string }
  /** The user must connect an account at `url`. `elicitations`: as in MCP 2025-11-25; absent: not supported */
  | {
      reason: "authorization_needed";
      server: string;
      url: string;
      scopes?: readonly string[];
      elicitations?: { mode: "url"; elicitationId: string; url: string; message: string }[];
    }
  /**
   * `resting`: all suitable circuits are open. `replaced`: the database file was replaced. Absent: the call may
   * have happened
   */
  | { reason: "unavailable"; retryAfterMs: number; cause?: "full" | "unreleased" | "replaced" }
  | { reason: "unavailable"; retryAfterMs: number; cause: "resting"; models: readonly string[] }
  | { reason: "unavailable"; retryAfterMs: number; cause: "identity_provider"; detail: string }
  | { reason: "cancelled" }
  | { reason: "input_missing"; detail: string }
  /** `first`: id of the first request with the key, whose streamed answer isn't stored; absent: the first request had other content */
  | { reason: "idempotency_conflict"; first?: string }
  /** a stream that has to be approved, and is too long to wait for it */
  | { reason: "response_too_large"; maxCharacters: number }
  | { reason: "internal" }
  | { reason: "unreadable"; what: string }
  // registered servers
  | { reason: "server_failed"; serverStatus: number | null; detail: string; retryable?: false }
  | { reason: "server_timeout"; detail: string }
  | { reason: "loop_detected"; detail: string }
  | { reason: "parse_error" }
  | { reason: "invalid_request"; detail: string }
  /** `detail`: the client's way out */
  | { reason: "method_not_found"; method: string; detail?: string }
  | { reason: "header_mismatch"; header: string; missing: boolean }
  | { reason: "unsupported_protocol_version"; supported: readonly string[]; requested: string }
  | { reason: "bad_request"; detail: string }
  | { reason: "unauthorized"; detail: string }
  | { reason: "not_found"; what: string }
  | { reason: "session_not_found" }
  | { reason: "session_required" }
  | { reason: "origin_not_allowed" }
  | { reason: "method_not_allowed"; allow: string }
  | { reason: "not_acceptable"; accept: string }
  | { reason: "conflict"; detail: string }
  | { reason: "precondition_failed" }
  | { reason: "payload_too_large"; limitBytes: number }
  | { reason: "unsupported_media_type"; expected: string };

export type AsyncResult<T> = Promise<Result<T, Refusal>>;

export type Reason = Refusal["reason"];

interface Meaning {
  /** JSON-RPC error code; our own codes are negated HTTP statuses */
  code: number;
  status: number;
  /** HTTP status on MCP endpoints: 200 for sampling refusals, because SDK clients drop the body of other statuses */
  mcpStatus: number;
  title: string;
  retryable: boolean;
}

const sampling = (code: number, status: number, title: string, retryable: boolean): Meaning => ({
  code,
  status,
  mcpStatus: 200,
  title,
  retryable,
});

const transport = (code: number, status: number, title: string): Meaning => ({
  code,
  status,
  mcpStatus: status,
  title,
  retryable: false,
});

export const refusalTable: { readonly [R in Reason]: Meaning } = {
  user_rejected: sampling(-1, 403, "User rejected sampling request", false),
  approval_pending: sampling(-202, 202, "Waiting for approval", true),
  invalid_params: sampling(-32602, 400, "Invalid params", false),
  capability_missing: sampling(-32602, 400, "Required client capability unavailable", false),
  no_eligible_model: sampling(-422, 422, "No eligible model", false),
  rate_limited: sampling(-429, 429, "Rate limit exceeded", true),
  budget_exceeded: sampling(-402, 402, "Budget exceeded", true),
  forbidden: sampling(-403, 403, "Forbidden", false),
  stopped: sampling(-403, 403, "Stopped by a kill switch", false),
  provider_failed: sampling(-502, 502, "Provider failed", true),
  provider_timeout: sampling(-504, 504, "Provider timed out", true),
  server_unauthorized: sampling(-502, 502, "The server rejects the router", false),
  authorization_needed: sampling(-403, 403, "Account connection required", false),
  unavailable: sampling(-503, 503, "Temporarily unavailable", true),
  cancelled: sampling(-499, 499, "Cancelled", false),
  input_missing: sampling(-32603, 422, "Input missing", false),
  idempotency_conflict: sampling(-409, 409, "Idempotency conflict", false),
  response_too_large: sampling(-502, 502, "Answer too large to wait for approval", false),
  internal: sampling(-32603, 500, "Internal error", false),
  unreadable: transport(-500, 500, "The record can't be read"),
  server_failed: sampling(-502, 502, "The MCP server failed", true),
  server_timeout: sampling(-504, 504, "The MCP server timed out", true),
  // No server uses this status: a router on the way back would attribute an error in HTTP 200 to its server.
  loop_detected: transport(-508, 508, "Loop detected"),
  parse_error: transport(-32700, 400, "Parse error"),
  invalid_request: transport(-32600, 400, "Invalid request"),
  method_not_found: sampling(-32601, 404, "Method not found", false),
  header_mismatch: transport(-32020, 400, "Header mismatch"),
  unsupported_protocol_version: transport(-32022, 400, "Unsupported protocol version"),
  bad_request: transport(-32600, 400, "Bad request"),
  unauthorized: transport(-401, 401, "Unauthorized"),
  not_found: transport(-404, 404, "Not found"),
  session_not_found: transport(-404, 404, "Session not found"),
  session_required: transport(-32600, 400, "Mcp-Session-Id required"),
  origin_not_allowed: transport(-403, 403, "Origin not allowed"),
  method_not_allowed: transport(-405, 405, "Method not allowed"),
  not_acceptable: transport(-406, 406, "Not acceptable"),
  conflict: transport(-409, 409, "Conflict"),
  precondition_failed: transport(-412, 412, "Changed since it was read"),
  payload_too_large: transport(-413, 413, "Payload too large"),
  unsupported_media_type: transport(-415, 415, "Unsupported media type"),
};

/** Limits on what a caller can start for free. They answer floods, so the body is irrelevant. */
const floodLimits: ReadonlySet<string> = new Set(["key.sessions", "key.initializePerMinute"]);

export const mcpStatusOf = (refusal: Refusal): number =>
  refusal.reason === "rate_limited" && floodLimits.has(refusal.limit)
    ? refusalTable.rate_limited.status
    : refusalTable[refusal.reason].mcpStatus;

export const reasons = Object.keys(refusalTable) as Reason[];

export const serverFailed = (detail: string, serverStatus: number | null = null): Refusal => ({
  reason: "server_failed",
  serverStatus,
  detail,
});

/** @param doing what needs the address, for example "signing in" */
export const ownUrlUnknown = (doing: string): Refusal => ({
  reason: "forbidden",
  action: `${doing} where the router doesn't know its own https address: set PUBLIC_URL, or use localhost`,
});

/** Also used for another tenant's server, so that its existence does not leak. */
export const noSuchServer: Refusal = {
  reason: "not_found",
  what: "no such server; use /mcp/{tenant}/{server} with an API key of that tenant",
};

export function isRetryable(refusal: Refusal): boolean {
  switch (refusal.reason) {
    case "rate_limited":
    case "budget_exceeded":
      return refusal.retryAfterMs !== null;
    case "provider_failed":
    case "provider_timeout":
      return refusal.attempts.length === 0 || refusal.attempts.some(({ retryable }) => retryable);
    case "server_failed":
      return refusal.retryable ?? isTransientStatus(refusal.serverStatus);
    case "no_eligible_model":
      return refusal.candidates.some(({ excludedBy }) => excludedBy === "circuit_open");
    default:
      return refusalTable[refusal.reason].retryable;
  }
}

/** The members of `error.data` and problem+json. `detail` is in the message instead. */
export function dataOf(refusal: Refusal): Record<string, unknown> {
  const { detail: _, ...data }: Refusal & { detail?: string } = refusal;
  return { ...data, retryable: isRetryable(refusal) };
}

export const retryAfterOf = (refusal: Refusal): number | null =>
  "retryAfterMs" in refusal ? (refusal.retryAfterMs ?? null) : null;
