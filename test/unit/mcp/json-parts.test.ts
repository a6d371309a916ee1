/** Members of a JSON text are found by path without parsing the rest. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectText, textAt, textsIn } from "../../../src/mcp/json-text/parts.ts";

describe("text at a path", () => {
  it.each([
    [' { "a" : 1.50 , "b":{"c":"\\u0061\\/"} } ', ["b", "c"], '"\\u0061\\/"'],
    ['{"a":1.50}', ["a"], "1.50"],
    ['{"a":1,"a":2}', ["a"], "2"],
    ['{"\\u0061":[1,{"}":"]"}]}', ["a"], '[1,{"}":"]"}]'],
    ['{"a":[]}', ["a", "b"], null],
    ['{"a":"{"}', ["b"], null],
    ['{"a\\"b":true}', ['a"b'], "true"],
    ["[1]", ["0"], null],
  ])("of %s at %j", (text, path, found) => {
    expect(textAt(text, path)).toBe(found);
  });

  it("of all members", () => {
    expect([...textsIn('{"x":{"b": 1e2, "a":[ ]}}', ["x"])]).toEqual([
      ["b", "1e2"],
      ["a", "[ ]"],
    ]);
    expect(textsIn('{"x":1}', ["x"]).size).toBe(0);
    expect(textsIn('{"x":1}', ["y"]).size).toBe(0);
  });

  it("reads and builds the same members", () => {
    const key = fc.constantFrom("a", "b", "__proto__", 'q"', "é\n");
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify({ at: value });
        expect(objectText(textsIn(text, ["at"]))).toBe(JSON.stringify(value));
      }),
    );
  });
});
