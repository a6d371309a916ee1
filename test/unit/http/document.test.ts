/** What holds of the whole OpenAPI document, wherever in it a schema stands. */
import { expect, it } from "vitest";
import { isObject, own } from "../../../src/domain/json.ts";
import { openApiDocument } from "../../fakes/openapi-document.ts";

const document = await openApiDocument();

interface Place {
  at: string;
  schema: unknown;
}

/** Every value within, with its path from the document's root. */
function* placesIn(schema: unknown, at = ""): Generator<Place> {
  yield { at, schema };
  if (typeof schema !== "object" || schema === null) return;
  for (const [name, inner] of Object.entries(schema)) yield* placesIn(inner, `${at}/${name}`);
}

const takesNull = (schema: unknown): boolean => {
  const type = own(schema, "type");
  return type === "null" || (Array.isArray(type) && type.includes("null"));
};

const nullInAllOf = ({ schema }: Place): boolean => {
  const all = own(schema, "allOf");
  return Array.isArray(all) && all.some(takesNull);
};

it("takes null beside a named schema, not within `allOf`, where null would never fit", () => {
  expect([...placesIn(document)].filter(nullInAllOf).map(({ at }) => at)).toEqual([]);
});

it("names no schema that takes null itself, so that each reference means what it names", () => {
  const schemas = own(own(document, "components"), "schemas");
  const named = Object.entries(isObject(schemas) ? schemas : {});
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([, schema]) => takesNull(schema)).map(([name]) => name)).toEqual([]);
});
