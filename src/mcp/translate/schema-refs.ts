/**
 * Moves a JSON Schema into a property of another one, as text. References that point into the schema by path
 * move along, and everything else keeps its bytes. Source: JSON Schema 2020-12 core, sections 8.2 and 9.4.
 * Where an older dialect differs, the comment there says so.
 */
import { isObject, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { elementsOf, membersOf, whole, type Span } from "../json-text/raw-json.ts";

/** The new place of the schema, as a JSON Pointer. */
export const movedTo = "#/properties/result";

/** Values of these keywords are data, so what looks like a reference in there is none. */
const dataKeywords = new Set(["const", "enum", "default", "examples"]);
/** Values of these keywords are schemas by name, and such a name may look like a keyword. */
const mapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** No tool's output has a deeper schema. What lies deeper stays as it is. */
const maxDepth = 64;
const dialect2019 = /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/;

/** An `$id` makes its schema the base for references below it, unless the `$id` only names an anchor. */
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

/** Replaces `$recursiveRef` of 2019-09 by what it means where the root has no `$recursiveAnchor`. */
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
    // Takes the comma on one side along.
    next === undefined
      ? { start: members[at - 1]?.end ?? member.start, end: member.end, text: "" }
      : { start: member.start, end: next.start, text: "" },
    { start: end, end, text: isEmpty ? plain : `,${plain}` },
  ];
}

/** Every change below `span`. */
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

/** The text of a schema, which must be an object, for the place `movedTo`. */
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

/** Whether an older client takes a tool's output schema: it must be an object's. */
export const isObjectSchema = (schema: JsonObject): boolean => schema["type"] === "object";
