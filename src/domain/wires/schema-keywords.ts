/** Converts schemas to JSON Schema 2020-12, which every wire accepts. */
import { isObject, type JsonObject, type JsonValue } from "../json.ts";

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

const isText = (value: JsonValue): boolean => typeof value === "string";
const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
const isNumber = (value: JsonValue): boolean => typeof value === "number";
const isCount = (value: JsonValue): boolean => Number.isInteger(value) && Number(value) >= 0;
const isSchema = (value: JsonValue): boolean => isObject(value) || isFlag(value);
const areSchemas = (value: JsonValue): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isSchema);
const areNames = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const byName = (fits: (value: JsonValue) => boolean) => (value: JsonValue) =>
  isObject(value) && Object.values(value).every((each) => each !== undefined && fits(each));

const forms: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ...["title", "description", "format", "pattern", "$ref", "$comment"].map(
    (key) => [key, isText] as const,
  ),
  ...["uniqueItems", "readOnly", "writeOnly", "deprecated"].map((key) => [key, isFlag] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map(
    (key) => [key, isNumber] as const,
  ),
  ...["Length", "Items", "Properties", "Contains"].flatMap((of) => [
    [`min${of}`, isCount] as const,
    [`max${of}`, isCount] as const,
  ]),
  ...["not", "if", "then", "else", "items", "contains", "propertyNames"].map(
    (key) => [key, isSchema] as const,
  ),
  ...["additionalProperties", "unevaluatedProperties", "unevaluatedItems"].map(
    (key) => [key, isSchema] as const,
  ),
  ...["anyOf", "oneOf", "allOf", "prefixItems"].map((key) => [key, areSchemas] as const),
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"].map(
    (key) => [key, byName(isSchema)] as const,
  ),
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["enum", Array.isArray],
  ["required", areNames],
  ["dependentRequired", byName(areNames)],
  [
    "type",
    (value) =>
      Array.isArray(value)
        ? value.length > 0 && areKnown(value) && areNames(value)
        : areKnown([value]),
  ],
]);

const areKnown = (values: readonly JsonValue[]): boolean =>
  values.every((value) => typeof value === "string" && types.has(value));

/** Draft-04's boolean `exclusiveMinimum`, and earlier tuple syntax. */
function modern(schema: JsonObject): JsonObject {
  const fit = { ...schema };
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof fit[exclusive] !== "boolean") continue;
    const limit = fit[bound];
    if (fit[exclusive] && limit !== undefined) {
      fit[exclusive] = limit;
      delete fit[bound];
    } else delete fit[exclusive];
  }
  const { items, additionalItems, ...rest } = fit;
  if (!Array.isArray(items)) return fit;
  const prefix = items.length === 0 ? {} : { prefixItems: items };
  return { ...rest, ...prefix, items: additionalItems ?? {} };
}

const addresses: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
]);

/** `loses`: an invalid keyword was dropped, for example `"required": true`. */
export function inModernWords(given: JsonObject): { schema: JsonObject; loses: boolean } {
  const schema = modern(given);
  const known = Object.entries(schema).filter(([key]) => !addresses.has(key));
  const kept = known.filter(([key, value]) => forms.get(key)?.(value) !== false);
  return { schema: Object.fromEntries(kept), loses: kept.length < known.length };
}
