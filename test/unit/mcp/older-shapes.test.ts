/** Results of a 2026-07-28 server in the shapes of an older revision. */
import { CallToolResultSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { Ajv, type AnySchema } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json.ts";
import { wrappedOutputsIn } from "../../../src/mcp/translate/older-shapes.ts";
import { movedSchema } from "../../../src/mcp/translate/schema-refs.ts";
import { translateFromModern } from "../../../src/mcp/translate/to-modern.ts";

/** The specification's examples `tool-with-array-output-schema` and `result-with-array-structured-content`. */
const users = {
  name: "list_users",
  title: "User List",
  description: "Returns a list of all users",
  inputSchema: { type: "object", properties: {} },
  outputSchema: {
    type: "array",
    items: {
      type: "object",
      properties: {
        id: { type: "string", description: "User ID" },
        name: { type: "string", description: "User name" },
        email: { type: "string", description: "User email" },
      },
      required: ["id", "name", "email"],
    },
  },
};
const found = {
  resultType: "complete",
  content: [
    { type: "text", text: "Found 2 users: Alice (alice@example.com) and Bob (bob@example.com)." },
  ],
  structuredContent: [
    { id: "1", name: "Alice", email: "alice@example.com" },
    { id: "2", name: "Bob", email: "bob@example.com" },
  ],
};

const heardText = (
  result: unknown,
  of: { method: string; wrapped?: Record<string, boolean>; revision?: string },
): string => {
  const heard = translateFromModern(JSON.stringify({ jsonrpc: "2.0", id: 1, result }), {
    tool: of.method === "tools/call" ? "t" : null,
    wrapped: {},
    revision: "2025-11-25",
    denied: null,
    ...of,
  });
  if (heard.kind !== "answer") throw new Error(heard.kind);
  return heard.text;
};
const listed = (...tools: unknown[]) =>
  (JSON.parse(heardText({ tools }, { method: "tools/list" })) as { result: JsonObject }).result;
const called = (result: unknown, wrapped = {}) =>
  (JSON.parse(heardText(result, { method: "tools/call", wrapped })) as { result: JsonObject })
    .result;

describe("a tool with an array for its output", () => {
  it("is listed with an object that has the array, which an older client takes", () => {
    expect(ListToolsResultSchema.safeParse({ tools: [users] }).success).toBe(false);
    const result = listed(users, { name: "plain", inputSchema: { type: "object" } });
    expect(ListToolsResultSchema.parse(result)).toEqual({
      tools: [
        {
          ...users,
          outputSchema: {
            type: "object",
            properties: { result: users.outputSchema },
            required: ["result"],
          },
        },
        { name: "plain", inputSchema: { type: "object" } },
      ],
    });
  });

  it("answers with an object that has the array, valid by the schema that was listed", () => {
    expect(CallToolResultSchema.safeParse(found).success).toBe(false);
    const result = called(found, { t: true });
    expect(CallToolResultSchema.parse(result)).toEqual({
      content: found.content,
      structuredContent: { result: found.structuredContent },
    });
    const [tool] = listed(users)["tools"] as { outputSchema: AnySchema }[];
    const valid = new Ajv2020().compile(tool?.outputSchema ?? false);
    expect(valid(result["structuredContent"])).toBe(true);
  });

  it("answers with text too where it has none, for a client that reads only text", () => {
    expect(called({ content: [], structuredContent: [1.5] })).toEqual({
      content: [{ type: "text", text: "[1.5]" }],
      structuredContent: { result: [1.5] },
    });
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    expect(called({ content: [image], structuredContent: null })).toEqual({
      content: [image, { type: "text", text: "null" }],
      structuredContent: { result: null },
    });
  });
});

it("wraps an object as well where the tool's schema would take something else", () => {
  const either = { anyOf: [{ type: "object" }, { type: "array" }] };
  expect(
    wrappedOutputsIn({
      tools: [
        { name: "t", outputSchema: either },
        { name: "o", outputSchema: { type: "object" } },
        { name: "none" },
        { name: "__proto__", outputSchema: { type: "null" } },
      ],
    }),
  ).toEqual(
    Object.fromEntries([
      ["t", true],
      ["o", false],
      ["__proto__", true],
    ]),
  );
  const result = { content: [], structuredContent: { a: 1 } };
  expect(called(result, { t: true })).toEqual({
    content: [],
    structuredContent: { result: { a: 1 } },
  });
  expect(called(result, { t: false })).toEqual(result);
  expect(called(result)).toEqual(result);
});

it("gives properties that are true or false the form of an object, and keeps all other bytes", () => {
  const tool = `{"name":"t","inputSchema":{"type":"object","properties":{"a":true, "b":false,"c":{"const":1.0}}}}`;
  const heard = translateFromModern(
    `{"jsonrpc":"2.0","id":1.0e0,"result":{"tools":[ ${tool} , {"name":"u"}],"nextCursor":"x"}}`,
    { method: "tools/list", tool: null, wrapped: {}, revision: "2025-11-25", denied: null },
  );
  expect(heard).toEqual({
    kind: "answer",
    text: `{"jsonrpc":"2.0","id":1.0e0,"result":{"tools":[ {"name":"t","inputSchema":{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{"const":1.0}}}} , {"name":"u"}],"nextCursor":"x"}}`,
  });
});

it("takes out what would make an older client refuse the whole list", () => {
  const inputSchema = { type: "object", properties: 5, required: [1] };
  const outputSchema = { type: "object", properties: { a: 5, b: { type: "string" } } };
  const result = listed({ name: "t", inputSchema, outputSchema, execution: "later" });
  expect(ListToolsResultSchema.safeParse(result).success).toBe(true);
  expect(result["tools"]).toEqual([
    {
      name: "t",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { a: {}, b: { type: "string" } } },
    },
  ]);
});

describe("a content block that the client's revision doesn't know", () => {
  const link = { type: "resource_link", name: "n", uri: "file:///a" };
  const audio = { type: "audio", data: "AA==", mimeType: "audio/wav" };
  const text = { type: "text", text: "t" };
  const linked = { type: "text", text: "n: file:///a" };
  const resource = { uri: "audio:inline", mimeType: "audio/wav", blob: "AA==" };
  const embedded = { type: "resource", resource };
  it.each([
    ["2025-06-18", [text, link, audio]],
    ["2025-03-26", [text, linked, audio]],
    ["2024-11-05", [text, linked, embedded]],
  ])("of %s is one that it does", (revision, blocks) => {
    const content = [text, link, audio];
    expect(JSON.parse(heardText({ content }, { method: "tools/call", revision }))).toMatchObject({
      result: { content: blocks },
    });
    const messages = (of: unknown[]) => of.map((block) => ({ role: "user", content: block }));
    const prompted = { messages: messages(content) };
    expect(JSON.parse(heardText(prompted, { method: "prompts/get", revision }))).toMatchObject({
      result: { messages: messages(blocks) },
    });
  });
});

it("leaves other results as they are", () => {
  const page = { tools: [{ ...users, outputSchema: { type: "object" } }], extra: [1] };
  expect(listed(...page.tools)["tools"]).toEqual(page.tools);
  const untouched = { structuredContent: [1], content: [] };
  expect(JSON.parse(heardText(untouched, { method: "prompts/get" }))).toMatchObject({
    result: untouched,
  });
});

describe("a schema that moves", () => {
  const node = { properties: { next: { $ref: "#" }, value: { type: "integer" } } };
  const d2019 = "https://json-schema.org/draft/2019-09/schema";
  const schemas: [string, JsonObject, JsonValue[]][] = [
    ["that is recursive", { type: "array", items: { $ref: "#" } }, [[], [[], [[]]], [1], 5]],
    [
      "with definitions",
      {
        anyOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/a~1b/items" }, { $ref: "#other" }],
        $defs: {
          n: { type: "integer", minimum: 3 },
          "a/b": { items: { const: { $ref: "#" } } },
          o: { $anchor: "other", type: "string", minLength: 2 },
        },
      },
      [4, 1, { $ref: "#" }, { $ref: "#/properties/result" }, "ab", "a"],
    ],
    [
      "whose own base its references start from",
      {
        $id: "https://example.com/tree",
        type: "array",
        items: { anyOf: [{ $ref: "#/$defs/leaf" }, { $ref: "#" }] },
        $defs: { leaf: { type: "integer" } },
      },
      [[1], [[1, [2]]], ["x"]],
    ],
    [
      "with another base inside",
      {
        type: "array",
        items: { $ref: "#/$defs/inner" },
        $defs: {
          inner: {
            $id: "https://example.com/inner",
            anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#" } }],
          },
        },
      },
      [["a"], [["a", ["b"]]], [1]],
    ],
    [
      "whose properties are named like keywords",
      {
        type: ["object", "array"],
        properties: {
          $ref: { type: "string" },
          $id: { $ref: "#/properties/enum" },
          enum: { type: "integer" },
          const: { $ref: "#/properties/enum" },
        },
      },
      [{ $ref: "x", $id: 1, const: 2 }, { $id: "x" }, { const: "x" }, { $ref: 1 }, []],
    ],
    [
      "of draft 7",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "array",
        items: [{ $ref: "#/definitions/s" }, { $ref: "#" }],
        definitions: { s: { $id: "#s", type: "string", default: { $ref: "#" } } },
      },
      [["a"], [1], ["a", ["b"]], ["a", 1]],
    ],
    [
      "of 2019-09 that is recursive",
      { $schema: d2019, type: ["object", "null"], properties: { next: { $recursiveRef: "#" } } },
      [null, { next: null }, { next: { next: 1 } }, { next: 1 }],
    ],
    [
      "of 2019-09 whose recursion stands beside a reference",
      {
        $schema: d2019,
        type: ["object", "null"],
        properties: {
          next: { $recursiveRef: "#", $ref: "#/$defs/any" },
          all: { $recursiveRef: "#", $ref: "#/$defs/any", allOf: [{ maxProperties: 1 }] },
          last: { allOf: [{ maxProperties: 1 }], $ref: "#/$defs/any", $recursiveRef: "#" },
        },
        $defs: { any: { minProperties: 1 } },
      },
      [
        { next: { next: null } },
        { next: 1 },
        { all: { next: null } },
        { last: { next: null } },
        { last: { next: 1 } },
      ],
    ],
    [
      "with a reference by anchor that moves at run time",
      {
        type: "array",
        $dynamicAnchor: "node",
        items: { anyOf: [{ type: "integer" }, { $dynamicRef: "#node" }] },
      },
      [[1, [2]], ["x"], [["x"]]],
    ],
    ["that is none of an object", node, [{ next: { value: 1 } }, { next: { value: "x" } }, 7]],
  ];
  const compile = (schema: JsonObject, dialect: JsonValue | undefined) => {
    const options = { strict: false, logger: false } as const;
    if (dialect === d2019) return new Ajv2019(options).compile(schema);
    return (dialect === undefined ? new Ajv2020(options) : new Ajv(options)).compile(schema);
  };

  it.each(schemas)("%s still accepts the same values", (_, schema, values) => {
    const [tool] = listed({ name: "t", inputSchema: { type: "object" }, outputSchema: schema })[
      "tools"
    ] as { outputSchema: JsonObject }[];
    const moved = tool?.outputSchema ?? {};
    const dialect = schema["$schema"];
    expect(moved["$schema"]).toBe(dialect);
    const [before, after] = [compile(schema, dialect), compile(moved, dialect)];
    const taken = values.map((value) => before(value));
    expect(values.map((result) => after({ result }))).toEqual(taken);
    expect(new Set(taken)).toEqual(new Set([true, false]));
    expect(after({})).toBe(false);
  });

  it("keeps every byte that is no reference", () => {
    const text = '{ "const":1.0e2,"a" : {"$ref": "#\\/x" , "y":[{}, 12345678901234567890]} }';
    expect(movedSchema(text)).toBe(
      '{ "const":1.0e2,"a" : {"$ref": "#/properties/result/x" , "y":[{}, 12345678901234567890]} }',
    );
  });

  it("stays JSON, whatever the schema holds", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("$ref", "$id", "properties", "allOf", "enum", "$recursiveRef", "x"),
          fc.jsonValue(),
        ),
        fc.constantFrom(undefined, d2019),
        (schema, $schema) => {
          const text = JSON.stringify({ ...schema, $schema });
          const moved = movedSchema(text);
          expect(() => JSON.parse(moved) as unknown).not.toThrow();
        },
      ),
    );
  });
});
