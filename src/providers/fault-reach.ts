/** Classifies a provider's error by status and body. Only codes of our own leave this file. */
import type { FaultCode, ProviderFault } from "../domain/attempts.ts";
import { own, type JsonValue } from "../domain/json.ts";
import type { Meaning, Row } from "./fault-row.ts";
import { faultRows } from "./fault-rows.ts";

const lower = (value: unknown): string[] =>
  typeof value === "string" ? [value.toLowerCase()] : [];

/** Some providers wrap the body or the error in a list. */
function errorIn(body: JsonValue | undefined): JsonValue | undefined {
  const listed = Array.isArray(body) ? body[0] : body;
  const error = own(listed, "error") ?? listed;
  return Array.isArray(error) ? error[0] : error;
}

/** OpenAI has `code` and `type`, Anthropic `type`, Google `status` and `reason`, Cloudflare `name` or a number. */
function namesIn(body: JsonValue | undefined): string[] {
  const error = errorIn(body);
  const code = own(error, "code");
  const details = own(error, "details");
  return [
    ...["code", "type", "status", "name"].flatMap((key) => lower(own(error, key))),
    ...lower(own(body, "name")),
    ...(typeof code === "number" ? [String(code)] : []),
    ...lower(own(details, "error_code")),
    ...(Array.isArray(details) ? details.flatMap((detail) => lower(own(detail, "reason"))) : []),
  ];
}

function messageIn(body: JsonValue | undefined): string {
  const error = errorIn(body);
  return lower(own(error, "message"))[0] ?? lower(error)[0] ?? "";
}

const says = (words: string | RegExp, message: string): boolean =>
  typeof words === "string" ? message.includes(words) : words.test(message);

const fitsStatus = (row: Row, status: number): boolean =>
  typeof row.status === "number"
    ? row.status === status
    : status >= row.status.from && status <= row.status.to;

/**
 * Numbers outside 400–599 count as faults of the endpoint.
 * @param error.body `undefined` if it wasn't JSON
 * @param error.model the provider's id of the model
 */
export function meaningOf(error: {
  provider?: string | undefined;
  /** the cloud that serves the provider's API */
  cloud?: string | undefined;
  model?: string | undefined;
  status: number;
  body: JsonValue | undefined;
}): Meaning & Pick<ProviderFault, "billed"> & { code?: FaultCode } {
  const { provider = "", cloud = provider, model, status } = error;
  const names = namesIn(error.body);
  const message = messageIn(error.body);
  const row = faultRows.find(
    (each) =>
      fitsStatus(each, status) &&
      (each.providers === undefined ||
        each.providers.some((of) => of === provider || of === cloud)) &&
      (each.names === undefined || each.names.some((name) => names.includes(name))) &&
      (each.says === undefined || says(each.says, message)) &&
      (each.namesModel === undefined ||
        (model !== undefined && message.includes(model.toLowerCase()))),
  );
  if (row === undefined)
    return { kind: "server", reach: "endpoint", retryable: true, billed: "no" };
  const { kind, reach, retryable, billed, code } = row;
  return { kind, reach, retryable, billed, ...(code === undefined ? {} : { code }) };
}
