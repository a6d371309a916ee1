/** No other validation: a caller's `pattern` could take unbounded time. */
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../json.ts";
import { referencedSchema } from "./schema-root.ts";

type Schema = JsonValue | undefined;

const maxSteps = 8;

/** Own members take precedence over the referenced schema's. */
function inlined(root: JsonObject, schema: JsonObject, steps = maxSteps): JsonObject {
  const target = referencedSchema(root, own(schema, "$ref"));
  if (!isObject(target) || steps === 0) return schema;
  const { $ref: _, ...rest } = schema;
  return { ...inlined(root, target, steps - 1), ...rest };
}

function typesOf(schema: Schema, root: JsonObject, steps = maxSteps): ReadonlySet<string> | null {
  if (!isObject(schema) || steps === 0) return null;
  const whole = inlined(root, schema);
  const type = own(whole, "type");
  if (type !== undefined) return new Set([type].flat().map(String));
  const branches = own(whole, "anyOf") ?? own(whole, "oneOf");
  if (!Array.isArray(branches)) return null;
  const types = branches.map((branch) => typesOf(branch, root, steps - 1));
  return types.includes(null) ? null : new Set(types.flatMap((each) => [...(each ?? [])]));
}

function takes(types: ReadonlySet<string>, value: JsonValue): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  return types.has(typeof value) || (Number.isInteger(value) && types.has("integer"));
}

function meant(value: JsonValue, schema: Schema, root: JsonObject): JsonValue {
  if (typeof value === "string") {
    const types = typesOf(schema, root);
    if (types === null || types.has("string")) return value;
    const read = parsedJson(value);
    return read !== undefined && takes(types, read) ? meant(read, schema, root) : value;
  }
  if (typeof value !== "object" || value === null || !isObject(schema)) return value;
  const whole = inlined(root, schema);
  if (Array.isArray(value)) {
    const items = own(whole, "items");
    return items === undefined ? value : value.map((item) => meant(item, items, root));
  }
  const properties = own(whole, "properties");
  if (properties === undefined) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    meant(member, own(properties, name), root),
  ]);
  return Object.fromEntries(members) as JsonObject;
}

export const parseStringifiedInput = (input: JsonObject, schema: JsonObject): JsonObject =>
  meant(input, schema, schema) as JsonObject;
