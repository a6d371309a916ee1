/**
 * The one error that the libraries throw. An SDK sends its `code`, `message` and `data` on as a JSON-RPC error.
 * What the router refuses has the router's own members: see docs/errors.md.
 */
import { isObject, own } from "../domain/json.ts";

/** Reasons of the libraries themselves. All others are the router's. */
export type LocalReason =
  /** nothing that speaks for the router answered */
  | "unreachable"
  /** the deadline of `timeoutMs` passed */
  | "timed_out"
  /** the caller's signal ended the call */
  | "cancelled"
  /** the mode asks the client, and this request has no way to it */
  | "client_out_of_reach"
  /** a client answered sampling with something else */
  | "invalid_answer"
  /** the state that came back is none that `rounds` gave for this request */
  | "state_invalid"
  /** more than 64 KiB of earlier answers would have to travel */
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
  /** of the router's table, or a `LocalReason` */
  readonly reason: string;
  /** JSON-RPC */
  readonly code: number;
  /** whether the same request may succeed later */
  readonly retryable: boolean;
  /** ms; null: not known */
  readonly retryAfterMs: number | null;
  /** the audit record's id; null: there is no record that we know of */
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

/**
 * The refusal in an answer of the router: a JSON-RPC error, or `application/problem+json`. null: the answer
 * is something else.
 */
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
  const words = [own(body, "detail"), title].find((each) => typeof each === "string");
  return new SamplingError(typeof words === "string" ? words : "Refused", -status, body);
}
