/** The details of a refusal, which records store as a name, a sentence, or JSON. Pure, for tests. */
import { isObject, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { capabilityText } from "../capability-text.ts";
import { count, time, spaced } from "../format.ts";
import { exclusionText } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

type Refused = Pick<RequestRecord, "reason" | "reasonDetail" | "thinned">;

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

const detailText = ({ reason, reasonDetail, thinned }: Refused): string | null => {
  if (thinned)
    return `${count(thinned.requests)} requests, ${time(thinned.from)} – ${time(thinned.until)}`;
  const detail = parsedJson(reasonDetail ?? "");
  return isObject(detail) ? jsonText(reason, detail) : reasonDetail;
};

export function reasonText(record: Refused): string {
  const detail = detailText(record);
  if (record.reason === null) return "";
  return detail === null ? spaced(record.reason) : `${spaced(record.reason)}: ${detail}`;
}
