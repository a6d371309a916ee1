/** Unsupported keywords are dropped, so a schema may become looser, never stricter. */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { aliasOf } from "./names.ts";
import type { WireRules } from "./rules.ts";
import { inModernWords } from "./schema-keywords.ts";
import { withPlainReferences } from "./schema-references.ts";
import { plainRoot, referencedSchema } from "./schema-root.ts";
import { shortHash } from "./short-hash.ts";

const aliasLength = 64;

export interface FitSchema {
  schema: JsonObject;
  loosened: boolean;
  names: ReadonlyMap<string, string>;
}

const isOfType = (schema: JsonObject, type: string): boolean => {
  const named = own(schema, "type");
  return named === type || (Array.isArray(named) && named.includes(type));
};

/** Keywords with a schema, list of schemas, map of schemas, property names, or values. */
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const single = words(
  "items contains unevaluatedItems additionalProperties unevaluatedProperties propertyNames not if then else",
);
const listed = words("anyOf oneOf allOf prefixItems");
const keyed = words("$defs definitions patternProperties");
const keyedByProperty = words("properties dependentSchemas dependentRequired dependencies");
const values = words("const enum default examples");

interface Walk {
  root: JsonObject;
  rules: Pick<WireRules, "propertyName" | "schemaRoot" | "references" | "formats">;
  names: Map<string, string>;
  hoisted: Map<JsonValue, string>;
  naming: JsonObject[];
  loosened: boolean;
}

function nameFor(name: string, { rules, names }: Walk): string {
  if (rules.propertyName.test(name)) return name;
  const alias = aliasOf(name, { length: aliasLength });
  names.set(alias, name);
  return alias;
}

function withKeys(value: JsonValue, nameOf: (key: string) => string): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withKeys(item, nameOf));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [nameOf(key), withKeys(member, nameOf)]),
  );
}

export const renamedKeys = <Value extends JsonValue>(
  value: Value,
  names: ReadonlyMap<string, string>,
): Value => (names.size === 0 ? value : (withKeys(value, (key) => names.get(key) ?? key) as Value));

/** Other references may break when the schema is converted. */
const lasting = /^#(\/(\$defs|definitions)\/[\w.-]+)?$/;

function withReference(schema: JsonObject, walk: Walk): JsonObject {
  const { $ref, $dynamicRef, $recursiveRef, ...rest } = schema;
  const isDynamic = $dynamicRef !== undefined || $recursiveRef !== undefined;
  if ($ref === undefined && !isDynamic) return schema;
  const target = referencedSchema(walk.root, $ref);
  if (target === undefined || isDynamic) {
    walk.loosened = true;
    const { unevaluatedProperties: _, unevaluatedItems: __, ...open } = rest;
    return target === undefined ? open : withReference({ ...open, $ref: $ref ?? "#" }, walk);
  }
  if (typeof $ref !== "string" || lasting.test($ref)) return schema;
  const name = walk.hoisted.get(target) ?? `at_${shortHash($ref, 10)}`;
  walk.hoisted.set(target, name);
  return { ...rest, $ref: `#/$defs/${name}` };
}

function described(property: JsonValue, name: string): JsonValue {
  if (!isObject(property)) return property;
  const description = own(property, "description");
  const descriptionText = typeof description === "string" ? ` ${description}` : "";
  return { ...property, description: `Named "${name}".${descriptionText}` };
}

function fitMember([key, member]: [string, JsonValue], walk: Walk): JsonValue {
  const nameOf = (name: string): string => nameFor(name, walk);
  if (single.has(key)) return fitIn(member, walk);
  if (listed.has(key) && Array.isArray(member)) return member.map((each) => fitIn(each, walk));
  if (values.has(key)) return withKeys(member, nameOf);
  const renames = (each: JsonValue): JsonValue => (typeof each === "string" ? nameOf(each) : each);
  if (key === "required" && Array.isArray(member)) return member.map(renames);
  if (!isObject(member) || !(keyed.has(key) || keyedByProperty.has(key))) return member;
  const entries = Object.entries(member).map(([name, each]): [string, JsonValue] => {
    const alias = keyed.has(key) ? name : nameOf(name);
    if (Array.isArray(each)) return [alias, each.map(renames)];
    const fit = fitIn(each, walk);
    return [alias, alias === name || key !== "properties" ? fit : described(fit, name)];
  });
  return Object.fromEntries(entries);
}

function fitIn(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { schema: modern, loses } = inModernWords(value);
  walk.loosened ||= loses;
  const { format, ...unformatted } = withReference(modern, walk);
  const { formats } = walk.rules;
  const isLost = formats !== null && typeof format === "string" && !formats.includes(format);
  walk.loosened ||= isLost;
  const schema = isLost || format === undefined ? unformatted : { ...unformatted, format };
  const fit: JsonObject = Object.fromEntries(
    Object.entries(schema).map((entry) => [entry[0], fitMember(entry, walk)]),
  );
  if (Array.isArray(fit["required"]) && fit["required"].length === 0) delete fit["required"];
  if (isOfType(fit, "array") && own(fit, "items") === undefined) fit["items"] = {};
  if (isOfType(fit, "object") && own(fit, "properties") === undefined) fit["properties"] = {};
  if ("propertyNames" in fit || "patternProperties" in fit) walk.naming.push(fit);
  return fit;
}

function admitAliases({ naming, names }: Walk): void {
  const aliases = [...names.keys()];
  if (aliases.length === 0) return;
  for (const schema of naming) {
    const { propertyNames, patternProperties } = schema;
    if (isObject(propertyNames))
      schema["propertyNames"] = { anyOf: [propertyNames, { enum: aliases }] };
    if (isObject(patternProperties))
      schema["patternProperties"] = { ...patternProperties, [`^(${aliases.join("|")})$`]: {} };
  }
}

export function fitSchema(given: JsonObject, rules: Walk["rules"]): FitSchema {
  const { $schema: _, ...bare } = given;
  const root =
    rules.schemaRoot === "plain" || own(bare, "type") === undefined
      ? plainRoot(bare)
      : { schema: bare, loosened: false };
  const names = new Map<string, string>();
  const { loosened } = root;
  const walk: Walk = { root: bare, rules, names, hoisted: new Map(), naming: [], loosened };
  const schema = fitIn(root.schema, walk) as JsonObject;
  const defs = new Map<string, JsonValue>();
  // Hoisted schemas may contain further references.
  for (const [target, name] of walk.hoisted) defs.set(name, fitIn(target, walk));
  if (defs.size > 0)
    schema["$defs"] = { ...(own(schema, "$defs") as JsonObject), ...Object.fromEntries(defs) };
  admitAliases(walk);
  const plain = rules.references === "plain" ? withPlainReferences(schema) : null;
  return {
    schema: plain?.schema ?? schema,
    loosened: walk.loosened || plain?.loosened === true,
    names,
  };
}
