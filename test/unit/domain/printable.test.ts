/** Nothing that a command prints steers a terminal or reads as another line. */
import { describe, expect, it } from "vitest";
import { printable, printableJson } from "../../../src/domain/printable.ts";

describe("printable", () => {
  it.each([
    [
      "an escape sequence",
      "\u001b[2K\rUnchanged since the router wrote it.",
      "\\u{1b}[2K\\u{d}Unchanged since the router wrote it.",
    ],
    [
      "a line break",
      "a\nUnchanged since the router wrote it.",
      "a\\u{a}Unchanged since the router wrote it.",
    ],
    ["the eight-bit introducer", "\u009b31m", "\\u{9b}31m"],
    ["a right-to-left override", "a\u202eb", "a\\u{202e}b"],
    ["an invisible character", "a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
    ["half a surrogate pair", "a\ud800", "a\\u{d800}"],
    ["a tag character", "\u{e0041}", "\\u{e0041}"],
    ["ordinary text", 'Größe 1 €: 模型 🙂 "x"', 'Größe 1 €: 模型 🙂 "x"'],
  ])("shows %s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});

describe("a line of JSON", () => {
  it("has no character that steers a terminal, and says the same", () => {
    const entry = {
      a: "\u001b[2K\u007f\u009b31m\u202e\u2028\ufeff\ud800 \u{e0041} Größe 🙂",
      "\u202e": 1,
    };
    const line = printableJson(entry);
    expect(printable(line)).toBe(line);
    expect(JSON.parse(line)).toEqual(entry);
    expect(line).toContain("Größe 🙂");
  });
});
