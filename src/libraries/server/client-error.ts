/**
 * What an SDK throws when the client that it asked gives no answer, as the error that the library promises. An
 * error of SDK v1 has a number as its code in any case, and one that SDK v2 throws by itself has a word.
 */
import { isObject, own } from "../../domain/json.ts";
import { localError, SamplingError } from "../sampling-error.ts";

/** JSON-RPC's codes, and those of both SDKs */
const timedOut = new Set<unknown>([-32001, "REQUEST_TIMEOUT"]);
const invalidParams = -32602;
const methodNotFound = -32601;
const userRejected = -1;

const reasonOf = (code: number): string => {
  if (code === userRejected) return "user_rejected";
  return code === invalidParams ? "invalid_params" : "client_failed";
};

/** @param isCancelled the caller's signal, or that of the request which is handled, has ended the call */
export function clientError(thrown: unknown, isCancelled: boolean): SamplingError {
  // Both SDKs throw a time-out when a signal aborts.
  if (isCancelled) return localError("cancelled", "The call was cancelled.");
  const code = own(thrown, "code");
  const data = own(thrown, "data");
  const thrownMessage = thrown instanceof Error ? thrown.message : String(thrown);
  // SDK v1 writes the code before the client's words.
  const message = thrownMessage.replace(/^MCP error -?\d+: /, "");
  if (timedOut.has(code)) return localError("timed_out", "The client did not answer in time.");
  if (code === "INVALID_RESULT") return localError("invalid_answer", message);
  if (typeof code !== "number" || code === methodNotFound)
    return localError("client_out_of_reach", message);
  // A client that samples by a router passes on what that router refused, with the router's reason.
  const members = isObject(data) ? data : {};
  const given = own(members, "reason");
  const reason = typeof given === "string" ? given : reasonOf(code);
  return new SamplingError(message, code, { by: "client", ...members, reason });
}
