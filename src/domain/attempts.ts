import type { NetworkFault } from "./network-fault.ts";
import type { Usage } from "./usage.ts";

/** What has a circuit. `model` is a model under one credential, because providers limit rates per account. */
export const circuitReaches = ["model", "credential", "endpoint"] as const;
export type CircuitReach = (typeof circuitReaches)[number];

/** What a fault affects. `request` affects this request on one wire only: another wire may accept the request. */
export const faultReaches = [...circuitReaches, "request"] as const;
export type FaultReach = (typeof faultReaches)[number];

/** Causes of provider errors, from `providers/fault-rows.ts`. Provider text never passes through. */
export const faultCodes = [
  "invalid_key",
  "gateway_refused",
  // of clouds
  "token_refused",
  "token_unreachable",
  "wrong_clock",
  "wrong_signature",
  "role_refused",
  "no_aws_identity",
  "no_host_identity",
  "needs_profile",
  "access_denied",
  "no_credit",
  "spend_limit",
  "account_blocked",
  "country_not_supported",
  "model_not_found",
  "model_not_allowed",
  "rate_limited",
  "overloaded",
  "response_too_large",
  "context_length",
  "content_filter",
  "tool_use_failed",
  "tool_name",
  "tool_schema",
  "tool_id",
  "tool_count",
  "message_order",
  "prefill",
  "empty_text",
  "image",
  "max_tokens",
  "temperature",
] as const;
export type FaultCode = (typeof faultCodes)[number];

export type FaultKind =
  | "rate_limit"
  | "server"
  | "network"
  | "timeout"
  | "auth"
  | "unopenable"
  | "invalid_request"
  | "malformed"
  | "empty"
  | "not_json"
  | "wrong_tool_use"
  | "cancelled";

/** A failed provider call. Contains no provider text, which may hold keys and prompts. */
export interface ProviderFault {
  kind: FaultKind;
  /** HTTP status of the provider; null: no answer */
  status: number | null;
  retryable: boolean;
  /** ms, from the provider's `Retry-After` */
  retryAfterMs: number | null;
  billed: "no" | "maybe";
  reach: FaultReach;
  code?: FaultCode;
  /** set if a network answer is missing or incomplete */
  network?: NetworkFault;
  usage: Usage | null;
}

interface AttemptBase {
  provider: string;
  model: string;
  status: number | null;
}

export interface AttemptSummary extends AttemptBase {
  retryable: boolean;
  /** set for an unusable success and for a call that was not sent */
  fault?: FaultKind | null;
  code?: FaultCode;
  network?: NetworkFault;
  /** the provider's masked message, if the policy lets callers read it */
  message?: string;
}

export interface StreamEnd {
  firstMs: number | null;
  status: "complete" | "interrupted";
  /** who ended it; absent: it is complete */
  interruptedBy?: "client" | "provider" | "router";
}

export interface Attempt extends AttemptBase {
  retryable: boolean;
  credentialId: string;
  fault: FaultKind | null;
  billed: "yes" | "no" | "maybe";
  latencyMs: number;
  /** the pause before it; absent: none */
  waitedMs?: number;
  retryAfterMs: number | null;
  reach?: FaultReach;
  code?: FaultCode;
  network?: NetworkFault;
  notes?: string[];
  /** counted or estimated usage; absent: unknown or none */
  usage?: Usage;
  /** absent: the answer was requested as a whole */
  stream?: StreamEnd;
  /** null: price unknown; absent: not charged yet */
  costMicroUsd?: number | null;
}

export interface RefusedKey {
  credentialId: string;
  /** `updatedAt` of the credential when the call read it; a key that was replaced later was not refused */
  readAt: number;
}

export const isKeyRefused = ({
  fault,
  status,
  code,
}: Pick<Attempt, "fault" | "status" | "code">): boolean =>
  fault === "auth" && (status === 401 || code === "invalid_key");

const lastingCodes: ReadonlySet<FaultCode> = new Set([
  "invalid_key",
  "gateway_refused",
  "token_refused",
  "wrong_signature",
  "role_refused",
  "no_aws_identity",
  "no_host_identity",
  "access_denied",
  "no_credit",
  "spend_limit",
  "account_blocked",
  "country_not_supported",
]);

/** Whether the fault outlasts the call, so that nothing in its reach can answer. */
export const isLasting = ({
  fault,
  status,
  code,
}: Pick<Attempt, "fault" | "status" | "code">): boolean =>
  fault === "unopenable" ||
  (fault === "auth" && status === 401) ||
  (code !== undefined && lastingCodes.has(code));

/** Statuses below 500 after which a retry may succeed. Other statuses require a change first. */
const passing = new Set([200, 408, 409, 425, 429]);

export const isTransientStatus = (status: number | null): boolean =>
  status === null || status >= 500 || passing.has(status);

const isNotSent = ({ fault, status }: Pick<Attempt, "fault" | "status">): boolean =>
  fault === "invalid_request" && status === null;

/** Whether the model itself wrote the invalid output, so that a retry may succeed. */
const isModelMistake = ({ fault }: Pick<Attempt, "fault">): boolean =>
  fault === "wrong_tool_use" || fault === "not_json";

export const isTransient = (attempt: Attempt): boolean =>
  attempt.retryable &&
  attempt.reach !== "request" &&
  !isLasting(attempt) &&
  !isNotSent(attempt) &&
  (isTransientStatus(attempt.status) || isModelMistake(attempt));

export const summaryOf = (attempt: Attempt): AttemptSummary => {
  const { provider, model, status, fault, code, network } = attempt;
  const summary: AttemptSummary = { provider, model, status, retryable: isTransient(attempt) };
  if (code !== undefined) summary.code = code;
  if (network !== undefined) summary.network = network;
  const says = fault === "unopenable" || isNotSent(attempt) || (status === 200 && fault !== null);
  return says ? { ...summary, fault } : summary;
};
