/**
 * Schemas of tools in the form that a wire takes. What can't be said there is left out, so that a schema may become
 * looser and never stricter.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";
import { aliasOf } from "./names.ts";
import type { WireRules } from "./rules.ts";

const unions = ["anyOf", "oneOf", "allOf"] as const;
const refusedAtRoot = ["not", "enum", "const", "if", "then", "else", "dependentSchemas"] as const;
const aliasLength = 64;

export interface FitSchema {
  schema: JsonObject;
  /** what was lost is worth a note */
  loosened: boolean;
  /** by its alias, each name of a property that the wire refuses */
  names: ReadonlyMap<string, string>;
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

/** What a local reference names; undefined: nothing. */
function referred(root: JsonObject, reference: JsonValue | undefined): JsonValue | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  return reference
    .slice(2)
    .split("/")
    .reduce<JsonValue | undefined>((value, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return Array.isArray(value) ? value[Number(key)] : own(value, key);
    }, root);
}

/** A schema's own members over those of the schema that it refers to, at most so many steps deep. */
function inlined(root: JsonObject, schema: JsonObject, steps = 8): JsonObject {
  const target = referred(root, own(schema, "$ref"));
  if (!isObject(target) || target === schema || steps === 0) return schema;
  const { $ref: _, ...rest } = schema;
  return { ...inlined(root, target, steps - 1), ...rest };
}

/** Either of two schemas. */
const either = (one: JsonValue, other: JsonValue): JsonValue =>
  JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };

const requiredOf = (schema: JsonObject): string[] =>
  listOf(own(schema, "required")).filter((name) => typeof name === "string");

/**
 * A root without a union: its branches' properties become its own. What every branch requires stays required, and of
 * `allOf` what any does. `loosened`: more is valid than was.
 */
function plainRoot(root: JsonObject): { schema: JsonObject; loosened: boolean } {
  const whole = inlined(root, root);
  let loosened = false;
  const properties: JsonObject = { ...objectOr(own(whole, "properties")) };
  const required = new Set(requiredOf(whole));
  const named = new Set(Object.keys(properties));
  for (const kind of unions) {
    const branches = listOf(own(whole, kind)).map((branch) =>
      isObject(branch) ? inlined(root, branch) : {},
    );
    if (branches.length === 0) continue;
    loosened ||=
      kind !== "allOf" || branches.some((branch) => unions.some((each) => each in branch));
    for (const branch of branches)
      for (const [name, schema] of Object.entries(objectOr(own(branch, "properties")))) {
        // What the root says of a property holds beside a branch, so the root's alone is looser.
        if (named.has(name)) loosened = true;
        else {
          const before = own(properties, name);
          properties[name] = before === undefined ? schema : either(before, schema);
        }
      }
    const lists = branches.map(requiredOf);
    for (const name of new Set(lists.flat()))
      if (kind === "allOf" || lists.every((list) => list.includes(name))) required.add(name);
  }
  const rest = Object.fromEntries(
    Object.entries(whole).filter(([key]) => {
      const isRefused = (refusedAtRoot as readonly string[]).includes(key);
      loosened ||= isRefused;
      return !isRefused && !(unions as readonly string[]).includes(key);
    }),
  );
  // A branch's properties may be more than those that the root closed.
  const { required: _, ...open } = rest;
  return {
    schema: {
      ...open,
      type: "object",
      properties,
      ...(required.size > 0 && { required: [...required] }),
    },
    loosened,
  };
}

const objectOr = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

const isOfType = (schema: JsonObject, type: string): boolean =>
  own(schema, "type") === type || listOf(own(schema, "type")).includes(type);

/** Draft-04's `exclusiveMinimum: true` beside `minimum` in the words of later drafts, and its lists of items. */
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
  if (typeof own(fit, "required") === "boolean") delete fit["required"];
  if (Array.isArray(own(fit, "required")) && listOf(own(fit, "required")).length === 0)
    delete fit["required"];
  if (Array.isArray(own(fit, "items"))) {
    const { items, additionalItems, ...rest } = fit;
    return { ...rest, prefixItems: items ?? [], items: additionalItems ?? {} };
  }
  return fit;
}

/** Members that hold schemas: one, a list, or one for each name. */
const single: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "propertyNames",
]);
const listed: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const byName: ReadonlySet<string> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
  "dependentSchemas",
]);

interface Walk {
  root: JsonObject;
  rules: Pick<WireRules, "propertyName" | "schemaRoot" | "formats">;
  names: Map<string, string>;
  loosened: boolean;
}

function renamed(schema: JsonObject, walk: Walk): JsonObject {
  const properties = own(schema, "properties");
  if (!isObject(properties)) return schema;
  const { propertyName } = walk.rules;
  if (Object.keys(properties).every((name) => propertyName.test(name))) return schema;
  const nameOf = (name: string): string => {
    if (propertyName.test(name)) return name;
    const alias = aliasOf(name, { length: aliasLength });
    walk.names.set(alias, name);
    return alias;
  };
  const described = Object.entries(properties).map(([name, property]): [string, JsonValue] => {
    const alias = nameOf(name);
    if (alias === name || !isObject(property)) return [alias, property];
    const description = own(property, "description");
    const said = typeof description === "string" ? ` ${description}` : "";
    return [alias, { ...property, description: `Named "${name}".${said}` }];
  });
  const required = listOf(own(schema, "required")).map((name) =>
    typeof name === "string" && Object.hasOwn(properties, name) ? nameOf(name) : name,
  );
  return {
    ...schema,
    properties: Object.fromEntries(described),
    ...(required.length > 0 && { required }),
  };
}

/** A schema with everything in it in the form that the wire takes. */
function fitIn(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  let schema = renamed(modern(value), walk);
  const reference = own(schema, "$ref");
  if (reference !== undefined && referred(walk.root, reference) === undefined) {
    const { $ref: _, ...rest } = schema;
    schema = rest;
    walk.loosened = true;
  }
  const { formats } = walk.rules;
  const format = own(schema, "format");
  if (formats !== null && typeof format === "string" && !formats.includes(format)) {
    const { format: _, ...rest } = schema;
    schema = rest;
    walk.loosened = true;
  }
  const fit = Object.fromEntries(
    Object.entries(schema).map(([key, member]): [string, JsonValue] => {
      if (single.has(key)) return [key, fitIn(member, walk)];
      if (listed.has(key) && Array.isArray(member))
        return [key, member.map((each) => fitIn(each, walk))];
      if (!byName.has(key) || !isObject(member)) return [key, member];
      const entries = Object.entries(member).map(([name, each]) => [name, fitIn(each, walk)]);
      return [key, Object.fromEntries(entries) as JsonObject];
    }),
  );
  if (isOfType(fit, "array") && own(fit, "items") === undefined) fit["items"] = {};
  if (isOfType(fit, "object") && own(fit, "properties") === undefined) fit["properties"] = {};
  return fit;
}

export function fitSchema(given: JsonObject, rules: Walk["rules"]): FitSchema {
  const { $schema: _, ...bare } = given;
  const root =
    rules.schemaRoot === "plain" || own(bare, "type") === undefined
      ? plainRoot(bare)
      : { schema: bare, loosened: false };
  const names = new Map<string, string>();
  const walk: Walk = { root: root.schema, rules, names, loosened: root.loosened };
  const schema = fitIn(root.schema, walk);
  return { schema: objectOr(schema), loosened: walk.loosened, names };
}

/** A value with other names for members, at any depth. */
export function renamedKeys<Value extends JsonValue>(
  value: Value,
  names: ReadonlyMap<string, string>,
): Value {
  if (names.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamedKeys(item, names)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      names.get(key) ?? key,
      renamedKeys(member, names),
    ]),
  ) as Value;
}
