/** Ids in ambiguous texts, if every parser agrees on them. */
import { parsedJson } from "../../domain/json.ts";
import { type RequestId, isId, parsedId } from "./exact-ids.ts";
import { lookalike, rules } from "./decisive-keys.ts";
import { elementsOf, membersOf, whole, type Member } from "./raw-json.ts";

const rule = rules.message;
const meant = ({ key }: Member): string | undefined =>
  rule.names.has(key) ? key : lookalike(rule, key);

const answering = ["result", "error"];

/** Expects valid JSON. */
function messagesIn(text: string): Member[][] {
  const span = whole(text);
  const spans = text[span.start] === "[" ? elementsOf(text, span) : [span];
  return spans.flatMap((each) => (text[each.start] === "{" ? [membersOf(text, each)] : []));
}

/** Whether any parser may find an answer, even in invalid JSON. */
export function mayAnswer(text: string): boolean {
  if (parsedJson(text) === undefined) return true;
  return messagesIn(text).some((members) =>
    members.some((member) => answering.includes(meant(member) ?? "")),
  );
}

/**
 * Ids of requests or answers in valid JSON, including batches. Ids that are duplicated or respelled are
 * omitted.
 */
export function certainIds(text: string, readAs: "request" | "answer"): RequestId[] {
  const kinds = readAs === "request" ? ["method"] : answering;
  return messagesIn(text).flatMap((members): RequestId[] => {
    const ids = members.filter((member) => meant(member) === "id");
    const [first] = ids;
    const isMeant = members.some((member) => kinds.includes(meant(member) ?? ""));
    if (!isMeant || first === undefined || ids.length > 1 || first.key !== "id") return [];
    const id = parsedId(text.slice(first.value.start, first.value.end));
    return isId(id) ? [id] : [];
  });
}
