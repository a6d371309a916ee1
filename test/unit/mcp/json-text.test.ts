import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectText, textAt, textsIn, withText, withoutText } from "../../../src/mcp/json-text.ts";

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
});

describe("an edit", () => {
  it.each([
    ['{ "a" : 1 }', ["b"], '{ "a" : 1,"b":7 }'],
    ["{ }", ["b"], '{"b":7 }'],
    ['{"a":{"x":1.0 }, "z":2}', ["a", "y"], '{"a":{"x":1.0,"y":7 }, "z":2}'],
    ['{"a":{}}', ["a", "b", "c"], '{"a":{"b":{"c":7}}}'],
    ['{"a": 1 ,"a": 2}', ["a"], '{"a": 7 ,"a": 7}'],
    ['{"a":{"b":1},"a":{"b":2}}', ["a", "b"], '{"a":{"b":7},"a":{"b":7}}'],
  ])("sets in %s at %j", (text, path, expected) => {
    expect(withText(text, path, "7")).toBe(expected);
  });

  it.each([
    ['{"a":1, "b":2, "c":3}', ["b"], '{"a":1, "c":3}'],
    ['{"a":1, "b":2}', ["b"], '{"a":1}'],
    ['{ "a":1, "b":2}', ["a"], '{ "b":2}'],
    ['{ "a":1 }', ["a"], "{  }"],
    ['{"a":1,"b":2,"a":3}', ["a"], '{"b":2}'],
    ['{"b":2,"a":1,"a":3}', ["a"], '{"b":2}'],
    ['{"a":1,"a":3}', ["a"], "{}"],
    ['{"x":{"a":1},"y":1}', ["x", "a"], '{"x":{},"y":1}'],
    ['{"x":1}', ["a", "b"], '{"x":1}'],
  ])("removes from %s at %j", (text, path, expected) => {
    expect(withoutText(text, path)).toBe(expected);
  });

  const key = fc.constantFrom("a", "b", "sampling", "__proto__", 'q"', "é\n");
  const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
  const spaced = (value: unknown, space: number) => JSON.stringify(value, null, space);

  it("means what the same change of the parsed value means", () => {
    fc.assert(
      fc.property(object, key, fc.jsonValue(), fc.nat(3), (value, name, set, space) => {
        const text = spaced(value, space);
        const expected = { ...value };
        Object.defineProperty(expected, name, { value: set, enumerable: true, configurable: true });
        expect(JSON.parse(withText(text, [name], JSON.stringify(set)))).toEqual(
          JSON.parse(spaced(expected, 0)),
        );
        const rest = Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
        expect(JSON.parse(withoutText(text, [name]))).toEqual(JSON.parse(spaced(rest, 0)));
      }),
    );
  });

  it("set and taken back leaves every character where it was", () => {
    fc.assert(
      fc.property(object, fc.nat(3), (value, space) => {
        const text = spaced({ first: 0, ...value }, space);
        expect(withoutText(withText(text, ["zz"], '{"k":[1]}'), ["zz"])).toBe(text);
      }),
    );
  });

  it("reads and builds the same members", () => {
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify({ at: value });
        expect(objectText(textsIn(text, ["at"]))).toBe(JSON.stringify(value));
      }),
    );
  });
});
