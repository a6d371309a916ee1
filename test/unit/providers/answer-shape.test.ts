/** What a caller demands of an answer's shape reaches each adapter in its own words. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { isStrict, shapeOptions } from "../../../src/providers/answer-shape.ts";
import { call } from "../domain/models.fixture.ts";

const strict: JsonObject = {
  type: "object",
  properties: { day: { type: "integer" } },
  required: ["day"],
  additionalProperties: false,
};

describe("a schema", () => {
  it.each<[JsonObject, boolean]>([
    [strict, true],
    [{ ...strict, required: [] }, false],
    [{ ...strict, additionalProperties: true }, false],
    [{ type: "array", items: strict }, true],
    [{ type: "array", items: { type: "object" } }, false],
    [{ anyOf: [strict, { type: "null" }] }, true],
  ])("%j is strict: %s", (schema, is) => expect(isStrict(schema)).toBe(is));

  it("that nests without end is loose", () => {
    let schema: JsonObject = strict;
    for (let level = 0; level < 1_000; level += 1) schema = { items: schema };
    expect(isStrict(schema)).toBe(false);
  });
});

const tools = [{ name: "f", inputSchema: {} }];

it.each<[string, unknown]>([
  ["openai-chat", { parallelToolCalls: false, strictJsonSchema: true }],
  ["openai-responses", { parallelToolCalls: false, strictJsonSchema: true }],
  ["openai-compatible", { parallel_tool_calls: false, strictJsonSchema: true }],
  ["anthropic", { disableParallelToolUse: true }],
])("%s gets %j", (library, options) => {
  const asked = call({ tools, singleToolUse: true, format: "json", schema: { schema: strict } });
  expect(shapeOptions(asked, library)).toEqual(options);
  expect(shapeOptions(call({ tools }), library)).toBeNull();
});
