/** The id of a message that can't be read for certain. */
import { describe, expect, it } from "vitest";
import { certainIds } from "../../../src/mcp/json-text/certain-id.ts";

describe("the id of a message that can't be read for certain", () => {
  it.each([
    ['{"id":1,"method":"a","method":"b"}', [1]],
    ['{"id":"x","method":"a"}', ["x"]],
    ['[{"id":1,"method":"a"},{"id":2,"method":"b"}]', [1, 2]],
    ['{"id":1,"id":2,"method":"a"}', []],
    ['{"ID":1,"method":"a"}', []],
    ['{"id":null,"method":"a"}', []],
    ['{"id":1e400,"method":"a"}', []],
    ['{"id":1,"result":{}}', []],
  ] as const)("of %s is %j", (text, ids) => {
    expect(certainIds(text, "request")).toEqual(ids);
  });
});
