import { isObject, type JsonObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { ambiguityIn } from "../mcp/json-text/ambiguous.ts";
import type { Sender } from "../mcp/json-text/message-reader.ts";

const notJson: Refusal = { reason: "bad_request", detail: "The body is a JSON object in UTF-8." };

export function readObject(
  bytes: Uint8Array<ArrayBuffer>,
  sender: Sender,
): Result<JsonObject, Refusal> {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!isObject(value)) return err(notJson);
    const ambiguity = ambiguityIn(bytes, sender);
    return ambiguity === null ? ok(value) : err(ambiguity);
  } catch {
    return err(notJson);
  }
}
