/** The demo provider is deterministic, labeled and free. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { demoAnswer, demoModels } from "../../../src/providers/demo.ts";
import { callOf, png, saying } from "../../fixtures/providers/calls.ts";

const label = "[demo model, no provider was called]";
const answer = (call = callOf(), maxTokens = 100): ReturnType<typeof demoAnswer> =>
  demoAnswer({ call, maxTokens });

describe("demo", () => {
  it("says that it is the demo, and quotes the user's last text", () => {
    const call = callOf(saying({ type: "text", text: "x".repeat(100) }));
    expect(answer(call).content).toEqual([
      { type: "text", text: `${label} You said: "${"x".repeat(80)}"` },
    ]);
    expect(answer(call)).toMatchObject({ stopReason: "endTurn", usage: { estimated: true } });
  });

  it("answers a tool result with its text, and an image without one", () => {
    const result = callOf(
      saying({
        type: "tool_result",
        toolUseId: "t1",
        content: [{ type: "text", text: "12 °C" }],
      }),
    );
    expect(JSON.stringify(answer(result).content)).toContain("12 °C");
    const image = callOf(saying({ type: "image", data: png, mimeType: "image/png" }));
    expect(JSON.stringify(answer(image).content)).toContain(label);
  });

  it("stops at maxTokens and at stop sequences", () => {
    expect(answer(callOf(), 3)).toMatchObject({
      content: [{ text: "[demo mod" }],
      stopReason: "maxTokens",
    });
    expect(answer(callOf({ stopSequences: ["never", " You"] }))).toMatchObject({
      content: [{ text: label }],
      stopReason: "stopSequence",
    });
  });

  it("uses the first tool when one is required, with an id of its own in every round", () => {
    const tools = [
      { name: "camera", inputSchema: {} },
      { name: "b", inputSchema: {} },
    ];
    expect(answer(callOf({ tools, toolChoice: "required" }))).toMatchObject({
      content: [{ type: "tool_use", id: "demo-call-1", name: "camera", input: {} }],
      stopReason: "toolUse",
    });
    expect(answer(callOf({ tools, toolChoice: "auto" }))).toMatchObject({ stopReason: "endTurn" });
  });

  it("is deterministic and stays within maxTokens for anything in plain letters", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 200 }), (text, maxTokens) => {
        const call = callOf(saying({ type: "text", text }));
        const first = answer(call, maxTokens);
        expect(answer(call, maxTokens)).toEqual(first);
        expect(first.usage.outputTokens).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  it("has labelled models that cost nothing", () => {
    expect(demoModels.map(({ id }) => id)).toEqual(["demo-small", "demo-large"]);
    for (const model of demoModels)
      expect(model).toMatchObject({
        provider: "demo",
        name: expect.stringContaining("(demo, canned)"),
        inputUsdPerMTok: 0,
        outputUsdPerMTok: 0,
        source: "catalogue",
      });
    expect(new Set(demoModels.map(({ intelligence }) => intelligence)).size).toBe(2);
    expect(new Set(demoModels.map(({ speed }) => speed)).size).toBe(2);
  });
});
