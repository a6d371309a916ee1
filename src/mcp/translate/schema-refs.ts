/**
 * Nests a JSON Schema in a property of another as text, adjusting references by path. Source: JSON Schema
 * 2020-12 core, sections 8.2 and 9.4; comments name older dialects.
 */
import { isObject, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { elementsOf, membersOf, whole, type Span } from "../json-text/raw-json.ts";

/** A JSON Pointer. */
export const movedTo = "#/properties/result";

/** Keywords with data, which contain no references. */
const dataKeywords = new Set(["const", "enum", "default", "examples"]);
/** Keywords with named schemas, whose names may look like keywords. */
const mapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Deeper schemas are left alone. */
const maxDepth = 64;
const dialect2019 = /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/;

/** `$id` changes the base of references unless it only names an anchor. */
const isBase = (id: JsonValue | undefined): boolean =>
  id !== undefined && !(typeof id === "string" && id.startsWith("#"));

interface Edit extends Span {
  text: string;
}

const pointer = (text: string): string | null => {
  const value = JSON.parse(text) as JsonValue;
  if (typeof value !== "string" || !(value === "#" || value.startsWith("#/"))) return null;
  return JSON.stringify(movedTo + value.slice(1));
};

/** `$recursiveRef` of 2019-09 without `$recursiveAnchor` at the root. */
function withoutRecursion(text: string, members: ReturnType<typeof membersOf>): Edit[] {
  const member = members.find(({ key }) => key === "$recursiveRef");
  if (member === undefined || text.slice(member.value.start, member.value.end) !== '"#"') return [];
  const plain = JSON.stringify({ $ref: movedTo });
  if (!members.some(({ key }) => key === "$ref"))
    return [{ start: member.start, end: member.end, text: plain.slice(1, -1) }];
  const all = members.find(({ key }) => key === "allOf");
  if (all === undefined)
    return [{ start: member.start, end: member.end, text: `"allOf":[${plain}]` }];
  const isEmpty = elementsOf(text, all.value).length === 0;
  const end = all.value.end - 1;
  const at = members.indexOf(member);
  const next = members[at + 1];
  return [
    // Includes one comma.
    next === undefined
      ? { start: members[at - 1]?.end ?? member.start, end: member.end, text: "" }
      : { start: member.start, end: next.start, text: "" },
    { start: end, end, text: isEmpty ? plain : `,${plain}` },
  ];
}

function editsIn(
  text: string,
  span: Span,
  at: { names: boolean; depth: number; recursive: boolean },
): Edit[] {
  const { names, recursive } = at;
  const depth = at.depth + 1;
  if (depth > maxDepth) return [];
  if (text[span.start] === "[")
    return elementsOf(text, span).flatMap((element) =>
      editsIn(text, element, { names: false, depth, recursive }),
    );
  if (text[span.start] !== "{") return [];
  const members = membersOf(text, span);
  if (names)
    return members.flatMap(({ value }) => editsIn(text, value, { names: false, depth, recursive }));
  const valueOf = ({ value }: { value: Span }): string => text.slice(value.start, value.end);
  const id = members.findLast(({ key }) => key === "$id");
  if (id !== undefined && isBase(JSON.parse(valueOf(id)) as JsonValue)) return [];
  const edits = recursive ? withoutRecursion(text, members) : [];
  for (const member of members) {
    const { key, value } = member;
    if (dataKeywords.has(key)) continue;
    if (key === "$ref" || key === "$dynamicRef") {
      const moved = pointer(valueOf(member));
      if (moved !== null) edits.push({ ...value, text: moved });
    } else edits.push(...editsIn(text, value, { names: mapKeywords.has(key), depth, recursive }));
  }
  return edits;
}

/** @param text an object */
export function movedSchema(text: string): string {
  const schema = JSON.parse(text) as JsonValue;
  if (!isObject(schema)) return text;
  const recursive =
    typeof schema["$schema"] === "string" &&
    dialect2019.test(schema["$schema"]) &&
    schema["$recursiveAnchor"] !== true;
  const edits = editsIn(text, whole(text), { names: false, depth: 0, recursive });
  let out = "";
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}

/** Older clients require an object's schema. */
export const isObjectSchema = (schema: JsonObject): boolean => schema["type"] === "object";
