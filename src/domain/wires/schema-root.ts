/** Converts a tool's root schema to an object with `properties` and no union. */
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

/** A member matches any of `schemas`; `open`: or anything else. */
interface Member {
  schemas: Set<JsonValue>;
  open: boolean;
}

/** `closed`: no other members are allowed. */
interface Members {
  declared: Map<string, Member>;
  required: Set<string>;
  closed: boolean;
  loosened: boolean;
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

export function referencedSchema(
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

const noMembers = (): Members => ({
  declared: new Map(),
  required: new Set(),
  closed: false,
  loosened: false,
});

/** Intersection. For duplicate members, the first schema wins: merging would grow exponentially. */
function both(parts: readonly Members[]): Members {
  const all = noMembers();
  for (const { declared, required, closed, loosened } of parts) {
    for (const [name, says] of declared) {
      const before = all.declared.get(name);
      all.loosened ||= before !== undefined;
      if (before === undefined || before.open) all.declared.set(name, says);
    }
    for (const name of required) all.required.add(name);
    all.closed ||= closed;
    all.loosened ||= loosened;
  }
  return all;
}

/** Union. A branch that does not mention a member leaves it open. */
function either(branches: readonly Members[]): Members {
  const any = { ...noMembers(), loosened: true };
  for (const name of new Set(branches.flatMap(({ declared }) => [...declared.keys()]))) {
    const ways = branches.map(
      ({ declared, closed }) => declared.get(name) ?? { schemas: [], open: !closed },
    );
    any.declared.set(name, {
      schemas: new Set(ways.flatMap(({ schemas }) => [...schemas])),
      open: ways.some(({ open }) => open),
    });
  }
  for (const name of branches[0]?.required ?? [])
    if (branches.every(({ required }) => required.has(name))) any.required.add(name);
  any.closed = branches.every(({ closed }) => closed);
  return any;
}

function membersOf(root: JsonObject, known: Map<JsonValue, Members>, value: JsonValue): Members {
  const before = known.get(value);
  if (before !== undefined || !isObject(value)) return before ?? noMembers();
  // Stops recursion.
  known.set(value, noMembers());
  const within = (each: JsonValue): Members => membersOf(root, known, each);
  const properties = entriesOf(own(value, "properties"));
  const members = both([
    {
      declared: new Map(
        properties.map(([name, each]) => [name, { schemas: new Set([each]), open: false }]),
      ),
      required: new Set(listOf(own(value, "required")).filter((name) => typeof name === "string")),
      closed: own(value, "additionalProperties") === false && !("patternProperties" in value),
      loosened: value !== root && Object.keys(value).some((key) => !silent.has(key)),
    },
    ...listOf(own(value, "allOf")).map(within),
    within(referencedSchema(root, own(value, "$ref")) ?? true),
    ...unions.flatMap((kind) => {
      const branches = listOf(own(value, kind));
      return branches.length === 0 ? [] : [either(branches.map(within))];
    }),
  ]);
  known.set(value, members);
  return members;
}

function anyOf({ schemas, open }: Member): JsonValue {
  const distinct = new Map([...schemas].map((schema) => [JSON.stringify(schema), schema]));
  const ways = [...distinct.values(), ...(open ? [{}] : [])];
  return ways.length === 1 ? (ways[0] ?? {}) : { anyOf: ways };
}

export function plainRoot(root: JsonObject): { schema: JsonObject; loosened: boolean } {
  const { declared, required, closed, loosened } = membersOf(root, new Map(), root);
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
    properties: Object.fromEntries([...declared].map(([name, says]) => [name, anyOf(says)])),
    ...(required.size > 0 && { required: [...required] }),
    ...(isMerged && closed && { additionalProperties: false }),
  };
  return { schema, loosened: loosened || Object.keys(root).some((key) => refused.has(key)) };
}
