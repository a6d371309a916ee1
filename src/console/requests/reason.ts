/** The details of a refusal, which records store as a name, a sentence, or JSON. Pure, for tests. */
import { isObject, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { capabilityText } from "../capability-text.ts";
import { count, time, spaced } from "../format.ts";
import { exclusionText } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

type Attempt = Pick<RequestRecord["attempts"][number], "code" | "fault">;
type Refused = Pick<RequestRecord, "reason" | "reasonDetail" | "omitted">;

const plain = (value: JsonValue): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const excludedText = (counts: JsonObject): string =>
  Object.entries(counts)
    .map(([reason, models]) => `${plain(models)} × ${exclusionText(reason)}`)
    .join(", ");

function jsonText(reason: string | null, detail: JsonObject): string {
  if (reason === "no_eligible_model") return excludedText(detail) || "no known model";
  if (reason === "capability_missing") return capabilityText(detail);
  return Object.entries(detail)
    .map(([name, value]) => `${exclusionText(name)}: ${[value].flat().map(plain).join(", ")}`)
    .join(", ");
}

const detailText = ({ reason, reasonDetail, omitted }: Refused): string | null => {
  if (omitted)
    return `${count(omitted.requests)} requests, ${time(omitted.from)} – ${time(omitted.until)}`;
  const detail = parsedJson(reasonDetail ?? "");
  return isObject(detail) ? jsonText(reason, detail) : reasonDetail;
};

/** Also of models that failed before another one answered. */
export function errorText({
  reason,
  attempts,
}: Pick<RequestRecord, "reason"> & { attempts: readonly Attempt[] }): string {
  const faults = attempts.flatMap(({ code, fault }) => (fault === null ? [] : [code ?? fault]));
  return [...new Set([...(reason === null ? [] : [reason]), ...faults])].map(spaced).join(", ");
}

export function reasonText(record: Refused): string {
  const detail = detailText(record);
  if (record.reason === null) return "";
  return detail === null ? spaced(record.reason) : `${spaced(record.reason)}: ${detail}`;
}

/** What became of a request, in a line. */
export function verdictText(record: Refused & Pick<RequestRecord, "attempts" | "outcome">): string {
  const { attempts, outcome } = record;
  const reason = reasonText(record);
  if (reason !== "") return reason;
  const answered = attempts.find(({ fault }) => fault === null);
  if (answered === undefined)
    return attempts.length === 0 || outcome === "admitted" ? "" : "No model answered";
  const failed = attempts.length - 1;
  const after = failed === 0 ? "" : ` after ${failed} failed attempt${failed === 1 ? "" : "s"}`;
  return `${answered.provider}/${answered.model} answered${after}`;
}
