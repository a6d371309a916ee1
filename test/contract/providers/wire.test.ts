/** What goes over the wire and comes back, against a faithful provider, as each library speaks it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { own, type JsonObject } from "../../../src/domain/json.ts";
import type { ProviderAnswer, ProviderRequest } from "../../../src/domain/sampling/providers.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { startAimock, usageOf, type Aimock } from "../../fakes/aimock.ts";
import {
  callOf,
  loopbackFetch,
  png,
  requestOf,
  saying,
  wires,
} from "../../fixtures/providers/calls.ts";

const usage = usageOf(11, 7);
const image = { type: "image", data: png, mimeType: "image/png" } as const;
const tools = [
  {
    name: "get_weather",
    description: "The weather of a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

let aimock: Aimock;
beforeAll(async () => {
  aimock = await startAimock([
    { match: { toolCallId: "call_1" }, response: { content: "It is 12 °C.", usage } },
    {
      match: { userMessage: "weather in Ghent" },
      response: {
        toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Ghent"}' }],
        usage,
      },
    },
    { match: { userMessage: "what is this" }, response: { content: "A red pixel.", usage } },
    {
      match: { userMessage: "cut me off" },
      response: { content: "Once upon", finishReason: "length", usage },
    },
    {
      match: { userMessage: "count nothing" },
      response: { content: "No usage here.", usage: usageOf(0, 0) },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there!", usage } },
  ]);
});
afterAll(() => aimock.stop());
beforeEach(() => aimock.clear());

describe.each(wires)("$provider", (wire) => {
  const providers = createProviders({ fetch: loopbackFetch, demo: false, now: Date.now });

  const ask = async (
    call: SamplingCall,
    change: Partial<ProviderRequest> = {},
  ): Promise<{ answer: ProviderAnswer; sent: JsonObject; headers: Record<string, string> }> => {
    const request = requestOf(wire, { baseUrl: aimock.url(wire.provider), call });
    const result = await providers.complete({ ...request, ...change });
    if (!result.ok) throw new Error(`fault: ${JSON.stringify(result.error)}`);
    const [entry, ...more] = await aimock.journal();
    expect(more).toEqual([]);
    return {
      answer: result.value,
      sent: entry?.body as JsonObject,
      headers: entry?.headers ?? {},
    };
  };

  /** A setting where this provider has it. */
  const setting = (
    sent: JsonObject,
    names: { openai: string; anthropic: string; google: string },
  ): unknown =>
    wire.provider === "google"
      ? own(sent["generationConfig"], names.google)
      : sent[wire.provider === "anthropic" ? names.anthropic : names.openai];

  it("answers a text, with the provider's usage and stop reason", async () => {
    const { answer, headers } = await ask(callOf());
    expect(answer).toEqual({
      content: [{ type: "text", text: "Hi there!" }],
      stopReason: "endTurn",
      providerStopReason: { openai: "stop", groq: "stop", anthropic: "end_turn", google: "STOP" }[
        wire.provider
      ],
      usage: { inputTokens: 11, outputTokens: 7, estimated: false },
      notes: [],
    });
    const key = { openai: "authorization", anthropic: "x-api-key", google: "x-goog-api-key" };
    const header = key[wire.provider === "groq" ? "openai" : wire.provider];
    expect(headers[header]).toContain("test-key");
  });

  // cites: S-034
  it("sends the system prompt where the provider has it", async () => {
    const { sent } = await ask(callOf({ systemPrompt: "Be brief." }));
    if (wire.provider === "anthropic")
      expect(sent["system"]).toEqual([{ type: "text", text: "Be brief." }]);
    else if (wire.provider === "google")
      expect(sent["systemInstruction"]).toEqual({ parts: [{ text: "Be brief." }] });
    else expect(sent["messages"]).toContainEqual({ role: "system", content: "Be brief." });
  });

  it("sends an image", async () => {
    const { answer, sent } = await ask(
      callOf(saying({ type: "text", text: "what is this" }, image)),
    );
    expect(answer.content).toEqual([{ type: "text", text: "A red pixel." }]);
    const expected = {
      anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      google: { inlineData: { mimeType: "image/png", data: png } },
      openai: { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    };
    const key = wire.provider === "groq" ? "openai" : wire.provider;
    expect(JSON.stringify(sent)).toContain(JSON.stringify(expected[key]));
  });

  // cites: S-032, S-037, S-038
  it("sends maxTokens, temperature and stop sequences", async () => {
    const call = callOf({ maxTokens: 500, temperature: 0.25, stopSequences: ["END", "\n\n#"] });
    const { sent, answer } = await ask(call, { maxTokens: 123 });
    expect(
      setting(sent, {
        openai: "max_tokens",
        anthropic: "max_tokens",
        google: "maxOutputTokens",
      }),
    ).toBe(123);
    const temperature = "temperature";
    expect(
      setting(sent, { openai: temperature, anthropic: temperature, google: temperature }),
    ).toBe(0.25);
    expect(
      setting(sent, { openai: "stop", anthropic: "stop_sequences", google: "stopSequences" }),
    ).toEqual(["END", "\n\n#"]);
    expect(answer.notes).toEqual([]);
  });

  it("sends no metadata, no hint and no key in the body or the address", async () => {
    const metadata = { note: "metadata-canary" };
    await ask(callOf({ metadata, hints: ["hint-canary"] }));
    const [entry] = await aimock.journal();
    expect(`${entry?.path} ${JSON.stringify(entry?.body)}`).not.toMatch(/canary|test-key/);
  });

  it("uses a tool, and takes its result back with the same id", async () => {
    const asking = callOf({ ...saying({ type: "text", text: "weather in Ghent" }), tools });
    const { answer, sent } = await ask(asking);
    expect(answer).toMatchObject({
      content: [{ type: "tool_use", name: "get_weather", input: { city: "Ghent" } }],
      stopReason: "toolUse",
      usage: { inputTokens: 11, outputTokens: 7, estimated: false },
    });
    expect(JSON.stringify(sent["tools"])).toContain("The weather of a city.");

    aimock.clear();
    const use = answer.content[0];
    if (use?.type !== "tool_use") throw new Error("no tool use");
    // aimock gives Gemini calls ids of its own, and finds the result's fixture by the id in the
    // result.
    const id = "call_1";
    const second = await ask({
      ...asking,
      messages: [
        ...asking.messages,
        { role: "assistant", content: [{ ...use, id }] },
        {
          role: "user",
          content: [
            { type: "tool_result", toolUseId: id, content: [{ type: "text", text: "12 °C" }] },
          ],
        },
      ],
    });
    expect(second.answer.content).toEqual([{ type: "text", text: "It is 12 °C." }]);
    const wireText = JSON.stringify(second.sent);
    expect(wireText).toContain("12 °C");
    expect(wireText.split('"get_weather"').length - 1).toBeGreaterThanOrEqual(2);
  });

  // cites: S-047, S-048, S-049
  it.each(["required", "none", "auto"] as const)("sends the tool choice %s", async (toolChoice) => {
    const { sent } = await ask(callOf({ tools, toolChoice }));
    const expected = {
      anthropic: { required: "any", none: "none", auto: "auto" },
      google: { required: "ANY", none: "NONE", auto: "AUTO" },
      openai: { required: "required", none: "none", auto: "auto" },
    };
    const key = wire.provider === "groq" ? "openai" : wire.provider;
    const chosen =
      key === "anthropic"
        ? own(sent["tool_choice"], "type")
        : key === "google"
          ? own(own(sent["toolConfig"], "functionCallingConfig"), "mode")
          : sent["tool_choice"];
    expect(chosen).toBe(expected[key][toolChoice]);
  });

  it("sends the image of a tool result as an image, never as text", async () => {
    const call = callOf({
      tools,
      messages: [
        { role: "user", content: [{ type: "text", text: "look" }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_1", name: "get_weather", input: {} }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", toolUseId: "call_1", content: [image] }],
        },
        { role: "assistant", content: [{ type: "text", text: "I see." }] },
        { role: "user", content: [{ type: "text", text: "what is this" }] },
      ],
    });
    const { sent } = await ask(call);
    const asImage = JSON.stringify(sent).match(/"(url|data)":"(data:image\/png;base64,)?iVBOR/g);
    expect(asImage).toHaveLength(1);
    expect(JSON.stringify(sent).split(png)).toHaveLength(2);
    expect(JSON.stringify(sent)).not.toContain('\\"data\\"');
  });

  it("says that the answer was cut off", async () => {
    const { answer } = await ask(callOf(saying({ type: "text", text: "cut me off" })));
    expect(answer).toMatchObject({
      content: [{ type: "text", text: "Once upon" }],
      stopReason: "maxTokens",
      providerStopReason: {
        openai: "length",
        groq: "length",
        anthropic: "max_tokens",
        google: "MAX_TOKENS",
      }[wire.provider],
    });
  });

  it("estimates usage that the provider doesn't report", async () => {
    const { answer } = await ask(callOf(saying({ type: "text", text: "count nothing" })));
    expect(answer.usage.estimated).toBe(true);
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    expect(answer.usage.outputTokens).toBeGreaterThan(0);
  });

  it("has a fault for a request that no fixture matches: the suite is strict", async () => {
    const call = callOf(saying({ type: "text", text: "unheard of" }));
    const request = requestOf(wire, { baseUrl: aimock.url(wire.provider), call });
    expect(await providers.complete(request)).toMatchObject({
      ok: false,
      error: { kind: "server", status: 503 },
    });
  });
});

describe("the Responses API", () => {
  it("serves the models that need it, stores nothing, says what it dropped", async () => {
    const providers = createProviders({ fetch: loopbackFetch, demo: false, now: Date.now });
    const call = callOf({ stopSequences: ["END"], temperature: 0.5 });
    const result = await providers.complete(
      requestOf(
        { provider: "openai", model: "gpt-5-pro" },
        { baseUrl: aimock.url("openai"), call, model: { reasoning: true, temperature: false } },
      ),
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        content: [{ type: "text", text: "Hi there!" }],
        stopReason: "endTurn",
        usage: { inputTokens: 11, outputTokens: 7, estimated: false },
        notes: [
          "temperature left out: this model does not take it",
          "stopSequences left out: this model does not take them",
        ],
      },
    });
    const [entry] = await aimock.journal();
    expect(entry?.path).toBe("/v1/responses");
    expect(entry?.body).toMatchObject({ store: false, max_output_tokens: 100 });
  });
});
