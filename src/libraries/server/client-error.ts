/**
 * Converts SDK errors about an unanswered client request. SDK v1 always uses numeric codes; SDK v2's own errors use
 * strings.
 */
import { isObject, own } from "../../domain/json.ts";
import { localError, SamplingError } from "../sampling-error.ts";

/** codes of JSON-RPC and both SDKs */
const timedOut = new Set<unknown>([-32001, "REQUEST_TIMEOUT"]);
const invalidParams = -32602;
const methodNotFound = -32601;
const userRejected = -1;

const reasonOf = (code: number): string => {
  if (code === userRejected) return "user_rejected";
  return code === invalidParams ? "invalid_params" : "client_failed";
};

/** @param isCancelled the caller's or the request's signal aborted */
export function clientError(thrown: unknown, isCancelled: boolean): SamplingError {
  // Both SDKs report an abort as a timeout.
  if (isCancelled) return localError("cancelled", "The call was cancelled.");
  const code = own(thrown, "code");
  const data = own(thrown, "data");
  const thrownMessage = thrown instanceof Error ? thrown.message : String(thrown);
  // SDK v1 prepends the code.
  const message = thrownMessage.replace(/^MCP error -?\d+: /, "");
  if (timedOut.has(code)) return localError("timed_out", "The client did not answer in time.");
  if (code === "INVALID_RESULT") return localError("invalid_answer", message);
  if (typeof code !== "number" || code === methodNotFound)
    return localError("client_out_of_reach", message);
  // A client may itself use a router and pass on its refusal.
  const members = isObject(data) ? data : {};
  const given = own(members, "reason");
  const reason = typeof given === "string" ? given : reasonOf(code);
  return new SamplingError(message, code, { by: "client", ...members, reason });
}
