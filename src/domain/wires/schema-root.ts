/** The root of a tool's schema as an object with `properties`, without a union beside them. */
import { isObject, own, type JsonObject, type JsonValue } from "../json.ts";

const unions = ["anyOf", "oneOf"] as const;
const merged: ReadonlySet<string> = new Set([...unions, "allOf", "$ref"]);
const refused: ReadonlySet<string> = new Set(
  "not enum const if then else dependentSchemas dependencies unevaluatedProperties".split(" "),
);
const silent: ReadonlySet<string> = new Set(
  "type title description properties required allOf $ref $defs definitions $id id $comment".split(
    " ",
  ),
);

/** What a schema says of an object's members. `closed`: there are no others. */
interface Members {
  properties: Map<string, JsonValue[]>;
  required: Set<string>;
  closed: boolean;
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: JsonValue | undefined): [string, JsonValue][] =>
  isObject(value) ? Object.entries(value) : [];

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** What a reference within the document names; undefined: nothing. */
export function referred(
  root: JsonObject,
  reference: JsonValue | undefined,
): JsonValue | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const fragment = decoded(reference.slice(1));
  if (fragment === "") return root;
  if (!fragment.startsWith("/"))
    return [...entriesOf(own(root, "$defs")), ...entriesOf(own(root, "definitions"))].find(
      ([, each]) => own(each, "$anchor") === fragment,
    )?.[1];
  return fragment
    .slice(1)
    .split("/")
    .reduce<JsonValue | undefined>((value, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return Array.isArray(value) ? value[Number(key)] : own(value, key);
    }, root);
}

/** Schemas of which each differs from the others. */
const distinct = (schemas: readonly JsonValue[]): JsonValue[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

const joined = (key: "allOf" | "anyOf", schemas: readonly JsonValue[]): JsonValue => {
  const each = distinct(schemas);
  return each.length === 1 ? (each[0] ?? {}) : { [key]: each };
};

const noMembers = (): Members => ({ properties: new Map(), required: new Set(), closed: false });

/** What holds of all of the parts. */
function both(parts: readonly Members[]): Members {
  const all = noMembers();
  for (const { properties, required, closed } of parts) {
    for (const [name, schemas] of properties)
      all.properties.set(name, [...(all.properties.get(name) ?? []), ...schemas]);
    for (const name of required) all.required.add(name);
    all.closed ||= closed;
  }
  return all;
}

/** What holds whichever of the branches is taken. A branch that says nothing of a member leaves it open. */
function either(branches: readonly Members[]): Members {
  const any = noMembers();
  for (const name of new Set(branches.flatMap(({ properties }) => [...properties.keys()]))) {
    const ways = branches.flatMap(({ properties, closed }): JsonValue[] => {
      const schemas = properties.get(name);
      if (schemas !== undefined) return [joined("allOf", schemas)];
      return closed ? [] : [{}];
    });
    any.properties.set(name, [joined("anyOf", ways)]);
  }
  for (const name of branches[0]?.required ?? [])
    if (branches.every(({ required }) => required.has(name))) any.required.add(name);
  any.closed = branches.every(({ closed }) => closed);
  return any;
}

/** The members of a schema, with those of what it refers to and is a union of. */
function membersOf(root: JsonObject, known: Map<JsonValue, Members>, value: JsonValue): Members {
  const seen = known.get(value);
  if (seen !== undefined || !isObject(value)) return seen ?? noMembers();
  // A schema within itself says nothing more.
  known.set(value, noMembers());
  const within = (each: JsonValue): Members => membersOf(root, known, each);
  const parts: Members[] = [
    {
      properties: new Map(
        entriesOf(own(value, "properties")).map(([name, each]) => [name, [each]]),
      ),
      required: new Set(listOf(own(value, "required")).filter((name) => typeof name === "string")),
      closed: own(value, "additionalProperties") === false && !("patternProperties" in value),
    },
    ...listOf(own(value, "allOf")).map(within),
    within(referred(root, own(value, "$ref")) ?? true),
    ...unions.flatMap((kind) => {
      const branches = listOf(own(value, kind));
      return branches.length === 0 ? [] : [either(branches.map(within))];
    }),
  ];
  const members = both(parts);
  known.set(value, members);
  return members;
}

/** `loosened`: more is valid than was. */
export function plainRoot(root: JsonObject): { schema: JsonObject; loosened: boolean } {
  const { properties, required, closed } = membersOf(root, new Map(), root);
  const parts = [...listOf(own(root, "allOf")), referred(root, own(root, "$ref")) ?? {}];
  const loosened =
    Object.keys(root).some((key) => refused.has(key)) ||
    unions.some((kind) => kind in root) ||
    parts.some((part) => Object.keys(isObject(part) ? part : {}).some((key) => !silent.has(key)));
  const isMerged = Object.keys(root).some((key) => merged.has(key));
  const rest = Object.entries(root).filter(
    ([key]) =>
      !merged.has(key) &&
      !refused.has(key) &&
      key !== "required" &&
      !(isMerged && key === "additionalProperties" && root[key] === false),
  );
  const schema: JsonObject = {
    ...Object.fromEntries(rest),
    type: "object",
    properties: Object.fromEntries(
      [...properties].map(([name, schemas]) => [name, joined("allOf", schemas)]),
    ),
    ...(required.size > 0 && { required: [...required] }),
    ...(isMerged && closed && { additionalProperties: false }),
  };
  return { schema, loosened };
}
