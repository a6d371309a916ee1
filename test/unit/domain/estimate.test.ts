/** Token estimates cover every part of a call. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  estimateInputTokens,
  inputModalitiesOf,
  tokensOfText,
} from "../../../src/domain/sampling/estimate.ts";
import { tokensIn } from "../../../src/domain/tokens/tokenizers.ts";
import type { Block } from "../../../src/domain/sampling/call.ts";
import { call } from "./models.fixture.ts";
import { anyText } from "../../fixtures/any-text.ts";

const asked = (...content: Block[]) => call({ messages: [{ role: "user", content }] });
const text = (of: string): Block => ({ type: "text", text: of });
const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
const audio = { type: "audio", data: "A".repeat(17_000), mimeType: "audio/mp3" } as const;
const empty = estimateInputTokens(asked());

describe("tokens of a text", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["seven c", 2],
    ["日本語", 3],
    ["한국어", 3],
    ["日本 ab", 3],
  ])("%j are %d", (given, tokens) => {
    expect(tokensOfText(given)).toBe(tokens);
  });

  it("grow with the text", () => {
    fc.assert(
      fc.property(anyText(), anyText(), (a, b) => {
        expect(tokensOfText(a + b)).toBeGreaterThanOrEqual(tokensOfText(a));
        expect(Number.isInteger(tokensOfText(a))).toBe(true);
      }),
    );
  });
});

describe("tokens of a call", () => {
  const more = (of: ReturnType<typeof call>): number => estimateInputTokens(of) - empty;

  it("count texts, the system prompt and tools", () => {
    const ten = "one two three four five six seven eight nine ten";
    expect(more(asked(text(ten)))).toBe(tokensIn(ten, "other"));
    expect(more({ ...asked(), systemPrompt: ten })).toBe(tokensIn(ten, "other"));
    expect(more({ ...asked(), tools: [{ name: "look", inputSchema: {} }] })).toBeGreaterThan(0);
  });

  it("count each message's wrapping", () => {
    expect(estimateInputTokens(call({ messages: [] }))).toBe(0);
    expect(empty).toBeGreaterThan(0);
  });

  it("count an image as the dearest provider does, and audio by its length", () => {
    expect(more(asked(image))).toBe(1_600);
    expect(more(asked(audio))).toBe(100);
  });

  it("count what lies in a tool use and in a tool result", () => {
    const use: Block = { type: "tool_use", id: "1", name: "look", input: { at: "a".repeat(70) } };
    expect(more(asked(use))).toBeGreaterThan(20);
    const result: Block = { type: "tool_result", toolUseId: "1", content: [image] };
    expect(more(asked(result))).toBeGreaterThanOrEqual(1_600);
    const structured: Block = { ...result, structuredContent: { rows: "word ".repeat(100) } };
    expect(more(asked(structured))).toBeGreaterThanOrEqual(1_690);
    const resource: Block = {
      ...result,
      content: [{ type: "resource", raw: { resource: { text: "word ".repeat(100) } } }],
    };
    expect(more(asked(resource))).toBeGreaterThan(90);
  });
});

describe("what a model must read", () => {
  it("always includes text, and the modalities of all blocks, also inside tool results", () => {
    expect(inputModalitiesOf(asked())).toEqual(["text"]);
    expect(inputModalitiesOf(asked(image, image, audio))).toEqual(["text", "image", "audio"]);
    const result: Block = { type: "tool_result", toolUseId: "1", content: [audio] };
    expect(inputModalitiesOf(asked(result))).toEqual(["text", "audio"]);
  });
});
