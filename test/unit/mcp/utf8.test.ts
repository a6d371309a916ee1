/** Parts of bytes as texts, of which short ones are remembered. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textBetween } from "../../../src/mcp/json-text/utf8.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const between = (before: string, text: string): string => {
  const [start, part] = [bytesOf(before), bytesOf(text)];
  return textBetween(bytesOf(`${before}${text}"`), start.length, start.length + part.length);
};

describe("a part of bytes as a text", () => {
  it("is that part's own, whatever came before in its place", () => {
    // Two letters have more pairs than there are places, so that many of them share one.
    const pair = fc.string({
      unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz_"),
      maxLength: 2,
    });
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 300 }), (texts) => {
        expect(texts.map((text) => between("{", text))).toEqual(texts);
      }),
    );
  });

  it.each(["", "method", "é€😀", "x".repeat(48), "y".repeat(49), "z".repeat(500)])(
    "is %j, each time",
    (text) => {
      expect(between('{"é":', text)).toBe(text);
      expect(between("", text)).toBe(text);
    },
  );

  it("has the replacement character for bytes that are no UTF-8", () => {
    expect(textBetween(Uint8Array.of(97, 255, 98), 0, 3)).toBe("a\ufffdb");
  });
});
