/** Spans follow OpenTelemetry's names and contain no text of callers or providers. */
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/domain/attempts.ts";
import type { Opening } from "../../../src/domain/audit/record.ts";
import {
  lineOf,
  spansOf,
  type Ended,
  type FinishedRequest,
} from "../../../src/domain/audit/spans.ts";

const opening: Opening = {
  id: "req_1",
  who: {
    tenantId: "ten_1",
    keyId: "key_1",
    sessionId: null,
    serverId: "srv_1",
    tool: "CANARY-tool",
    clientName: "CANARY-client",
    clientVersion: "CANARY-version",
    revision: "2025-11-25",
  },
  createdAt: 1_000,
  asked: {
    messages: 1,
    characters: 5,
    bytes: 100,
    inputModalities: ["text"],
    outputModalities: ["text"],
    tools: 0,
    maxTokens: 100,
    hints: ["CANARY-hint"],
    priorities: {},
    includeContext: "CANARY-context",
    temperature: null,
  },
  contentSha256: "CANARY-hash",
};
const attempt: Attempt = {
  provider: "google",
  model: "gemini",
  credentialId: "cred_1",
  status: 200,
  retryable: false,
  fault: null,
  billed: "yes",
  latencyMs: 30,
  retryAfterMs: null,
  notes: ["CANARY-note"],
  usage: { inputTokens: 3, outputTokens: 4, estimated: true },
  costMicroUsd: 7,
};
const { usage: _, ...unused } = attempt;
const failed: Attempt = {
  ...unused,
  costMicroUsd: 5,
  provider: "mistral",
  status: 429,
  retryable: true,
  fault: "rate_limit",
  retryAfterMs: 7,
};
const ended: Ended = {
  outcome: "succeeded",
  refusal: null,
  attempts: [failed, attempt],
  chargedMicroUsd: 12,
  answered: { stopReason: "endTurn" },
  usage: { inputTokens: 8, outputTokens: 4, estimated: true },
  timing: { auth: 1, provider: 60 },
  endedAt: 1_100,
};
const begun = [
  { spanId: "a", startedAt: 1_010, server: { address: "provider.test", port: 443 } },
  { spanId: "b", startedAt: 1_050, server: null },
];
const own = { spanId: "o", parentSpanId: null };
const toldOf = (more: Partial<Ended> = {}): FinishedRequest => ({
  opening,
  decision: null,
  ended: { ...ended, ...more },
});

describe("spans", () => {
  it("are the request and its attempts", () => {
    const [request, first, second, ...more] = spansOf(toldOf(), own, begun);
    expect(more).toEqual([]);
    expect(request).toMatchObject({ kind: "server", startedAt: 1_000, endedAt: 1_100 });
    expect(first).toMatchObject({ parentSpanId: "o", startedAt: 1_010, endedAt: 1_040 });
    expect(first).toMatchObject({ failed: true, kind: "client", name: "chat gemini" });
    expect(first?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "mistral_ai",
      "gen_ai.request.model": "gemini",
      "server.address": "provider.test",
      "server.port": 443,
      "http.response.status_code": 429,
      "error.type": "rate_limit",
      "sampling_router.request.id": "req_1",
      "sampling_router.credential.id": "cred_1",
      "sampling_router.retryable": true,
      "sampling_router.retry_after_ms": 7,
      "sampling_router.billed": "yes",
      "sampling_router.cost_usd": 0.000005,
    });
    expect(second).toMatchObject({
      failed: false,
      attributes: {
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.usage.input_tokens": 3,
        "sampling_router.usage.estimated": true,
        "sampling_router.cost_usd": 0.000007,
      },
    });
    // The request's own span has the figures of all attempts together.
    expect(request?.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": 8,
      "sampling_router.cost_usd": 0.000012,
    });
    expect(second?.attributes).not.toHaveProperty("server.address");
  });

  it.each([
    ["endTurn", "stop"],
    ["stopSequence", "stop"],
    ["maxTokens", "length"],
    ["toolUse", "tool_call"],
    ["CANARY-word", "other"],
    ["constructor", "other"],
  ])("say of a stop for %s: %s", (stopReason, word) => {
    const spans = spansOf(toldOf({ chargedMicroUsd: null, answered: { stopReason } }), own, begun);
    expect(spans[0]?.attributes["gen_ai.response.finish_reasons"]).toEqual([word]);
    expect(spans[0]?.attributes).not.toHaveProperty("sampling_router.cost_usd");
  });

  it("say the classes of tokens by OpenTelemetry's names, and leave out those that are not there", () => {
    const usage = {
      inputTokens: 20,
      outputTokens: 9,
      estimated: false,
      classes: {
        cacheReadTokens: 5,
        cacheWriteTokens: 3,
        cacheWriteHourTokens: 4,
        audioInputTokens: 2,
        reasoningTokens: 6,
      },
    };
    const attempts = [{ ...attempt, usage }];
    for (const span of spansOf(toldOf({ usage, attempts }), own, begun))
      expect(span.attributes).toMatchObject({
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 9,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.cache_write.input_tokens": 7,
        "gen_ai.usage.audio.input_tokens": 2,
        "gen_ai.usage.reasoning.output_tokens": 6,
      });
    const [plain] = spansOf(toldOf(), own, begun);
    expect(Object.keys(plain?.attributes ?? {}).join()).not.toMatch(
      /cache|reasoning|audio|implaus/,
    );
  });

  it.each([
    ["image", "image"],
    ["audio", "speech"],
  ] as const)("name %s as an output", (modality, type) => {
    const asked = { ...opening.asked, outputModalities: ["text", modality] } as Opening["asked"];
    const [request] = spansOf({ ...toldOf(), opening: { ...opening, asked } }, own, begun);
    expect(request?.attributes).toMatchObject({
      "gen_ai.operation.name": "generate_content",
      "gen_ai.output.type": type,
    });
  });

  it("of a call that can't even be read name no model", () => {
    const told: FinishedRequest = {
      opening: { ...opening, asked: null },
      decision: null,
      ended: {
        ...ended,
        outcome: "refused",
        refusal: { reason: "invalid_params", path: "CANARY-path", detail: "CANARY-detail" },
        attempts: [],
        answered: null,
        usage: null,
      },
    };
    const [request, ...more] = spansOf(told, own, []);
    expect(more).toEqual([]);
    expect(request).toMatchObject({ name: "chat", failed: true });
    expect(request?.attributes).toMatchObject({ "error.type": "invalid_params" });
    expect(JSON.stringify([request, lineOf(told, null)])).not.toContain("CANARY");
  });

  it("and the line hold no word of a caller's or a provider's", () => {
    const stopReason = "CANARY-stop";
    const told = toldOf({ answered: { stopReason } });
    const all = JSON.stringify([spansOf(told, own, begun), lineOf(told, null)]);
    expect(all).not.toContain("CANARY");
  });
});
