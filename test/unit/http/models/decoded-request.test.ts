/** A request that no call can hold is outlined, and says what only its own API carries; some members no provider is sent. */
import { describe, expect, it } from "vitest";
import type { EndpointPolicy } from "../../../../src/domain/choice/policy.ts";
import type { JsonObject } from "../../../../src/domain/json.ts";
import { estimateInputTokens } from "../../../../src/domain/sampling/estimate.ts";
import { decodeChat } from "../../../../src/http/models/chat-request.ts";
import { decodedRequest } from "../../../../src/http/models/decoded-request.ts";
import { decodeMessages } from "../../../../src/http/models/messages-request.ts";
import { decodeResponses } from "../../../../src/http/models/responses-request.ts";
import { claudeCode, codex } from "../../../fixtures/models/recorded.ts";
import { png } from "../../../fixtures/providers/calls.ts";

const endpoints = {
  messages: { name: "messages", decode: decodeMessages },
  responses: { name: "responses", decode: decodeResponses },
  chat: { name: "chat.completions", decode: decodeChat },
} as const;
const plain: Record<keyof typeof endpoints, JsonObject> = {
  messages: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello there." }] },
  responses: { model: "m", input: "Hello there." },
  chat: { model: "m", messages: [{ role: "user", content: "Hello there." }] },
};

const decoded = (
  endpoint: keyof typeof endpoints,
  more: JsonObject = {},
  policy: EndpointPolicy = {},
) => decodedRequest(endpoints[endpoint], { ...plain[endpoint], ...more }, policy);
const callOf = (endpoint: keyof typeof endpoints, more: JsonObject = {}) => {
  const result = decoded(endpoint, more);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value.call;
};
const saying = (...content: JsonObject[]): JsonObject => ({
  messages: [{ role: "user", content }],
});

it("a request that loses nothing holds nothing beside its call", () => {
  for (const endpoint of ["messages", "responses", "chat"] as const)
    expect(callOf(endpoint).passing).toBeUndefined();
});

describe("what only the own API carries is named", () => {
  it.each([
    ["messages", { context_management: {} }, "context_management"],
    [
      "messages",
      saying({ type: "thinking", thinking: "t", signature: "s" }),
      "messages.0.content.0",
    ],
    ["messages", saying({ type: "document", source: { type: "url" } }), "messages.0.content.0"],
    ["responses", { previous_response_id: "resp_1" }, "previous_response_id"],
    ["responses", { store: true }, "store"],
    ["responses", { input: [{ type: "reasoning", encrypted_content: "x" }] }, "input.0.type"],
    ["chat", { n: 2 }, "n"],
    ["chat", { logprobs: true }, "logprobs"],
    [
      "chat",
      saying({ type: "image_url", image_url: { url: "https://a.test/b.png" } }),
      "messages.0.content.0",
    ],
    ["chat", saying({ type: "file", file: { file_id: "file_1" } }), "messages.0.content.0"],
  ] as const)("%s %j", (endpoint, more, loss) => {
    expect(callOf(endpoint, more as JsonObject).passing?.losses).toEqual([loss]);
  });

  it("by the wire's own words, and never by those of the caller", () => {
    const input_schema = { "secret key": [Infinity] };
    const tools = [{ name: "a", input_schema }] as unknown as JsonObject[];
    expect(JSON.stringify(callOf("messages", { tools }).passing)).not.toContain("secret");
  });
});

describe("an outline", () => {
  it.each([
    ["messages", claudeCode.body("claude-sonnet-4-6"), 5, 64_000],
    ["responses", codex.body("gpt-5-mini"), 7, 16_384],
  ] as const)("of %s counts messages, tools and tokens", (endpoint, text, messages, maxTokens) => {
    const result = decodedRequest(endpoints[endpoint], JSON.parse(text) as JsonObject);
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    const { call } = result.value;
    expect([call.messages.length, call.maxTokens, call.tools.map(({ name }) => name)]).toEqual([
      messages,
      maxTokens,
      endpoint === "messages" ? ["Bash"] : ["shell", "apply_patch"],
    ]);
    expect(call.systemPrompt).toMatch(/^You are (Claude Code|Codex)\.$/);
    const tokens = estimateInputTokens(call, endpoint === "messages" ? "anthropic" : "openai");
    expect(tokens).toBeGreaterThan(150);
    expect(tokens).toBeLessThan(500);
    if (endpoint === "messages") expect(call.passing?.cacheWrites).toBe("hour");
  });

  it("counts an image, whose size nobody knows, as the largest", () => {
    const by = (...parts: JsonObject[]): number =>
      estimateInputTokens(callOf("chat", { n: 2, ...saying(...parts) }));
    const image = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
    const inline = { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } };
    const text = { type: "text", text: "x" };
    expect(by(text, image) - by(text)).toBe(1_600);
    expect(by(text, inline) - by(text)).toBe(1_600);
  });

  it.each([
    ["a file by its id", "chat", saying({ type: "file", file: { file_id: "file_1" } })],
    ["a stored response", "responses", { previous_response_id: "resp_1" }],
    [
      "a stored image",
      "messages",
      saying({ type: "image", source: { type: "file", file_id: "f" } }),
    ],
  ] as const)("reserves all of the context for %s", (_, endpoint, more) => {
    expect(callOf(endpoint, more as JsonObject).passing?.unmeasuredTokens).toBe(10_000_000);
  });

  it("reserves for a document by its size, and for many answers", () => {
    const source = { type: "base64", media_type: "application/pdf", data: "A".repeat(6_000) };
    const document = saying({ type: "document", source });
    expect(callOf("messages", document).passing?.unmeasuredTokens).toBe(1_000);
    expect(callOf("chat", { n: 3 }).passing?.answers).toBe(3);
  });

  it("takes a tool's own arguments for no file", () => {
    const use = { type: "tool_use", id: "1", name: "a", input: { file_id: "mine" } };
    const call = callOf("messages", {
      context_management: {},
      messages: [{ role: "assistant", content: [use] }],
    });
    expect(call.passing).toEqual({ losses: ["context_management"] });
  });

  it("of a deeply nested body ends", () => {
    let content: JsonObject = { type: "text", text: "x" };
    for (let level = 0; level < 20_000; level += 1) content = { type: "x", inside: content };
    expect(callOf("messages", saying(content)).messages[0]?.content).toHaveLength(1);
  });
});

describe("refused by name, whichever provider there is", () => {
  it.each([
    ["responses", { background: true }, "background"],
    ["messages", { fallbacks: ["a"] }, "fallbacks"],
    ["chat", { service_tier: "priority" }, "service_tier"],
    ["messages", { speed: "fast" }, "speed"],
    ["messages", { inference_geo: "us" }, "inference_geo"],
    ["messages", { mcp_servers: [{}] }, "mcp_servers"],
    ["chat", { web_search_options: {} }, "web_search_options"],
    ["messages", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools.0.type"],
    ["responses", { tools: [{ type: "function", name: "a" }, { type: "mcp" }] }, "tools.1.type"],
    ["responses", { tools: [{ type: "code_interpreter" }] }, "tools.0.type"],
    ["messages", { model: 1 }, "model"],
    ["messages", { max_tokens: "many" }, "max_tokens"],
    ["chat", { n: 0.5 }, "n"],
    ["chat", { max_completion_tokens: -1 }, "max_completion_tokens"],
  ] as const)("%s %j", (endpoint, more, path) => {
    expect(decoded(endpoint, more as unknown as JsonObject)).toMatchObject({
      ok: false,
      error: { reason: "invalid_params", path },
    });
  });

  it.each([
    ["messages", { tools: [{ type: "bash_20250124", name: "bash" }] }],
    ["messages", { tools: [{ type: "text_editor_20250728", name: "edit" }] }],
    ["responses", { tools: [{ type: "local_shell" }] }],
    ["responses", { background: false, service_tier: "auto" }],
  ] as const)("and tools that the client runs are not: %s %j", (endpoint, more) => {
    expect(decoded(endpoint, more as unknown as JsonObject).ok).toBe(true);
  });
});

describe("by the tenant's policy", () => {
  const surchargesOf = (
    endpoint: keyof typeof endpoints,
    more: JsonObject,
    policy: EndpointPolicy,
  ) => {
    const result = decoded(endpoint, more, policy);
    return result.ok ? result.value.call.passing : result.error;
  };

  it("what it prices is reserved at that price", () => {
    const policy = { priceFactors: { priority: 2, us: 1.1 }, toolUsd: { web_search: 0.01 } };
    const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
    expect(surchargesOf("messages", { tools, inference_geo: "us" }, policy)).toMatchObject({
      surcharge: { factor: 1.1, feeMicroUsd: 30_000 },
      prices: { factors: policy.priceFactors, toolUsd: policy.toolUsd },
    });
    expect(surchargesOf("responses", { tools: [{ type: "web_search" }] }, policy)).toMatchObject({
      surcharge: { feeMicroUsd: 100_000 },
    });
    expect(surchargesOf("chat", { service_tier: "flex" }, policy)).toMatchObject({
      path: "service_tier",
    });
  });

  it.each([
    ["responses", {}, "store"],
    ["responses", { store: true }, "store"],
    ["responses", { store: false, previous_response_id: "resp_1" }, "previous_response_id"],
    ["responses", { store: false, conversation: "conv_1" }, "conversation"],
    ["chat", { store: true }, "store"],
  ] as const)("nothing is stored at a provider: %s %j", (endpoint, more, path) => {
    expect(decoded(endpoint, more, { store: "never" })).toMatchObject({
      ok: false,
      error: { path },
    });
  });

  it("and what is stored nowhere passes", () => {
    for (const endpoint of ["messages", "chat", "responses"] as const)
      expect(decoded(endpoint, { store: false }, { store: "never" }).ok).toBe(true);
  });
});
