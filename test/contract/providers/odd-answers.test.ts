/** Answers of servers that speak OpenAI's wire in their own way. */
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json.ts";
import { checkAnswer } from "../../../src/domain/sampling/answer-check.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { callOf, requestOf } from "../../fixtures/providers/calls.ts";

const properties = { most: { type: "integer" }, city: { type: "string" } };
const lookup = { tools: [{ name: "lookup", inputSchema: { type: "object", properties } }] };

async function answerTo(
  provider: string,
  body: JsonObject | { message: JsonObject; finish_reason?: string; usage?: JsonObject },
  call: SamplingCall = callOf(lookup),
) {
  const { message, finish_reason = "stop", usage } = body;
  const usual = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const whole =
    message === undefined
      ? body
      : { id: "c", choices: [{ index: 0, message, finish_reason }], usage: usage ?? usual };
  const providers = createProviders({
    fetch: async () => Response.json(whole),
    demo: false,
    now: () => 0,
  });
  const asked = { call, baseUrl: "http://127.0.0.1:1/v1" };
  const result = await providers.complete(requestOf({ provider, model: "m" }, asked));
  return result.ok ? checkAnswer(result.value, call) : result;
}

const using = (given: JsonValue) => ({
  message: {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "lookup", arguments: given } }],
  },
  finish_reason: "tool_calls",
});
const saying = (content: string) => ({ message: { role: "assistant", content } });

describe.each(["openai", "mistral", "vllm"])("%s", (provider) => {
  it.each<[string, JsonValue, JsonObject]>([
    ["an object", { city: "Ghent" }, { city: "Ghent" }],
    ["an empty object", {}, {}],
    [
      "a raw line end",
      '{"city":"Gh\nent","say":"a \\"b\\"\t"}',
      { city: "Gh\nent", say: 'a "b"\t' },
    ],
    ["JSON in a string", '"{\\"city\\":\\"Ghent\\"}"', { city: "Ghent" }],
    ["null", null, {}],
    ["the word null", "null", {}],
    ["nothing", "", {}],
    ["a blank", " \n", {}],
    ["in a code fence", '```json\n{"city":"Ghent"}\n```', { city: "Ghent" }],
    ["with a value in a string", '{"most":"5","city":"5"}', { most: 5, city: "5" }],
  ])("reads arguments that are %s", async (_, given, input) => {
    const answer = await answerTo(provider, using(given));
    expect(answer).toMatchObject({ ok: true, value: { content: [{ type: "tool_use", input }] } });
  });

  it.each<[string, JsonValue]>([
    ["cut", '{"city":"Ghe'],
    ["a list", "[1]"],
    ["a number", 5],
    ["prose", "the city of Ghent"],
  ])("takes arguments that are %s for a fault", async (_, given) => {
    expect(await answerTo(provider, using(given))).toMatchObject({
      ok: false,
      error: { kind: "malformed", retryable: true },
    });
  });

  it("takes thoughts at the head of the text out of the answer, before JSON is checked", async () => {
    const json = callOf({ format: "json" });
    for (const text of [
      '<think>Red?</think>\n{"a":1}',
      ' <thinking>\n</thinking>{"a":1}',
      '{"a":1}',
    ])
      expect(await answerTo(provider, saying(text), json)).toMatchObject({
        ok: true,
        value: { content: [{ type: "text", text: '{"a":1}' }] },
      });
    const quoted = "Write <think>this</think> so.";
    expect(await answerTo(provider, saying(quoted))).toMatchObject({
      value: { content: [{ text: quoted }] },
    });
  });

  it("has no answer where the thoughts were cut", async () => {
    const cut = { ...saying("<think>I am still"), finish_reason: "length" };
    expect(await answerTo(provider, cut)).toMatchObject({ ok: false, error: { reach: "model" } });
  });

  it("reads an empty finish reason as the end", async () => {
    const answer = await answerTo(provider, { ...saying("ok"), finish_reason: "" });
    expect(answer).toMatchObject({ value: { stopReason: "endTurn", providerStopReason: null } });
  });

  it("takes an error with status 200 for the server's fault, or for the one that it names", async () => {
    const error = (more: JsonObject) => ({ error: { message: "no capacity", ...more } });
    expect(await answerTo(provider, error({ type: "server_error" }))).toMatchObject({
      ok: false,
      error: { kind: "server", retryable: true },
    });
    expect(await answerTo(provider, error({ code: 429 }))).toMatchObject({
      ok: false,
      error: { kind: "rate_limit" },
    });
  });

  it("counts cache hits at the top of usage", async () => {
    const counts = { prompt_tokens: 10_000, completion_tokens: 10, total_tokens: 10_010 };
    const answer = await answerTo(provider, {
      ...saying("ok"),
      usage: { ...counts, cached_tokens: 9_000 },
    });
    expect(answer).toMatchObject({
      value: { usage: { inputTokens: 10_000, classes: { cacheReadTokens: 9_000 } } },
    });
  });
});
