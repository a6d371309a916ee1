/** One provider call, as the audit record and a refusal tell it. */
import type { Usage } from "./usage.ts";

/**
 * What a fault speaks of: the next attempt goes to a candidate outside of it. `model` is that model under
 * that credential, since providers count rates for each of their accounts.
 */
export const faultReaches = ["model", "credential", "endpoint"] as const;
export type FaultReach = (typeof faultReaches)[number];

/**
 * What a provider's error names, in this list's words alone: `providers/fault-reach.ts` says from which
 * words of which provider each one is read, and never passes on a text of the provider's.
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
] as const;
export type FaultCode = (typeof faultCodes)[number];

export type FaultKind =
  | "rate_limit"
  | "server"
  | "network"
  | "timeout"
  | "auth"
  /** the key that is stored can't be opened, so nothing was called */
  | "unopenable"
  | "invalid_request"
  | "malformed"
  | "empty"
  /** an answer, but not the JSON that was asked for */
  | "not_json"
  /** an answer without the tool use that was required, or with one that was not offered */
  | "wrong_tool_use"
  | "cancelled";

/** What went wrong at a provider. Holds no text of the provider's: those carry keys and prompts. */
export interface ProviderFault {
  kind: FaultKind;
  /** HTTP status of the provider; null when there was none */
  status: number | null;
  retryable: boolean;
  /** ms, from the provider's Retry-After */
  retryAfterMs: number | null;
  /** may the provider have charged for it */
  billed: "no" | "maybe";
  reach: FaultReach;
  /** absent: the error named nothing that this list has */
  code?: FaultCode;
  /** what the provider counted, where an answer came that can't be used; null: nothing is known */
  usage: Usage | null;
}

export interface AttemptSummary {
  provider: string;
  model: string;
  status: number | null;
  retryable: boolean;
  /** of a success that was none, and of what was not called; absent: the status says it */
  fault?: FaultKind | null;
}

export interface Attempt extends AttemptSummary {
  credentialId: string;
  /** null for the attempt that answered */
  fault: FaultKind | null;
  billed: "yes" | "no" | "maybe";
  /** ms */
  latencyMs: number;
  /** ms, as the provider asked */
  retryAfterMs: number | null;
  /** of the fault; absent: it answered */
  reach?: FaultReach;
  /** absent: the fault named nothing that the list has */
  code?: FaultCode;
  /** what of the call this model did not take; absent: nothing */
  notes?: string[];
  /** what it used, as counted or estimated; absent: nothing is known, or nothing was used */
  usage?: Usage;
  /** what the call was charged for it; null: no known price; absent: it has not been charged yet */
  costMicroUsd?: number | null;
}

/** The provider does not know the key: nothing but a new one will help. */
export const isKeyRefused = ({ fault, status, code }: Attempt): boolean =>
  fault === "auth" && (status === 401 || code === "invalid_key");

export const summaryOf = (attempt: Attempt): AttemptSummary => {
  const { provider, model, status, retryable, fault } = attempt;
  const summary = { provider, model, status, retryable };
  const says = fault === "unopenable" || (status === 200 && fault !== null);
  return says ? { ...summary, fault } : summary;
};
