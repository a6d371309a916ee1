/** Which calls exclude which wires, and how many tokens a model may write. */
import { describe, expect, it } from "vitest";
import type { Model } from "../../../../src/domain/models/model.ts";
import { writableTokens } from "../../../../src/domain/models/reasoning.ts";
import type { SamplingCall } from "../../../../src/domain/sampling/call.ts";
import { choose } from "../../../../src/domain/choice/selection.ts";
import { demandsOf, misfitOf } from "../../../../src/domain/wires/demands.ts";
import { takesPrefill } from "../../../../src/domain/wires/rules.ts";
import { callOf, modelOf, png, saying } from "../../../fixtures/providers/calls.ts";
import { credential, field, model } from "../models.fixture.ts";

const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const image = (data: string, mimeType = "image/png") =>
  saying({ type: "image", data, mimeType }, { type: "text", text: "What is it?" });
const text = (role: "user" | "assistant", value: string): SamplingCall["messages"][number] => ({
  role,
  content: [{ type: "text", text: value }],
});
const prefilled = { messages: [text("user", "JSON, please"), text("assistant", "{")] };

/** Which of these providers are excluded, and why. */
function excluded(call: SamplingCall, ids: Record<string, string> = {}) {
  const demands = demandsOf(call) ?? {};
  return Object.fromEntries(
    ["openai", "anthropic", "google", "mistral", "groq", "vllm"].flatMap((provider) => {
      const reason = misfitOf(modelOf(provider, ids[provider] ?? "m"), demands);
      return reason === null ? [] : [[provider, reason]];
    }),
  );
}

describe("what no other form of a call spares a wire", () => {
  it("is a number of tools", () => {
    const tools = (length: number) =>
      callOf({
        tools: Array.from({ length }, (_, at) => ({ name: `t${at}`, inputSchema: {} })),
      });
    expect(demandsOf(tools(128))).toBeUndefined();
    expect(excluded(tools(129))).toEqual({ openai: "tool_count", groq: "tool_count" });
    expect(excluded(tools(513))).toEqual({
      openai: "tool_count",
      groq: "tool_count",
      google: "tool_count",
    });
  });

  it("is a format of an image, by its bytes and not by its label", () => {
    const everyone = Object.fromEntries(
      ["openai", "anthropic", "google", "mistral", "groq", "vllm"].map((each) => [
        each,
        "image_format",
      ]),
    );
    const svg = base64('<svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const data of [
      svg,
      base64("BM\0\0\0\0"),
      base64("II*\0\b\0\0\0"),
      base64("\0\0\0\u001cftypavif"),
    ])
      expect(excluded(callOf(image(data, "image/png")))).toEqual(everyone);
    expect(excluded(callOf(image("AAAA", "image/svg+xml")))).toEqual(everyone);
    expect(excluded(callOf(image(base64("GIF89a\x01\0\x01\0"))))).toEqual({
      google: "image_format",
    });
    for (const label of ["IMAGE/PNG", "image/jpeg", "image/svg+xml"])
      expect(excluded(callOf(image(png, label)))).toEqual({});
  });

  it("is the size of an image", () => {
    expect(Object.values(excluded(callOf(image(""))))).toEqual(Array(6).fill("image_size"));
    const large = png + "A".repeat(10_485_760);
    expect(excluded(callOf(image(large)))).toEqual({ anthropic: "image_size", groq: "image_size" });
    expect(excluded(callOf(image(png + "A".repeat(4_200_000))))).toEqual({ groq: "image_size" });
    const half = {
      type: "image",
      data: png + "A".repeat(2_100_000),
      mimeType: "image/png",
    } as const;
    expect(excluded(callOf(saying(half)))).toEqual({});
    expect(excluded(callOf(saying(half, half)))).toEqual({ groq: "image_size" });
  });

  it("is the sides of an image", () => {
    const sized = (width: number, height: number) => {
      const sides = Buffer.alloc(8);
      sides.writeUInt32BE(width, 0);
      sides.writeUInt32BE(height, 4);
      return image(base64(`\u0089PNG\r\n\u001a\n\0\0\0\rIHDR${sides.toString("latin1")}`));
    };
    expect(excluded(callOf(sized(8_000, 1)))).toEqual({});
    expect(excluded(callOf(sized(1, 8_001)))).toEqual({ anthropic: "image_size" });
    expect(excluded(callOf(sized(7_680, 4_320)))).toEqual({});
    expect(excluded(callOf(sized(7_680, 4_321)))).toEqual({ groq: "image_size" });
  });

  it("is the number of images, which also bounds the sides of each", () => {
    const some = (count: number, change: Partial<Model> = {}) => {
      const block = { type: "image", data: png, mimeType: "image/png" } as const;
      const demands = demandsOf(callOf(saying(...Array.from({ length: count }, () => block))));
      return ["openai", "anthropic", "google", "mistral", "groq", "vllm"].filter(
        (provider) => misfitOf(modelOf(provider, "m", change), demands ?? {}) === "image_count",
      );
    };
    expect(some(5)).toEqual([]);
    expect(some(9)).toEqual(["mistral", "groq"]);
    expect(some(101)).toEqual(["anthropic", "mistral", "groq"]);
    expect(some(101, { contextTokens: 1_000_000 })).toEqual(["mistral", "groq"]);
    const wide = {
      type: "image",
      data: base64("GIF89a\xd1\x07\x01\0"),
      mimeType: "image/gif",
    } as const;
    const claude = modelOf("anthropic", "m");
    const misfit = (count: number) =>
      misfitOf(
        claude,
        demandsOf(callOf(saying(...Array.from({ length: count }, () => wide)))) ?? {},
      );
    expect([misfit(20), misfit(21)]).toEqual([null, "image_size"]);
  });

  it("is a last word of the assistant's", () => {
    const newer = { anthropic: "claude-opus-4-6" };
    expect(excluded(callOf(prefilled), newer)).toEqual({
      anthropic: "prefill",
      mistral: "prefill",
    });
    const older = { anthropic: "claude-haiku-4-5" };
    expect(excluded(callOf(prefilled), older)).toEqual({ mistral: "prefill" });
    const blank = { messages: [text("user", "a"), text("assistant", " ")] };
    expect(demandsOf(callOf(blank))).toBeUndefined();
  });

  it.each([
    ["claude-3-5-sonnet-20241022", true],
    ["claude-opus-4-1-20250805", true],
    ["claude-sonnet-4-5", true],
    ["claude-sonnet-4-6", false],
    ["claude-opus-5", false],
  ])("knows which Claude goes on with a text: %s, %s", (id, takes) => {
    expect(takesPrefill(modelOf("anthropic", id))).toBe(takes);
  });

  it("knows a Claude behind another's wire, and believes the catalogue before its name", () => {
    expect(takesPrefill(modelOf("openrouter", "anthropic/claude-opus-4.6"))).toBe(false);
    expect(takesPrefill(modelOf("openrouter", "anthropic/claude-3.5-sonnet"))).toBe(true);
    expect(takesPrefill(modelOf("anthropic", "claude-opus-5", { prefill: true }))).toBe(true);
    expect(takesPrefill(modelOf("mine", "m", { prefill: false }))).toBe(false);
  });
});

describe("a choice", () => {
  const chosen = (call: SamplingCall, models: Model[]) =>
    choose(
      call,
      field({
        models,
        credentials: [...new Set(models.map((m) => m.provider))].map((each) => credential(each)),
      }),
    );

  it("takes another model, and says why in the candidates", () => {
    const plan = chosen(callOf({ ...prefilled, hints: ["claude"] }), [
      model("anthropic/claude-opus-4-6"),
      model("openai/gpt-9"),
    ]);
    expect(plan.ok && plan.value.decision.candidates).toMatchObject([
      { model: "gpt-9" },
      { model: "claude-opus-4-6", excludedBy: "prefill" },
    ]);
  });

  it("refuses where none is left, with that reason", () => {
    expect(chosen(callOf(prefilled), [model("mistral/mistral-large")])).toMatchObject({
      ok: false,
      error: { candidates: [{ model: "mistral/mistral-large", excludedBy: "prefill" }] },
    });
  });

  it("follows a hint to a model that writes less than was asked for", () => {
    const small = model("anthropic/claude-haiku-4-5", { outputTokens: 64_000 });
    const large = model("anthropic/claude-opus-4-1", { outputTokens: 128_000 });
    const call = callOf({ maxTokens: 64_001, hints: ["claude-haiku-4-5"] });
    const plan = chosen(call, [small, large]);
    expect(plan.ok && plan.value.decision).toMatchObject({
      model: "claude-haiku-4-5",
      estimate: { outputTokens: 64_000 },
    });
  });
});

describe("how much a model may write", () => {
  const of = (outputTokens: number | null, contextTokens: number | null, inputTokens: number) =>
    writableTokens({ outputTokens, contextTokens }, { inputTokens, maxTokens: 4_000 });

  it("is what was asked for, its output, or the room beside the input", () => {
    expect(of(null, null, 10)).toBe(4_000);
    expect(of(3_000, null, 10)).toBe(3_000);
    expect(of(null, 10_000, 7_000)).toBe(3_000);
    expect(of(500, 10_000, 9_990)).toBe(500);
  });

  it("is never less than a short answer for want of room", () => {
    expect(of(null, 10_000, 9_990)).toBe(1_024);
  });
});
