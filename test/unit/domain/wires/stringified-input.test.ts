/** Arguments that a model wrote as JSON in a string, read as the tool's schema says. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { parseStringifiedInput } from "../../../../src/domain/wires/stringified-input.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    share: { type: ["number", "null"] },
    on: { type: "boolean" },
    ids: { type: "array", items: { type: "integer" } },
    filter: { $ref: "#/$defs/filter" },
    either: { anyOf: [{ type: "object" }, { type: "array" }] },
    loose: { anyOf: [{ type: "string" }, { type: "object" }] },
    any: {},
  },
  $defs: { filter: { type: "object", properties: { of: { $ref: "#/$defs/filter" } } } },
};

describe("a value in a string", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["a number", { count: "5" }, { count: 5 }],
    ["null", { share: "null" }, { share: null }],
    ["a boolean", { on: "true" }, { on: true }],
    ["a list, with numbers in strings", { ids: '["1", 2]' }, { ids: [1, 2] }],
    ["an object behind references", { filter: '{"of": "{}"}' }, { filter: { of: {} } }],
    ["one of several types", { either: "[1]" }, { either: [1] }],
  ])("is read where the schema takes no string: %s", (_, input, expected) => {
    expect(parseStringifiedInput(input, schema)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ["takes strings", { text: "5", loose: "{}" }],
    ["says nothing", { any: "5", unknown: "[1]" }],
    ["takes neither reading", { count: "1.5", ids: "5", on: "yes", filter: "[]" }],
  ])("stays where the schema %s", (_, input) => {
    expect(parseStringifiedInput(input, schema)).toEqual(input);
  });

  it("changes nothing of an input that is valid as it is", () => {
    fc.assert(
      fc.property(
        fc.record({
          text: fc.string(),
          count: fc.integer(),
          share: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
          ids: fc.array(fc.integer()),
          loose: fc.oneof(fc.string(), fc.constant({ a: "1" })),
          any: fc.jsonValue(),
        }),
        (input) => {
          const given = input as JsonObject;
          expect(parseStringifiedInput(given, schema)).toEqual(given);
        },
      ),
    );
  });

  it("ends, and never throws, whatever the schema and the input", () => {
    const circular = { $ref: "#" };
    expect(parseStringifiedInput({ a: "{}" }, circular)).toEqual({ a: "{}" });
    fc.assert(
      fc.property(fc.object(), fc.object(), (input, odd) => {
        expect(() => parseStringifiedInput(input as JsonObject, odd as JsonObject)).not.toThrow();
      }),
    );
  });
});
