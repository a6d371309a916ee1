/** One provider call, as the audit record and a refusal tell it. */
import type { NetworkFault } from "./network-fault.ts";
import type { Usage } from "./usage.ts";

/** What has a circuit. `model` is a model under one credential, because providers count rates for each account. */
export const circuitReaches = ["model", "credential", "endpoint"] as const;
export type CircuitReach = (typeof circuitReaches)[number];

/**
 * What a fault affects: the next attempt goes to a candidate outside of it. `request` is this request at one wire: the
 * provider is healthy, and another wire may accept what this one refused.
 */
export const faultReaches = [...circuitReaches, "request"] as const;
export type FaultReach = (typeof faultReaches)[number];

/**
 * What a provider's error names, in the words of this list alone. `providers/fault-reach.ts` says which words
 * of which provider each code is read from, and passes on no text of the provider's.
 */
export const faultCodes = [
  "invalid_key",
  "no_credit",
  "spend_limit",
  "account_blocked",
  "country_not_supported",
  "model_not_found",
  "model_not_allowed",
  "rate_limited",
  "overloaded",
  "answer_too_large",
  "context_length",
  "content_filter",
  "tool_use_failed",
  // what of the request the provider refused
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
  /** the stored key can't be opened, so nothing was called */
  | "unopenable"
  | "invalid_request"
  | "malformed"
  | "empty"
  /** an answer that is not the JSON that was asked for */
  | "not_json"
  /** an answer without the tool use that was required, or with one that was not offered */
  | "wrong_tool_use"
  | "cancelled";

/** What went wrong at a provider. Holds no text of the provider's: such texts carry keys and prompts. */
export interface ProviderFault {
  kind: FaultKind;
  /** HTTP status of the provider; null: there was no answer */
  status: number | null;
  retryable: boolean;
  /** ms, from the provider's Retry-After */
  retryAfterMs: number | null;
  /** whether the provider may have charged for the attempt */
  billed: "no" | "maybe";
  reach: FaultReach;
  /** absent: the error named nothing that this list has */
  code?: FaultCode;
  /** where there was no answer over the network, or only a part of one */
  network?: NetworkFault;
  /** what the provider counted, where an answer came that can't be used; null: nothing is known */
  usage: Usage | null;
}

interface AttemptBase {
  provider: string;
  model: string;
  status: number | null;
}

/** An attempt as its call's refusal tells it. */
export interface AttemptSummary extends AttemptBase {
  /** whether the same call may succeed later */
  retryable: boolean;
  /** of a success that could not be used, and of what was not called; absent: the status says it */
  fault?: FaultKind | null;
  /** absent: the fault named nothing that the list has */
  code?: FaultCode;
  /** absent: the fault was none of the network */
  network?: NetworkFault;
  /** what the provider said, masked; absent: it said nothing, or the policy doesn't let callers read it */
  message?: string;
}

/** An attempt as its record tells it. */
export interface Attempt extends AttemptBase {
  /** whether another candidate may do better */
  retryable: boolean;
  credentialId: string;
  /** null for the attempt that answered */
  fault: FaultKind | null;
  billed: "yes" | "no" | "maybe";
  /** ms */
  latencyMs: number;
  /** ms, as the provider asked */
  retryAfterMs: number | null;
  /** reach of the fault; absent: the model answered */
  reach?: FaultReach;
  /** absent: the fault named nothing that the list has */
  code?: FaultCode;
  /** absent: the fault was none of the network */
  network?: NetworkFault;
  /** what of the call this model did not take; absent: it took everything */
  notes?: string[];
  /** what the attempt used, as counted or estimated; absent: nothing is known, or nothing was used */
  usage?: Usage;
  /** what the call was charged for the attempt; null: no known price; absent: not charged yet */
  costMicroUsd?: number | null;
}

/** A credential whose key its provider refused, as a call had read the credential. */
export interface RefusedKey {
  credentialId: string;
  /** `updatedAt` of the credential as it was read: a key that was put in place since is not the one that was refused */
  readAt: number;
}

/** The provider does not know the key. */
export const isKeyRefused = ({ fault, status, code }: Attempt): boolean =>
  fault === "auth" && (status === 401 || code === "invalid_key");

const lastingCodes: ReadonlySet<FaultCode> = new Set([
  "invalid_key",
  "no_credit",
  "spend_limit",
  "account_blocked",
  "country_not_supported",
]);

/** The fault lasts beyond the call, so that nothing in its reach can answer. */
export const isLasting = ({
  fault,
  status,
  code,
}: Pick<Attempt, "fault" | "status" | "code">): boolean =>
  fault === "unopenable" ||
  (fault === "auth" && status === 401) ||
  (code !== undefined && lastingCodes.has(code));

/** Statuses below 500 after which a repetition may succeed. After the others somebody has to change something. */
const passing = new Set([200, 408, 409, 425, 429]);

export const statusMayPass = (status: number | null): boolean =>
  status === null || status >= 500 || passing.has(status);

/** The call has what this model's wire has no place for, so nothing was sent. */
const isNotSent = ({ fault, status }: Pick<Attempt, "fault" | "status">): boolean =>
  fault === "invalid_request" && status === null;

/** The provider refused what its own model wrote, and the model may write something else next time. */
const isOwnSlip = ({ fault }: Pick<Attempt, "fault">): boolean =>
  fault === "wrong_tool_use" || fault === "not_json";

/** Whether the same call may succeed later. A refused key makes a call go elsewhere, and is refused again later. */
export const mayPass = (attempt: Attempt): boolean =>
  attempt.retryable &&
  attempt.reach !== "request" &&
  !isLasting(attempt) &&
  !isNotSent(attempt) &&
  (statusMayPass(attempt.status) || isOwnSlip(attempt));

export const summaryOf = (attempt: Attempt): AttemptSummary => {
  const { provider, model, status, fault, code, network } = attempt;
  const summary: AttemptSummary = { provider, model, status, retryable: mayPass(attempt) };
  if (code !== undefined) summary.code = code;
  if (network !== undefined) summary.network = network;
  const says = fault === "unopenable" || isNotSent(attempt) || (status === 200 && fault !== null);
  return says ? { ...summary, fault } : summary;
};
