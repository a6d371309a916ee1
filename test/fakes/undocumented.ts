/** What an answer has that the OpenAPI document does not name: a schema alone lets further members pass. */
import { isObject, own } from "../../src/domain/json.ts";

/** The schema, and all that it is put together from. */
function* partsOf(document: unknown, schema: unknown): Generator {
  yield schema;
  const reference = own(schema, "$ref");
  if (typeof reference === "string") {
    const path = reference.split("/").slice(1);
    yield* partsOf(
      document,
      path.reduce<unknown>((within, name) => own(within, name), document),
    );
  }
  for (const word of ["allOf", "anyOf", "oneOf"]) {
    const inner = own(schema, word);
    for (const each of Array.isArray(inner) ? inner : []) yield* partsOf(document, each);
  }
}

/** @returns paths of the members that no schema names; an object without named members may have any */
export function undocumented(
  document: unknown,
  { schemas, value, at = "" }: { schemas: readonly unknown[]; value: unknown; at?: string },
): string[] {
  const parts = schemas.flatMap((schema) => [...partsOf(document, schema)]);
  const inner = (word: string) =>
    parts.map((part) => own(part, word)).filter((schema) => isObject(schema));
  if (Array.isArray(value))
    return value.flatMap((each) =>
      undocumented(document, { schemas: inner("items"), value: each, at: `${at}[]` }),
    );
  const named = inner("properties");
  if (!isObject(value) || named.length === 0) return [];
  const others = inner("additionalProperties");
  return Object.entries(value).flatMap(([name, member]) => {
    const known = named.filter((properties) => Object.hasOwn(properties, name));
    const path = `${at}.${name}`;
    if (known.length === 0) return others.length > 0 ? [] : [path];
    const schemasOfMember = known.map((properties) => own(properties, name));
    return undocumented(document, { schemas: schemasOfMember, value: member, at: path });
  });
}
