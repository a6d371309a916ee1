/** Usage that no provider can mean is not booked as reported. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateInputTokens, maxInputTokens } from "../../../src/domain/sampling/estimate.ts";
import { plausibleUsage } from "../../../src/domain/sampling/plausible.ts";
import { tokenFamilyOf } from "../../../src/domain/tokens/tokenizers.ts";
import { callOf, modelOf, saying } from "../../fixtures/providers/calls.ts";

const asked = { call: callOf(), model: modelOf("openai", "gpt"), maxTokens: 100 };
const used = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  estimated: false,
});

describe("usage that a provider can mean", () => {
  it.each([
    ["what was asked", used(10, 100)],
    ["nothing written", used(10, 0)],
    ["a hidden preamble beside a short call", used(9_000, 5)],
    ["search results", used(180_000, 5)],
    ["maxTokens taken for a wish", used(10, 5_000)],
  ])("is believed: %s", (_, usage) => {
    expect(plausibleUsage(usage, asked)).toBe(usage);
  });
});

describe("usage that no provider can mean", () => {
  it.each([1e16, 2 ** 63, 1e300, 1_000_000])(
    "is what was reserved, and marked: %s tokens",
    (many) => {
      for (const usage of [used(10, many), used(many, 10), used(many, many)])
        expect(plausibleUsage(usage, asked)).toEqual({
          inputTokens: maxInputTokens(estimateInputTokens(asked.call, tokenFamilyOf(asked.model))),
          outputTokens: 100,
          estimated: true,
          implausible: true,
        });
    },
  );

  it("is more output than a generous multiple of what was asked", () => {
    const long = { ...asked, maxTokens: 10_000 };
    expect(plausibleUsage(used(10, 110_000), long)).not.toHaveProperty("implausible");
    expect(plausibleUsage(used(10, 110_001), long)).toHaveProperty("implausible", true);
  });

  it("is more than ten thousand million tokens, whatever context was declared", () => {
    const declared = { ...asked.model, contextTokens: Number.MAX_SAFE_INTEGER };
    const usage = used(2 ** 53, 10);
    expect(plausibleUsage(usage, { ...asked, model: declared })).toHaveProperty(
      "implausible",
      true,
    );
    const wished = { ...asked, maxTokens: Number.MAX_SAFE_INTEGER };
    expect(plausibleUsage(used(10, 1e16), wished)).toHaveProperty("implausible", true);
  });

  it("is counted with the reasoning that the request has room for", () => {
    const deep = {
      ...asked,
      maxTokens: 10,
      reasoning: { sent: "high", metadata: "absent", headroom: 16_384 },
    } as const;
    expect(plausibleUsage(used(10, 12_000), deep)).not.toHaveProperty("implausible");
    expect(plausibleUsage(used(10, 200_000), deep)).toMatchObject({
      outputTokens: 10 + 16_384,
      implausible: true,
    });
  });

  it("is more input than the context or a generous multiple of what was sent", () => {
    const model = { ...asked.model, contextTokens: 8_000 };
    const long = callOf(saying({ type: "text", text: "word ".repeat(20_000) }));
    expect(plausibleUsage(used(40_000, 5), { ...asked, model })).toHaveProperty(
      "implausible",
      true,
    );
    expect(plausibleUsage(used(40_000, 5), { ...asked, model, call: long })).not.toHaveProperty(
      "implausible",
    );
    const unknown = { ...asked.model, contextTokens: null };
    expect(plausibleUsage(used(1_000_000, 5), { ...asked, model: unknown })).not.toHaveProperty(
      "implausible",
    );
  });

  it("allows images and speech the tokens that they need", () => {
    const draws = modelOf("google", "painter", { outputModalities: ["text", "image"] });
    const call = callOf({ outputModalities: ["image"] });
    const usage = { ...used(10, 20_000), media: { images: 1, imageOutputTokens: 1_290 } };
    expect(plausibleUsage(usage, { call, model: draws, maxTokens: 100 })).toBe(usage);
  });

  it("never gets into a record, whatever is reported", () => {
    const tokens = fc.double({ min: 0, noNaN: true });
    fc.assert(
      fc.property(tokens, tokens, (input, output) => {
        const usage = plausibleUsage(used(input, output), asked);
        expect(usage.inputTokens).toBeLessThanOrEqual(200_000);
        expect(usage.outputTokens).toBeLessThanOrEqual(11_000);
      }),
    );
  });
});
