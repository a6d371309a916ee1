/** The idempotency key from a header, or from metadata if an SDK drops headers. */
import { isObject, own, type JsonObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";

const header = "Idempotency-Key";
const member = "sampling-router/idempotencyKey";
const maxCharacters = 255;

const wrong = (path: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path, detail });

export function idempotencyKeyOf(
  headers: Pick<Headers, "get">,
  params: JsonObject,
): Result<string | null, Refusal> {
  const path = `metadata.${member}`;
  const keyInParams = own(own(params, "metadata"), member) ?? undefined;
  const sent = headers.get(header);
  if (keyInParams !== undefined && typeof keyInParams !== "string")
    return wrong(path, "must be a string");
  if (keyInParams !== undefined && sent !== null && keyInParams !== sent)
    return wrong(path, `differs from the header ${header}`);
  const key = sent ?? keyInParams;
  if (key === undefined) return ok(null);
  return key.length > 0 && key.length <= maxCharacters
    ? ok(key)
    : wrong(sent === null ? path : header, `must have 1 to ${maxCharacters} characters`);
}

/** The params without the key, for comparison. */
export function withoutIdempotencyKey(params: JsonObject): JsonObject {
  const metadata = own(params, "metadata");
  if (!isObject(metadata) || own(metadata, member) === undefined) return params;
  const { metadata: _, ...others } = params;
  const { [member]: _key, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? others : { ...others, metadata: rest };
}
