/** Promises that a tool's schema becomes looser on the way to a wire, never stricter. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../../../src/domain/json.ts";
import { rulesOf, wires } from "../../../../src/domain/wires/rules.ts";
import { fitSchema, renamedKeys, type FitSchema } from "../../../../src/domain/wires/schemas.ts";
import { drawnInstance, publicTools, validatorOf } from "../../../fixtures/wires/tools.ts";

const inverse = (names: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...names].map(([alias, name]) => [name, alias]));

/** Each form of a schema that some wire gets, once. */
const formsOf = (schema: JsonObject): FitSchema[] => {
  const forms = wires.map((wire) => fitSchema(schema, rulesOf[wire]));
  return [...new Map(forms.map((form) => [JSON.stringify(form.schema), form])).values()];
};

/** Tools of which no valid arguments were drawn. */
const vacuous: string[] = [];

describe.each(publicTools)("$server $name", ({ name, inputSchema }) => {
  it("takes in every form what it took before", () => {
    const validates = validatorOf(inputSchema);
    const forms = formsOf(inputSchema).map((form) => ({
      ...form,
      validates: validatorOf(form.schema),
    }));
    let valid = 0;
    fc.assert(
      fc.property(fc.gen(), (g) => {
        const instance = drawnInstance(inputSchema, g);
        if (!isObject(instance) || !validates(instance)) return;
        valid += 1;
        for (const form of forms) {
          const sent = renamedKeys(instance, inverse(form.names));
          expect([form.validates(sent), form.validates.errors, sent]).toEqual([true, null, sent]);
          expect(renamedKeys(sent, form.names)).toEqual(instance);
        }
      }),
      { numRuns: 60 },
    );
    if (valid === 0) vacuous.push(name);
  });
});

it("is tried with valid arguments of nearly every tool", () => {
  expect(publicTools.length).toBeGreaterThanOrEqual(200);
  expect(vacuous.length).toBeLessThan(5);
});

const plain = (schema: JsonObject) => fitSchema(schema, rulesOf["openai-chat"]).schema;
const strict = (schema: JsonObject) => fitSchema(schema, rulesOf.anthropic);
const numbers = { type: "number" };

describe("the root", () => {
  it("leaves open what another branch of a union says nothing of", () => {
    const schema = plain({
      type: "object",
      anyOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "string" } }, required: ["b"] },
      ],
    });
    expect(validatorOf(schema)({ a: 5, b: "x" })).toBe(true);
    expect(schema["properties"]).toMatchObject({ a: { anyOf: [{ type: "string" }, {}] } });
  });

  it("stays strict where the branches are closed", () => {
    const branch = (name: string) => ({
      properties: { [name]: numbers },
      required: [name],
      additionalProperties: false,
    });
    const schema = plain({ type: "object", oneOf: [branch("a"), branch("b")] });
    expect(schema).toEqual({
      type: "object",
      properties: { a: numbers, b: numbers },
      additionalProperties: false,
    });
  });

  it("takes what a reference beside properties took", () => {
    const { schema, loosened } = fitSchema(
      {
        $ref: "#/$defs/whole",
        properties: { b: numbers },
        allOf: [{ properties: { a: { minimum: 1 } } }],
        $defs: { whole: { properties: { a: numbers }, additionalProperties: false } },
      },
      rulesOf["openai-chat"],
    );
    expect([schema["properties"], loosened]).toEqual([{ a: { minimum: 1 }, b: numbers }, true]);
    expect(validatorOf(schema)({ a: 2 })).toBe(true);
  });

  it("is found in time and space that grow as the schema does", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { properties: { a: numbers }, anyOf: [next, next], allOf: [next, next] }];
      }),
    );
    const schema = JSON.parse(
      JSON.stringify({ type: "object", $ref: "#/$defs/d0", $defs }),
    ) as JsonObject;
    expect(JSON.stringify(plain(schema)).length).toBeLessThan(2 * JSON.stringify(schema).length);
  });
});

describe("references", () => {
  it("lead to the same schema wherever it was", () => {
    const schema = plain({
      type: "object",
      properties: {
        tuple: { type: "array", items: [numbers] },
        first: { $ref: "#/properties/tuple/items/0" },
        generic: { $ref: "#/$defs/Page%5BItem%5D" },
        point: { $ref: "#point" },
        gone: { $ref: "#/$defs/gone", maxLength: 3 },
      },
      $defs: { "Page[Item]": { type: "boolean" }, p: { $anchor: "point", type: "null" } },
    });
    const validates = validatorOf(schema);
    expect(validates({ first: 1, generic: true, point: null, gone: "abc" })).toBe(true);
    for (const wrong of [{ first: "1" }, { generic: 1 }, { point: 1 }, { gone: "abcd" }])
      expect(validates(wrong)).toBe(false);
  });
});

describe("aliases of names", () => {
  const aliasIn = (names: ReadonlyMap<string, string>, name: string) =>
    [...names].find(([, each]) => each === name)?.[0] ?? "";

  it.each<[string, JsonObject, JsonObject]>([
    ["required elsewhere", { anyOf: [{ required: ["$a"] }] }, { $a: 1 }],
    ["in a constant", { properties: { $a: {}, c: { const: { $a: 1 } } } }, { c: { $a: 1 } }],
    [
      "beside patterns of names",
      {
        properties: {
          $a: {},
          m: { patternProperties: { "^\\$": {} }, additionalProperties: false },
        },
      },
      { m: { $a: 1 } },
    ],
    [
      "beside a rule of names",
      { properties: { $a: {}, m: { propertyNames: { pattern: "^\\$" } } } },
      { m: { $a: 1 } },
    ],
    [
      "that depend on others",
      { properties: { $a: {}, $b: {} }, dependentRequired: { $a: ["$b"] } },
      { $a: 1, $b: 2 },
    ],
  ])("pass %s", (_, schema, instance) => {
    const fit = strict({ type: "object", ...schema });
    const sent = renamedKeys(instance, inverse(fit.names));
    expect([validatorOf(fit.schema)(sent), renamedKeys(sent, fit.names)]).toEqual([true, instance]);
  });

  it("are required where the names were", () => {
    const { schema, names } = strict({
      type: "object",
      properties: { $a: numbers },
      required: ["$a"],
    });
    expect(schema["required"]).toEqual([aliasIn(names, "$a")]);
    expect(validatorOf(schema)({})).toBe(false);
  });
});

it("leaves out keywords that no draft knows in that form", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "any", required: true, minLength: "3", enum: "x", items: null },
      b: { type: ["string", "none"], anyOf: [], format: 5 },
      c: { properties: [], multipleOf: 0, maximum: 3 },
    },
    required: "a",
  } satisfies JsonObject;
  const fit = fitSchema(schema, rulesOf["openai-chat"]);
  expect(fit).toMatchObject({ loosened: true });
  expect(fit.schema).toEqual({
    type: "object",
    properties: { a: {}, b: {}, c: { maximum: 3 } },
  });
});
