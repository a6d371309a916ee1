import { maxMessageLevels } from "../domain/depth.ts";
import { isId, parsedMessages, type RequestId } from "./json-text/exact-ids.ts";
import { structureFault } from "./structure.ts";
import { isObject, type JsonObject } from "../domain/json.ts";
import { explain } from "../domain/refusal-messages.ts";
import { dataOf, type Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";

export type Incoming =
  | { kind: "request"; id: RequestId; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject }
  | { kind: "response" };

export interface Envelope {
  batch: boolean;
  messages: Result<Incoming, { id: RequestId | null; refusal: Refusal }>[];
}

const maxBatch = 50;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Invalid UTF-8 is invalid JSON. */
function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return "";
  }
}

const idOf = (value: unknown): RequestId | null => {
  const id = isObject(value) ? value["id"] : null;
  return isId(id) && (typeof id !== "number" || Number.isSafeInteger(id)) ? id : null;
};

function messageOf(value: unknown): Envelope["messages"][number] {
  const refuse = (detail: string): Envelope["messages"][number] =>
    err({ id: idOf(value), refusal: { reason: "invalid_request", detail } });
  if (!isObject(value)) return refuse("A message is an object.");
  if (value["jsonrpc"] !== "2.0") return refuse('"jsonrpc" is "2.0".');
  const params = value["params"] ?? {};
  const id = idOf(value);
  if ("method" in value) {
    const { method } = value;
    if (!isObject(params)) return refuse('"params" is an object.');
    if ("id" in value)
      return id === null || typeof method !== "string"
        ? refuse('"id" is a string or an integer, "method" a string.')
        : ok({ kind: "request", id, method, params });
    return typeof method === "string"
      ? ok({ kind: "notification", method, params })
      : refuse('"method" is a string.');
  }
  const isResponse = id !== null && ("result" in value || "error" in value);
  return isResponse ? ok({ kind: "response" }) : refuse("Neither a method, a result nor an error.");
}

export function parseEnvelope(bytes: Uint8Array): Result<Envelope, Refusal> {
  // Protects parsers and recursive libraries.
  const detail = structureFault(bytes, maxMessageLevels);
  if (detail !== null) return err({ reason: "invalid_request", detail });
  const value = parsedMessages(textOf(bytes));
  if (value === undefined) return err({ reason: "parse_error" });
  if (!Array.isArray(value)) return ok({ batch: false, messages: [messageOf(value)] });
  if (value.length === 0) return err({ reason: "invalid_request", detail: "An empty batch." });
  if (value.length > maxBatch)
    return err({
      reason: "invalid_request",
      detail: `A batch holds at most ${maxBatch} messages.`,
    });
  return ok({ batch: true, messages: value.map(messageOf) });
}

export const resultMessage = (id: RequestId, result: unknown): Record<string, unknown> => ({
  jsonrpc: "2.0",
  id,
  result,
});

/**
 * Omits an unknown id, since the schemas don't allow `null` and Streamable HTTP has errors without an id.
 * `requestId` names the audit record or HTTP request.
 */
export const errorMessage = (
  id: RequestId | null,
  refusal: Refusal,
  code: number,
  requestId: string,
): Record<string, unknown> => ({
  jsonrpc: "2.0",
  ...(id === null ? {} : { id }),
  error: {
    code,
    message: explain(refusal),
    data: { ...dataOf(refusal), requestId },
  },
});
