/** An answer of the AI SDK becomes MCP content. */
import type { LanguageModelV4Content, LanguageModelV4Usage } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateInputTokens, tokensOfText } from "../../../src/domain/sampling/estimate.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { checkToolHistory } from "../../../src/domain/sampling/call.ts";
import { answerOf, stopReasonOf, type Generated } from "../../../src/providers/result.ts";
import { callOf, png, wav } from "../../fixtures/providers/calls.ts";

const usageOf = (input: number | undefined, output: number | undefined): LanguageModelV4Usage => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});

const generated = (
  content: LanguageModelV4Content[],
  change: Partial<Generated> = {},
): Generated => ({
  content,
  finishReason: { unified: "stop", raw: "stop" },
  usage: usageOf(10, 5),
  ...change,
});

const answer = (value: Generated): ReturnType<typeof answerOf> => answerOf(value, callOf(), []);

const toolCall = (input: string): LanguageModelV4Content => ({
  type: "tool-call",
  toolCallId: "t1",
  toolName: "camera",
  input,
});

describe("content", () => {
  it("joins adjacent texts, drops reasoning, keeps order", () => {
    const result = answer(
      generated([
        { type: "reasoning", text: "hmm" },
        { type: "text", text: "a" },
        { type: "reasoning", text: "hmm" },
        { type: "text", text: "b" },
        toolCall('{"zoom":2}'),
        { type: "text", text: "c" },
      ]),
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        content: [
          { type: "text", text: "ab" },
          { type: "tool_use", id: "t1", name: "camera", input: { zoom: 2 } },
          { type: "text", text: "c" },
        ],
      },
    });
  });

  it("turns generated files into blocks, from bytes or base64", () => {
    const bytes = Uint8Array.from(Buffer.from(png, "base64"));
    const result = answer(
      generated([
        { type: "file", mediaType: "image/png", data: { type: "data", data: bytes } },
        { type: "file", mediaType: "audio/wav", data: { type: "data", data: wav } },
      ]),
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        content: [
          { type: "image", data: png, mimeType: "image/png" },
          { type: "audio", data: wav, mimeType: "audio/wav" },
        ],
      },
    });
  });

  it("reads a tool call without input as one with an empty input", () => {
    expect(answer(generated([toolCall("")]))).toMatchObject({
      value: { content: [{ type: "tool_use", input: {} }] },
    });
  });

  it("calls a tool call whose input is no JSON object malformed", () => {
    for (const input of ["{", "[1]", "7", '"x"'])
      expect(answer(generated([toolCall(input)]))).toMatchObject({
        ok: false,
        error: {
          kind: "malformed",
          status: 200,
          retryable: true,
          retryAfterMs: null,
          billed: "maybe",
        },
      });
  });

  it("gives tool uses that share an id an id each, and says so", () => {
    const uses = ["a", "b", "a", "a", "a_2"].map((toolCallId) => ({
      ...toolCall("{}"),
      toolCallId,
    })) as LanguageModelV4Content[];
    const result = answer(generated(uses, { finishReason: { unified: "tool-calls", raw: "x" } }));
    const content = result.ok ? result.value.content : [];
    expect(content.map((block) => block.type === "tool_use" && block.id)).toEqual([
      "a",
      "b",
      "a_3",
      "a_4",
      "a_2",
    ]);
    expect(result.ok && result.value.notes).toEqual([
      "tool uses of the answer shared an id: the later ones got ids of their own",
    ]);
    const results = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, toolUseId: block.id, content: [] }]
        : [],
    );
    const history = [
      { role: "assistant" as const, content },
      { role: "user" as const, content: results },
    ];
    expect(checkToolHistory(history).ok).toBe(true);
  });

  it("calls a success without content empty", () => {
    for (const content of [[], [{ type: "text" as const, text: "" }]])
      expect(answer(generated(content))).toMatchObject({
        ok: false,
        error: { kind: "empty", retryable: true, billed: "maybe" },
      });
  });

  it("calls an answer empty whose reasoning took all of its tokens, and says what it used", () => {
    const finishReason = { unified: "length", raw: "length" } as const;
    const reasoning = { type: "reasoning" as const, text: "hmm" };
    for (const content of [[reasoning], [reasoning, { type: "text" as const, text: " \n" }]])
      expect(answer(generated(content, { finishReason }))).toMatchObject({
        ok: false,
        error: {
          kind: "empty",
          reach: "model",
          retryable: true,
          usage: { inputTokens: 10, outputTokens: 5, estimated: false },
        },
      });
  });

  it("keeps a text and a tool use that were cut", () => {
    const finishReason = { unified: "length", raw: "length" } as const;
    for (const content of [[{ type: "text" as const, text: "Once" }], [toolCall("{}")]])
      expect(answer(generated(content, { finishReason }))).toMatchObject({
        ok: true,
        value: { stopReason: "maxTokens" },
      });
  });
});

describe("reasoning tokens", () => {
  const reported = (reasoning: number | undefined): LanguageModelV4Usage => ({
    ...usageOf(10, 5),
    outputTokens: { total: 5, text: undefined, reasoning },
  });
  const text = { type: "text" as const, text: "a" };

  it("stand in the usage as the provider counted them, and are never more than the output", () => {
    for (const [said, kept] of [
      [3, 3],
      [9, 5],
    ])
      expect(answer(generated([text], { usage: reported(said) }))).toMatchObject({
        value: { usage: { outputTokens: 5, classes: { reasoningTokens: kept } } },
      });
  });

  it("are absent where the provider reports none", () => {
    for (const said of [0, undefined, Number.NaN, -1]) {
      const result = answer(generated([text], { usage: reported(said) }));
      expect(result.ok && result.value.usage).not.toHaveProperty("classes");
    }
  });
});

describe("stop reason", () => {
  // cites: S-045, S-046
  it.each([
    ["stop", "stop", "endTurn"],
    ["stop", "end_turn", "endTurn"],
    ["stop", "stop_sequence", "stopSequence"],
    ["length", "max_tokens", "maxTokens"],
    ["tool-calls", "tool_calls", "toolUse"],
    ["content-filter", "SAFETY", "SAFETY"],
    ["content-filter", "stop", "contentFilter"],
    ["other", "RECITATION_X", "RECITATION_X"],
    ["other", undefined, "other"],
  ] as const)("%s (%s) is %s", (unified, raw, expected) => {
    expect(stopReasonOf({ unified, raw }, [])).toBe(expected);
  });

  // cites: S-045
  it.each([
    ["stop", "toolUse"],
    ["other", "toolUse"],
    ["length", "maxTokens"],
  ] as const)("%s is %s where a tool is used", (unified, expected) => {
    const use = { type: "tool_use", id: "t1", name: "camera", input: {} } as const;
    expect(stopReasonOf({ unified, raw: "whatever" }, [use])).toBe(expected);
  });

  // cites: S-046
  it("keeps the provider's own word", () => {
    const finishReason = { unified: "stop", raw: "end_turn" } as const;
    expect(answer(generated([{ type: "text", text: "a" }], { finishReason }))).toMatchObject({
      value: { stopReason: "endTurn", providerStopReason: "end_turn" },
    });
  });

  it("cuts the provider's own word at 200 characters", () => {
    const finishReason = { unified: "other", raw: "x".repeat(100_000) } as const;
    const cut = "x".repeat(200);
    expect(answer(generated([{ type: "text", text: "a" }], { finishReason }))).toMatchObject({
      value: { stopReason: cut, providerStopReason: cut },
    });
  });
});

describe("usage", () => {
  const text: LanguageModelV4Content[] = [{ type: "text", text: "seven chars or so" }];

  it("is the provider's where it counted", () => {
    expect(answer(generated(text))).toMatchObject({
      value: { usage: { inputTokens: 10, outputTokens: 5, estimated: false } },
    });
  });

  it.each([
    [undefined, undefined],
    [0, 0],
    [Number.NaN, Number.NaN],
    [-1, -1],
  ])("is estimated where the provider counted %s and %s", (input, output) => {
    const result = answer(generated(text, { usage: usageOf(input, output) }));
    expect(result).toMatchObject({
      value: { usage: { inputTokens: estimateInputTokens(callOf()), estimated: true } },
    });
    expect(result.ok && result.value.usage.outputTokens).toBeGreaterThan(0);
  });

  it("is estimated at no more output than the model may write, as it was reserved", () => {
    const long = generated([{ type: "text", text: "fine ".repeat(200) }], {
      usage: usageOf(10, 0),
    });
    const result = answerOf(long, callOf({ maxTokens: 3 }), []);
    expect(result).toMatchObject({ value: { usage: { outputTokens: 3, estimated: true } } });
  });

  it("keeps the half that the provider counted", () => {
    expect(answer(generated(text, { usage: usageOf(undefined, 5) }))).toMatchObject({
      value: { usage: { outputTokens: 5, estimated: true } },
    });
    expect(answer(generated(text, { usage: usageOf(10, undefined) }))).toMatchObject({
      value: { usage: { inputTokens: 10, estimated: true } },
    });
  });

  it.each<[string, LanguageModelV4Content]>([
    ["a text", { type: "text", text: "fine" }],
    ["a tool use", toolCall("{}")],
    ["reasoning", { type: "reasoning", text: "hmm" }],
  ])("is no provider's where %s is said to have no tokens", (_, part) => {
    const result = answer(generated([part, ...text], { usage: usageOf(10, 0) }));
    expect(result).toMatchObject({ value: { usage: { inputTokens: 10, estimated: true } } });
    expect(result.ok && result.value.usage.outputTokens).toBeGreaterThan(0);
    // Nobody knows what an answer used that can't be read, so that the fault has no usage.
    const unreadable = [part, toolCall("{")];
    expect(answer(generated(unreadable, { usage: usageOf(10, 0) }))).toMatchObject({
      ok: false,
      error: { usage: null },
    });
  });

  it("has as output what the total leaves to the input, where the output is not said", () => {
    const usage = { ...usageOf(10, 0), raw: { total_tokens: 60 } };
    const result = answer(generated(text, { usage }));
    expect(result.ok && result.value.usage).toEqual({
      inputTokens: 10,
      outputTokens: 50,
      estimated: false,
    });
  });

  it("counts reasoning that is dropped into the estimate", () => {
    const none = { usage: usageOf(undefined, undefined) };
    const plain = answer(generated(text, none));
    const long = answer(
      generated([{ type: "reasoning", text: "hmm ".repeat(100) }, ...text], none),
    );
    expect(
      plain.ok && long.ok && long.value.usage.outputTokens - plain.value.usage.outputTokens,
    ).toBeGreaterThan(90);
  });

  const counted = (usage: {
    inputTokens: Partial<LanguageModelV4Usage["inputTokens"]>;
    outputTokens: Partial<LanguageModelV4Usage["outputTokens"]>;
    raw?: JsonObject;
  }): LanguageModelV4Usage => {
    const none = usageOf(undefined, undefined);
    return {
      inputTokens: { ...none.inputTokens, ...usage.inputTokens },
      outputTokens: { ...none.outputTokens, ...usage.outputTokens },
      ...(usage.raw === undefined ? {} : { raw: usage.raw }),
    };
  };
  const usageFrom = (usage: LanguageModelV4Usage, more: Partial<Generated> = {}) => {
    const result = answer(generated(text, { usage, ...more }));
    return result.ok ? result.value.usage : null;
  };

  it("has the classes that its provider told apart", () => {
    // As Anthropic answers: cache writes by lifetime are in the raw usage alone.
    const raw = {
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
    };
    expect(
      usageFrom(
        counted({
          inputTokens: { total: 20_000, cacheRead: 18_000, cacheWrite: 300 },
          outputTokens: { total: 90, reasoning: 60 },
          raw,
        }),
      ),
    ).toEqual({
      inputTokens: 20_000,
      outputTokens: 90,
      estimated: false,
      classes: {
        cacheReadTokens: 18_000,
        cacheWriteTokens: 200,
        cacheWriteHourTokens: 100,
        reasoningTokens: 60,
      },
    });
  });

  it.each<[string, JsonObject]>([
    [
      "Google",
      {
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 10 },
          { modality: "AUDIO", tokenCount: 90 },
        ],
        cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 40 }],
      },
    ],
    ["OpenAI", { prompt_tokens_details: { audio_tokens: 90 } }],
    ["OpenAI's Responses", { input_tokens_details: { audio_tokens: 90 } }],
  ])("has audio as %s tells it", (provider, raw) => {
    const usage = counted({
      inputTokens: { total: 100, cacheRead: 40 },
      outputTokens: { total: 5 },
      raw,
    });
    expect(usageFrom(usage)?.classes).toMatchObject({
      cacheReadTokens: 40,
      audioInputTokens: 90,
      // No provider said so, but only 60 tokens are left beside those from the cache.
      cacheReadAudioTokens: provider === "Google" ? 40 : 30,
    });
  });

  it.each<[string, JsonObject, object]>([
    ["DeepSeek's cache", { prompt_cache_hit_tokens: 70 }, { cacheReadTokens: 70 }],
    [
      "OpenRouter's writes",
      { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 80 } },
      { cacheWriteTokens: 80 },
    ],
  ])("has %s, which the library of their wire doesn't read", (_, raw, classes) => {
    const usage = counted({ inputTokens: { total: 100 }, outputTokens: { total: 5 }, raw });
    expect(usageFrom(usage)?.classes).toEqual(classes);
  });

  it("has what its library left out of the raw usage, from the answer as it came", () => {
    const body = { usage: { prompt_tokens_details: { audio_tokens: 90 } } };
    const usage = counted({ inputTokens: { total: 100 }, outputTokens: { total: 5 }, raw: {} });
    expect(usageFrom(usage, { response: { body } })?.classes).toEqual({ audioInputTokens: 90 });
  });

  it.each(["total_tokens", "totalTokenCount"])(
    "counts as output what %s has in the total beyond the input: reasoning",
    (total) => {
      const usage = counted({
        inputTokens: { total: 100 },
        outputTokens: { total: 5, reasoning: 0 },
        raw: { [total]: 905 },
      });
      expect(usageFrom(usage)).toEqual({
        inputTokens: 100,
        outputTokens: 805,
        estimated: false,
        classes: { reasoningTokens: 800 },
      });
      const sum = counted({
        inputTokens: { total: 100 },
        outputTokens: { total: 5 },
        raw: { [total]: 105 },
      });
      expect(usageFrom(sum)).toEqual({ inputTokens: 100, outputTokens: 5, estimated: false });
    },
  );

  it("stands in the fault of an empty answer, where the provider counted", () => {
    const usage = usageOf(10, 5);
    for (const content of [[], [toolCall("{")]])
      expect(answer(generated(content, { usage }))).toMatchObject({
        ok: false,
        error: { usage: { inputTokens: 10, outputTokens: 5, estimated: false } },
      });
    expect(answer(generated([], { usage: usageOf(0, 0) }))).toMatchObject({
      error: { usage: null },
    });
  });

  it("counts as an image what neither text nor reasoning accounts for, up to the largest image", () => {
    const image: LanguageModelV4Content = {
      type: "file",
      mediaType: "image/png",
      data: { type: "data", data: png },
    };
    const drawn = (output: number, raw?: JsonObject) =>
      answer(
        generated([...text, image], {
          usage: counted({
            inputTokens: { total: 10 },
            outputTokens: { total: output, reasoning: 2_000 },
            ...(raw === undefined ? {} : { raw }),
          }),
        }),
      );
    const imagesOf = (result: ReturnType<typeof answer>) =>
      result.ok ? result.value.usage.media?.imageOutputTokens : null;
    expect(imagesOf(drawn(3_300))).toBe(3_300 - 2_000 - tokensOfText("seven chars or so"));
    expect(imagesOf(drawn(9_000))).toBe(2_520);
    const told = { candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }] };
    expect(imagesOf(drawn(9_000, told))).toBe(1_290);
  });

  it("is always whole, finite and positive", () => {
    const tokens = fc.option(fc.double(), { nil: undefined });
    fc.assert(
      fc.property(tokens, tokens, (input, output) => {
        const result = answer(generated(text, { usage: usageOf(input, output) }));
        if (!result.ok) return false;
        const { inputTokens, outputTokens } = result.value.usage;
        return (
          Number.isInteger(inputTokens) &&
          inputTokens > 0 &&
          Number.isInteger(outputTokens) &&
          outputTokens >= 0
        );
      }),
    );
  });
});
