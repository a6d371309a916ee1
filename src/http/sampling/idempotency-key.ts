/** The caller's idempotency key: in a header, or in the request's metadata where SDKs drop headers. */
import { own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";

const header = "Idempotency-Key";
const member = "sampling-router/idempotencyKey";
const mostCharacters = 255;

const wrong = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

export function idempotencyKeyOf(
  headers: Pick<Headers, "get">,
  params: JsonObject,
): Result<string | null, Refusal> {
  const path = `metadata.${member}`;
  // Null means absent, as everywhere in the params.
  const said = own(own(params, "metadata"), member) ?? undefined;
  const sent = headers.get(header);
  if (said !== undefined && typeof said !== "string") return wrong(path, "must be a string");
  if (said !== undefined && sent !== null && said !== sent)
    return wrong(path, `differs from the header ${header}`);
  const key = sent ?? said;
  if (key === undefined) return ok(null);
  return key.length > 0 && key.length <= mostCharacters
    ? ok(key)
    : wrong(sent === null ? path : header, `must have 1 to ${mostCharacters} characters`);
}
