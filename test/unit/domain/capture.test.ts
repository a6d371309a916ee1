/** A capture holds the whole request and answer, up to the size of a row. */
import { describe, expect, it } from "vitest";
import { captureOf, maxCapturedCharacters } from "../../../src/domain/audit/capture.ts";

const textOf = (text: string) => ({ characters: text.length, text: () => text });

describe("what is captured", () => {
  it("is all that was asked and answered", () => {
    const kept = captureOf(textOf('{"maxTokens":1}'), [{ type: "text", text: "hi" }]);
    expect(JSON.parse(kept)).toEqual({
      params: { maxTokens: 1 },
      result: [{ type: "text", text: "hi" }],
    });
    expect(JSON.parse(captureOf(textOf("{}"), null))).toEqual({ params: {}, result: null });
  });

  it("stays within a row, and says how much was left out", () => {
    const data = "A".repeat(maxCapturedCharacters);
    const kept = captureOf(textOf("{}"), [
      { type: "text", text: "hi" },
      { type: "image", data, mimeType: "image/png" },
    ]);
    expect(kept.length).toBeLessThan(1_000);
    expect(JSON.parse(kept)).toMatchObject({
      params: null,
      result: [{ text: "hi" }, { type: "image", omittedCharacters: data.length }],
    });
    const huge = captureOf(textOf(`{"a":"${data}"}`), [{ type: "text", text: data }]);
    expect(JSON.parse(huge)).toMatchObject({ params: null, result: null });
  });
});
