/** The details of a refusal, which records store as a name, a sentence, or JSON. Pure, for tests. */
import { isObject, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { capabilityWords } from "../capability-words.ts";
import { count, time, words } from "../format.ts";
import { exclusionText } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

type Refused = Pick<RequestRecord, "reason" | "reasonDetail" | "thinned">;

const plain = (value: JsonValue): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const excludedWords = (counts: JsonObject): string =>
  Object.entries(counts)
    .map(([reason, models]) => `${plain(models)} × ${exclusionText(reason)}`)
    .join(", ");

function jsonWords(reason: string | null, detail: JsonObject): string {
  if (reason === "no_eligible_model") return excludedWords(detail) || "no known model";
  if (reason === "capability_missing") return capabilityWords(detail);
  return Object.entries(detail)
    .map(([name, value]) => `${exclusionText(name)}: ${[value].flat().map(plain).join(", ")}`)
    .join(", ");
}

const detailWords = ({ reason, reasonDetail, thinned }: Refused): string | null => {
  if (thinned)
    return `${count(thinned.requests)} requests, ${time(thinned.from)} – ${time(thinned.until)}`;
  const detail = parsedJson(reasonDetail ?? "");
  return isObject(detail) ? jsonWords(reason, detail) : reasonDetail;
};

/** The reason, and what it is about; "" for a request that succeeded. */
export function reasonText(record: Refused): string {
  const detail = detailWords(record);
  if (record.reason === null) return "";
  return detail === null ? words(record.reason) : `${words(record.reason)}: ${detail}`;
}
