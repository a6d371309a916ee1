/** An older model of a line never stands in where a newer one is no dearer. */
import { describe, expect, it } from "vitest";
import { withoutSuperseded } from "../../../src/domain/models/superseded.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { model } from "./models.fixture.ts";

const at = (name: string, outputUsdPerMTok: number | null) => model(name, { outputUsdPerMTok });
const leftOf = (...models: ReturnType<typeof model>[]) => withoutSuperseded(models).map(nameOf);

describe("models of one line", () => {
  it("are left if nothing newer is as cheap", () => {
    expect(
      leftOf(at("x/claude-opus-4-8", 25), at("x/claude-opus-5", 25), at("x/claude-opus-5-5", 20)),
    ).toEqual(["x/claude-opus-5-5"]);
    expect(leftOf(at("x/gemini-3.1-flash-lite", 1.5), at("x/gemini-3.5-flash-lite", 2.5))).toEqual([
      "x/gemini-3.1-flash-lite",
      "x/gemini-3.5-flash-lite",
    ]);
  });

  it("are left with a known price where that of the newer one is unknown", () => {
    expect(leftOf(at("x/claude-haiku-4-5", 5), at("x/claude-haiku-5-5", null))).toEqual([
      "x/claude-haiku-4-5",
      "x/claude-haiku-5-5",
    ]);
  });

  it("are compared at one provider, and with no other line", () => {
    const models = [at("x/claude-opus-4-8", 25), at("y/claude-opus-5", 20), at("x/gpt-5", 1)];
    expect(leftOf(...models)).toEqual(models.map(nameOf));
    expect(leftOf(at("x/gpt-5", 10), at("x/gpt-5-2025-08-07", 10))).toHaveLength(2);
  });
});
