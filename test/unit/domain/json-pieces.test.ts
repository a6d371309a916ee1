/** JSON in pieces is the JSON that the runtime writes, whatever stands in it. */
import { assert, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/domain/json.ts";
import { jsonPieces } from "../../../src/domain/json-pieces.ts";

const largest = 6 * 64 * 1024 + 64 * 1024;

describe("the text of a value in pieces", () => {
  it("is what JSON.stringify writes", () => {
    assert(
      property(jsonValue(), (value) => {
        const parsed = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect([...jsonPieces(parsed)].join("")).toBe(JSON.stringify(parsed));
      }),
    );
  });

  it("is the same where a value is too long for one piece, whatever stands around it", () => {
    const long = "\u2028\ud800".repeat(40_000);
    assert(
      property(jsonValue(), jsonValue(), (before, after) => {
        const value = [before, { long, [long]: [after, [long]] }, after];
        const parsed = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect([...jsonPieces(parsed)].join("") === JSON.stringify(parsed)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("is the same however deep a value is", () => {
    const deep = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`) as JsonValue;
    expect([...jsonPieces(deep)].join("")).toBe(JSON.stringify(deep));
  });

  it("has pieces that are bounded, also in a long text or under a long name", () => {
    const long = [
      "A".repeat(1_000_000),
      "\u0000".repeat(300_000),
      "x" + "😀".repeat(200_000),
      "\ud83d".repeat(200_000),
      `${"A".repeat(64 * 1024 - 1)}😀`,
    ];
    for (const text of long) {
      const value = { [text]: [text, { a: text, __proto__x: [] }], b: {}, c: 1 };
      const pieces = [...jsonPieces(value)];
      expect(pieces.join("") === JSON.stringify(value)).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(largest);
    }
  });

  it("has an own member named __proto__", () => {
    const value = JSON.parse('{"__proto__":[1,null,true]}') as JsonValue;
    expect([...jsonPieces(value)]).toEqual(['{"__proto__":[1,null,true]}']);
  });
});
