/**
 * The only error that the libraries throw. SDKs send `code`, `message` and `data` as a JSON-RPC error. For the
 * router's refusals, see docs/errors.md.
 */
import { isObject, own } from "../domain/json.ts";

/** Reasons of the libraries; all others are the router's. */
export type LocalReason =
  /** no answer from a router */
  | "unreachable"
  /** `timeoutMs` has passed */
  | "timed_out"
  /** aborted by the caller's signal */
  | "cancelled"
  /** the mode requires the client, and this request can't reach it */
  | "client_out_of_reach"
  /** the client's answer is not a sampling result */
  | "invalid_answer"
  /** the state does not belong to this request */
  | "state_invalid"
  /** earlier answers exceed 64 KiB */
  | "state_too_large";

const codes: Record<LocalReason, number> = {
  unreachable: -503,
  timed_out: -504,
  cancelled: -499,
  client_out_of_reach: -32602,
  invalid_answer: -502,
  state_invalid: -32602,
  state_too_large: -413,
};

export class SamplingError extends Error {
  override readonly name = "SamplingError";
  /** a reason in docs/errors.md, or a `LocalReason` */
  readonly reason: string;
  /** JSON-RPC error code */
  readonly code: number;
  /** whether the same request may succeed later */
  readonly retryable: boolean;
  /** ms */
  readonly retryAfterMs: number | null;
  /** id of the audit record, if known */
  readonly requestId: string | null;
  readonly data: Record<string, unknown>;

  constructor(message: string, code: number, data: Record<string, unknown>) {
    super(message);
    const { reason, retryable, retryAfterMs, requestId } = data;
    this.reason = typeof reason === "string" ? reason : "unreachable";
    this.code = code;
    this.retryable = retryable === true;
    this.retryAfterMs = typeof retryAfterMs === "number" ? retryAfterMs : null;
    this.requestId = typeof requestId === "string" ? requestId : null;
    this.data = data;
  }
}

export const localError = (reason: LocalReason, message: string): SamplingError =>
  new SamplingError(message, codes[reason], {
    reason,
    retryable: reason === "unreachable" || reason === "timed_out",
  });

/** From a JSON-RPC error or `application/problem+json`; null: neither. */
export function refusalIn(body: unknown): SamplingError | null {
  const error = own(body, "error");
  const code = own(error, "code");
  const message = own(error, "message");
  if (typeof code === "number" && typeof message === "string") {
    const data = own(error, "data");
    return new SamplingError(message, code, isObject(data) ? data : {});
  }
  const status = own(body, "status");
  const title = own(body, "title");
  if (!isObject(body) || typeof status !== "number" || typeof own(body, "reason") !== "string")
    return null;
  const text = [own(body, "detail"), title].find((each) => typeof each === "string");
  return new SamplingError(typeof text === "string" ? text : "Refused", -status, body);
}
