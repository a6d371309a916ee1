/** Forms and queries of callers without a key. Parsing takes quadratic time, so the size is checked first. */
import { boundedUrl } from "./bounded-url.ts";
import type { Refusal } from "./refusals.ts";
import { err, ok, type Result } from "./result.ts";

export const maxFormBytes = 16 * 1024;
const maxFields = 64;
const urlFields = ["client_id", "redirect_uri", "resource"];

const tooLarge: Refusal = {
  reason: "bad_request",
  detail: `A form or query has at most ${maxFields} fields and 16 kB.`,
};

function hasTooManyFields(form: string): boolean {
  let fields = 1;
  for (let at = form.indexOf("&"); at !== -1; at = form.indexOf("&", at + 1))
    if ((fields += 1) > maxFields) return true;
  return false;
}

const isTooLong = (value: string): boolean =>
  value.includes(":") && boundedUrl(value) === null && URL.canParse(value);

/** @param form `application/x-www-form-urlencoded`, or a query without its question mark */
export function fieldsIn(form: string): Result<URLSearchParams, Refusal> {
  if (form.length > maxFormBytes || hasTooManyFields(form)) return err(tooLarge);
  const fields = new URLSearchParams(form);
  const long = urlFields.find((name) => fields.getAll(name).some(isTooLong));
  return long === undefined
    ? ok(fields)
    : err({
        reason: "bad_request",
        detail: `A URL in ${long} has at most 2,048 characters, and its host at most 253.`,
      });
}
