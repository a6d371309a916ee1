/**
 * Gemini's reference rules. Source: https://ai.google.dev/api/generate-content#GenerationConfig, on JSON
 * Schema.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { referred } from "./schema-root.ts";

const values: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
const maps: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
]);
/** Keywords without effect on validation. */
const annotations: ReadonlySet<string> = new Set(
  "title description default examples deprecated readOnly writeOnly".split(" "),
);

const partsOf = (schema: JsonObject): JsonValue[] =>
  Object.entries(schema).flatMap(([key, member]) => {
    if (values.has(key)) return [];
    return maps.has(key) && isObject(member) ? Object.values(member) : [member].flat();
  });

function* referencesIn(value: JsonValue | undefined): Generator<string> {
  if (!isObject(value)) return;
  if (typeof value["$ref"] === "string") yield value["$ref"];
  for (const part of partsOf(value)) yield* referencesIn(part);
}

function circlesIn(root: JsonObject): ReadonlySet<string> {
  const next = new Map<string, ReadonlySet<string>>();
  const waiting = [...referencesIn(root)];
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (next.has(ref)) continue;
    const found = new Set(referencesIn(referred(root, ref)));
    next.set(ref, found);
    waiting.push(...found);
  }
  const leadsBack = (from: string): boolean => {
    const seen = new Set<string>();
    const open = [from];
    for (let ref = open.pop(); ref !== undefined; ref = open.pop())
      for (const each of next.get(ref) ?? []) {
        if (each === from) return true;
        if (!seen.has(each)) open.push(each);
        seen.add(each);
      }
    return false;
  };
  return new Set([...next.keys()].filter(leadsBack));
}

export function withPlainReferences(root: JsonObject): { schema: JsonObject; loosened: boolean } {
  if (!JSON.stringify(root).includes('"$ref"')) return { schema: root, loosened: false };
  const circles = circlesIn(root);
  let loosened = false;
  const hasCircle = (value: JsonValue | undefined): boolean =>
    [...referencesIn(value)].some((ref) => circles.has(ref));
  const fit = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(fit);
    if (!isObject(value)) return value;
    if (typeof value["$ref"] === "string") {
      const beside = Object.keys(value).filter((key) => !key.startsWith("$"));
      loosened ||= beside.some((key) => !annotations.has(key));
      return Object.fromEntries(Object.entries(value).filter(([key]) => !beside.includes(key)));
    }
    const { required } = value;
    const kept = Array.isArray(required)
      ? required.filter(
          (name) => typeof name !== "string" || !hasCircle(own(own(value, "properties"), name)),
        )
      : required;
    loosened ||= Array.isArray(kept) && Array.isArray(required) && kept.length < required.length;
    const members = Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (values.has(key) || key === "required") return [key, member];
      if (!maps.has(key) || !isObject(member)) return [key, fit(member)];
      const each = Object.entries(member).map(([name, schema]) => [name, fit(schema)]);
      return [key, Object.fromEntries(each) as JsonObject];
    });
    const isOpen = Array.isArray(kept) && kept.length === 0;
    const { required: _, ...rest } = Object.fromEntries(members);
    return kept === undefined || isOpen ? rest : { ...rest, required: kept };
  };
  return { schema: fit(root) as JsonObject, loosened };
}
