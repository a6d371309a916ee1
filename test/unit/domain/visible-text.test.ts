/** `maxTokens` bounds the visible text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAnswer } from "../../../src/domain/sampling/answer-check.ts";
import type { ProviderAnswer } from "../../../src/domain/sampling/providers.ts";
import type { Block } from "../../../src/domain/sampling/call.ts";
import { cutNote, cutToVisible } from "../../../src/domain/sampling/visible-text.ts";
import { call } from "./models.fixture.ts";

const words = (count: number): string => "word ".repeat(count).trim();
const answer = (
  content: Block[],
  usage: Partial<ProviderAnswer["usage"]> = {},
  change: Partial<ProviderAnswer> = {},
): ProviderAnswer => ({
  content,
  stopReason: "endTurn",
  providerStopReason: "stop",
  usage: { inputTokens: 10, outputTokens: 100, estimated: false, ...usage },
  notes: [],
  ...change,
});
const text = (said: string): Block => ({ type: "text", text: said });
const use: Block = { type: "tool_use", id: "t1", name: "camera", input: { zoom: 2 } };
const textsOf = ({ content }: ProviderAnswer): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

describe("an answer whose text is longer than maxTokens", () => {
  // cites: S-032
  it("is cut there, says so, and stops for that", () => {
    const whole = answer(
      [text(words(100))],
      { outputTokens: 300, classes: { reasoningTokens: 200 } },
      { notes: ["temperature left out"] },
    );
    const cut = cutToVisible(whole, 50);
    expect(cut).toMatchObject({
      stopReason: "maxTokens",
      providerStopReason: "stop",
      usage: whole.usage,
      notes: ["temperature left out", cutNote],
    });
    const kept = textsOf(cut);
    expect(words(100).startsWith(kept)).toBe(true);
    const share = kept.length / words(100).length;
    expect(share).toBeGreaterThan(0.45);
    expect(share).toBeLessThan(0.55);
  });

  it("is measured by the provider's count without reasoning and images", () => {
    const said = [text(words(40))];
    const reasoned = { outputTokens: 940, classes: { reasoningTokens: 900 } };
    expect(cutToVisible(answer(said, reasoned), 40)).toEqual(answer(said, reasoned));
    const drawn = { outputTokens: 1_330, media: { images: 1, imageOutputTokens: 1_290 } };
    expect(cutToVisible(answer(said, drawn), 50)).toEqual(answer(said, drawn));
  });

  it("is not taken for long because its provider counts reasoning in and doesn't say so", () => {
    const said = answer([text(words(40))], { outputTokens: 2_000 });
    expect(cutToVisible(said, 100)).toBe(said);
    expect(cutToVisible(said, 10)).toMatchObject({ stopReason: "maxTokens" });
  });

  it("is measured by our estimate where the provider counted nothing", () => {
    const estimated = { outputTokens: 1, estimated: true };
    expect(cutToVisible(answer([text(words(100))], estimated), 20)).toMatchObject({
      stopReason: "maxTokens",
    });
    const short = answer([text("Fine.")], { outputTokens: 9_999, estimated: true });
    expect(cutToVisible(short, 20)).toBe(short);
  });

  it("keeps its tool uses whole, in place, and still stops for them", () => {
    const usage = { outputTokens: 300 };
    const whole = answer([text(words(100)), use, text("after")], usage, { stopReason: "toolUse" });
    const cut = cutToVisible(whole, 10);
    expect(cut.stopReason).toBe("toolUse");
    expect(cut.notes).toEqual([cutNote]);
    expect(cut.content.filter(({ type }) => type === "tool_use")).toEqual([use]);
    // A long tool use is no text.
    const long = answer(
      [text("Looking."), use],
      { outputTokens: 5_000 },
      { stopReason: "toolUse" },
    );
    expect(cutToVisible(long, 10)).toBe(long);
  });

  it("is never cut to nothing, nor by a count that no provider can mean", () => {
    const whole = answer([text(words(100))], {
      outputTokens: 100,
      classes: { reasoningTokens: 0 },
    });
    expect(textsOf(cutToVisible(whole, 1))).not.toBe("");
    const absurd = { outputTokens: 1e16, classes: { reasoningTokens: 7 } };
    const short = answer([text("Fine, thank you.")], absurd);
    expect(cutToVisible(short, 20)).toBe(short);
    const long = textsOf(cutToVisible(answer([text(words(100))], absurd), 50));
    expect(long.length).toBeGreaterThan(200);
  });

  it("keeps its media", () => {
    const image: Block = { type: "image", data: "aGk=", mimeType: "image/png" };
    const cut = cutToVisible(answer([image, text(words(100))], { outputTokens: 200 }), 10);
    expect(cut.content[0]).toEqual(image);
  });

  it("is cut between characters, never beyond its bound, and only if it must be", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 400 }),
        (parts, maxTokens, counted) => {
          const whole = answer(parts.filter((part) => part !== "").map(text), {
            outputTokens: counted,
            classes: { reasoningTokens: 0 },
          });
          const cut = cutToVisible(whole, maxTokens);
          expect(textsOf(whole).startsWith(textsOf(cut))).toBe(true);
          expect(textsOf(cut).isWellFormed()).toBe(textsOf(whole).isWellFormed());
          if (counted <= maxTokens) expect(cut).toEqual(whole);
          expect(textsOf(cut).length).toBeGreaterThanOrEqual(Math.min(1, textsOf(whole).length));
        },
      ),
    );
  });

  it("is no broken JSON: the caller's own limit cut it", () => {
    const json = JSON.stringify({ said: words(100) });
    const whole = answer([text(json)], { outputTokens: 200, classes: { reasoningTokens: 80 } });
    expect(checkAnswer(whole, call({ format: "json", maxTokens: 20 }))).toMatchObject({
      ok: true,
      value: { stopReason: "maxTokens" },
    });
    expect(checkAnswer(whole, call({ format: "json", maxTokens: 120 }))).toMatchObject({
      ok: true,
      value: { stopReason: "endTurn" },
    });
  });
});
