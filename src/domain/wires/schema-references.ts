/**
 * Gemini's rules for `$ref`: no siblings except `$` keywords, and cycles only through optional properties. Source:
 * https://ai.google.dev/api/generate-content#GenerationConfig, `responseJsonSchema`.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { referencedSchema } from "./schema-root.ts";

const valueKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
const schemaMapKeywords: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
]);
/** Keywords without effect on validation. */
const annotationKeywords: ReadonlySet<string> = new Set(
  "title description default examples deprecated readOnly writeOnly".split(" "),
);

const subschemasOf = (schema: JsonObject): JsonValue[] =>
  Object.entries(schema).flatMap(([key, member]) => {
    if (valueKeywords.has(key)) return [];
    return schemaMapKeywords.has(key) && isObject(member) ? Object.values(member) : [member].flat();
  });

function* referencesIn(value: JsonValue | undefined): Generator<string> {
  if (!isObject(value)) return;
  if (typeof value["$ref"] === "string") yield value["$ref"];
  for (const subschema of subschemasOf(value)) yield* referencesIn(subschema);
}

function cyclicReferencesIn(root: JsonObject): ReadonlySet<string> {
  const next = new Map<string, ReadonlySet<string>>();
  const pending = [...referencesIn(root)];
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    if (next.has(ref)) continue;
    const found = new Set(referencesIn(referencedSchema(root, ref)));
    next.set(ref, found);
    pending.push(...found);
  }
  const reachesItself = (from: string): boolean => {
    const seen = new Set<string>();
    const unvisited = [from];
    for (let ref = unvisited.pop(); ref !== undefined; ref = unvisited.pop())
      for (const each of next.get(ref) ?? []) {
        if (each === from) return true;
        if (!seen.has(each)) unvisited.push(each);
        seen.add(each);
      }
    return false;
  };
  return new Set([...next.keys()].filter(reachesItself));
}

export function withPlainReferences(root: JsonObject): { schema: JsonObject; loosened: boolean } {
  if (!JSON.stringify(root).includes('"$ref"')) return { schema: root, loosened: false };
  const cyclic = cyclicReferencesIn(root);
  let loosened = false;
  const isCyclic = (value: JsonValue | undefined): boolean =>
    [...referencesIn(value)].some((ref) => cyclic.has(ref));
  const fit = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(fit);
    if (!isObject(value)) return value;
    if (typeof value["$ref"] === "string") {
      const siblings = Object.keys(value).filter((key) => !key.startsWith("$"));
      loosened ||= siblings.some((key) => !annotationKeywords.has(key));
      return Object.fromEntries(Object.entries(value).filter(([key]) => !siblings.includes(key)));
    }
    const { required } = value;
    const stillRequired = Array.isArray(required)
      ? required.filter(
          (name) => typeof name !== "string" || !isCyclic(own(own(value, "properties"), name)),
        )
      : required;
    loosened ||=
      Array.isArray(stillRequired) &&
      Array.isArray(required) &&
      stillRequired.length < required.length;
    const members = Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (valueKeywords.has(key) || key === "required") return [key, member];
      if (!schemaMapKeywords.has(key) || !isObject(member)) return [key, fit(member)];
      const fitted = Object.entries(member).map(([name, schema]) => [name, fit(schema)]);
      return [key, Object.fromEntries(fitted) as JsonObject];
    });
    const requiresNothing = Array.isArray(stillRequired) && stillRequired.length === 0;
    const { required: _, ...rest } = Object.fromEntries(members);
    return stillRequired === undefined || requiresNothing
      ? rest
      : { ...rest, required: stillRequired };
  };
  return { schema: fit(root) as JsonObject, loosened };
}
