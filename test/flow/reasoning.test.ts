/** Reasoning models, the whole way: what providers are sent, what callers get, what the record says. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { startRecordingProvider, type RecordingProvider } from "../fakes/recording-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let first: RecordingProvider;
let second: RecordingProvider;

beforeAll(async () => {
  [router, first, second] = await Promise.all([
    borrowRouter(),
    startRecordingProvider(),
    startRecordingProvider(),
  ]);
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
});
beforeEach(() => {
  first.says({});
  second.says({});
});

const only = (...models: string[]) => ({ allowedModels: models.map((id) => `*/${id}`) });

/** A tenant with one credential of the first recorder. */
async function tenant(slug: string, about: { provider?: string; policy?: object } = {}) {
  const provider = about.provider ?? "openai";
  const made = await createTenant(router, slug, {
    provider,
    baseUrl: first.url(provider),
    policy: about.policy ?? {},
  });
  const admin = adminOf(router, router.adminToken);
  return { ...made, admin, path: `/tenants/${slug}` };
}

interface Decided {
  requestId: string;
  provider: string;
  model: string;
  attempts: number;
  notes: string[];
  costUsd: number;
}
const decisionOf = (answer: Answered): Decided =>
  answer.get("result._meta.sampling-router/decision") as Decided;

describe("a reasoning model", () => {
  it("has room beside the ten tokens of its caller, and reasons as little as it can", async () => {
    const { key } = await tenant("room", { policy: only("gpt-5-nano") });
    const answer = await callOnce(router, key, asking("hello", { maxTokens: 10 }));
    expect(first.sent()).toMatchObject([
      { model: "gpt-5-nano", reasoning_effort: "minimal", max_completion_tokens: 10 + 2_048 },
    ]);
    expect(answer.get("result.content.text")).toBe("Fine.");
  });

  it("answers no more text than was asked for, and says so", async () => {
    const { key } = await tenant("visible", { policy: only("gpt-5-nano") });
    const text = "word ".repeat(200);
    first.says({ text, outputTokens: 300, reasoningTokens: 100 });
    const answer = await callOnce(router, key, asking("hello", { maxTokens: 20 }));
    expect(answer.get("result.stopReason")).toBe("maxTokens");
    const said = String(answer.get("result.content.text"));
    expect(text.startsWith(said)).toBe(true);
    expect(said.length).toBeGreaterThan(50);
    expect(said.length).toBeLessThanOrEqual(105);
    expect(decisionOf(answer).notes).toContain("text cut to maxTokens: the model wrote more");
  });

  it("that spends all tokens on reasoning is followed by the next model", async () => {
    const { key, admin, path } = await tenant("next", {
      policy: only("gpt-5-nano", "gpt-4.1-mini"),
    });
    first.says({ text: "", cut: true, outputTokens: 2_058, reasoningTokens: 2_058 }, {});
    const asked = asking("hello", {
      maxTokens: 10,
      modelPreferences: { hints: [{ name: "gpt-5-nano" }] },
    });
    const answer = await callOnce(router, key, asked);
    expect(answer.get("result.content.text")).toBe("Fine.");
    expect(decisionOf(answer)).toMatchObject({ model: "gpt-4.1-mini", attempts: 2 });
    const record = await admin("GET", `${path}/requests/${decisionOf(answer).requestId}`);
    expect(record.body).toMatchObject({
      outcome: "succeeded",
      attempts: [
        { model: "gpt-5-nano", fault: "empty", status: 200, retryable: true },
        { model: "gpt-4.1-mini", fault: null },
      ],
    });
  });

  it("that spends all tokens on reasoning makes the call fail where no other model is left", async () => {
    const { key } = await tenant("alone", { policy: only("gpt-5-nano") });
    first.says({ text: "", cut: true, outputTokens: 2_058, reasoningTokens: 2_058 });
    const answer = await callOnce(router, key, asking("hello", { maxTokens: 10 }));
    expect(answer.get("error")).toMatchObject({
      code: -502,
      message: expect.stringContaining("openai/gpt-5-nano returned no text"),
      data: {
        reason: "provider_failed",
        attempts: [{ model: "gpt-5-nano", status: 200, fault: "empty" }],
      },
    });
  });

  it("is asked once more without a parameter that it refuses, and never sent that parameter again", async () => {
    const { key, admin, path } = await tenant("refuses", { policy: only("gpt-5-nano") });
    const body = { error: { message: "Unsupported value.", param: "reasoning_effort" } };
    first.says({ status: 400, body }, {});
    const answer = await callOnce(router, key, asking("hello", { maxTokens: 10 }));
    expect(first.sent().map((sent) => sent["reasoning_effort"])).toEqual(["minimal", undefined]);
    const note = expect.stringMatching(/^reasoning left out/) as string;
    expect(decisionOf(answer)).toMatchObject({ attempts: 1, notes: [note] });
    const record = await admin("GET", `${path}/requests/${decisionOf(answer).requestId}`);
    expect(record.body).toMatchObject({ attempts: [{ status: 200, fault: null, notes: [note] }] });
    // 10 tokens in and 5 out, once.
    const price = (10 * 0.05 + 5 * 0.4) / 1e6;
    expect(Math.abs(decisionOf(answer).costUsd - price)).toBeLessThanOrEqual(1e-6);
    first.says({});
    await callOnce(router, key, asking("hello again", { maxTokens: 10 }));
    // The model reasons as it likes now, so it gets the room for that.
    expect(first.sent()).toEqual([
      expect.not.objectContaining({ reasoning_effort: expect.anything() }),
    ]);
    expect(first.sent()[0]).toMatchObject({ max_completion_tokens: 10 + 8_192 });
  });
});

describe("a policy", () => {
  it.each([
    [{}, "minimal", 2_148],
    [{ reasoning: "least" }, "minimal", 2_148],
    [{ reasoning: "provider" }, undefined, 8_292],
    [{ reasoning: { effort: "high" } }, "high", 16_484],
    [{ reasoning: { effort: "high" }, reasoningTokens: 500 }, "high", 600],
    [{ reasoning: { effort: "max" }, maxTokens: 40 }, "high", 16_424],
  ])("of %j decides what the provider is asked for", async (policy, effort, tokens) => {
    const slug = `policy-${JSON.stringify(policy)
      .replace(/[^a-z0-9]+/gi, "-")
      .toLowerCase()}x`;
    const { key } = await tenant(slug.replace(/^policy--/, "policy-"), {
      policy: { ...only("gpt-5-mini"), ...policy },
    });
    await callOnce(router, key, asking("hello", { maxTokens: 100 }));
    expect(first.sent()).toMatchObject([{ max_completion_tokens: tokens }]);
    expect(first.sent()[0]?.["reasoning_effort"]).toBe(effort);
  });

  it.each([
    { reasoning: "much" },
    { reasoning: { effort: "enormous" } },
    { reasoning: { effort: "low", budget: 1 } },
    { reasoningTokens: -1 },
    { reasoningTokens: 1.5 },
  ])("that says %j is refused", async (policy) => {
    const { admin, path } = await tenant(
      `odd-${JSON.stringify(policy)
        .replace(/[^a-z0-9]+/gi, "-")
        .toLowerCase()}x`,
    );
    expect((await admin("PUT", `${path}/policy`, policy)).status).toBe(400);
  });

  it("whose budget is too small for the room skips the model, and is never refused for the room", async () => {
    const usdPerDay = 0.0004;
    const preferred = { maxTokens: 10, modelPreferences: { hints: [{ name: "gpt-5-nano" }] } };
    const both = await tenant("small-budget", {
      policy: { ...only("gpt-5-nano", "gpt-4.1-mini"), limits: { usdPerDay } },
    });
    const other = await callOnce(router, both.key, asking("hello", preferred));
    expect(decisionOf(other)).toMatchObject({ model: "gpt-4.1-mini", attempts: 1 });
    const one = await tenant("small-budget-alone", {
      policy: { ...only("gpt-5-nano"), limits: { usdPerDay } },
    });
    first.says({});
    const alone = await callOnce(router, one.key, asking("hello", preferred));
    expect(decisionOf(alone)).toMatchObject({ model: "gpt-5-nano" });
    const max = Number(first.sent()[0]?.["max_completion_tokens"]);
    expect(max).toBeGreaterThan(500);
    expect(max).toBeLessThan(1_000);
  });

  it.each([
    ["skips the model", "used-both", ["gpt-5-nano", "gpt-4.1-mini"], "gpt-4.1-mini", undefined],
    ["gives the only one no room", "used-one", ["gpt-5-nano"], "gpt-5-nano", 100],
  ] as const)(
    "whose limit has only room for the text %s, and is never refused for the room",
    async (_, slug, models, model, max) => {
      const limits = { tokensPerMinute: 3_000 };
      const { key, admin, path } = await tenant(slug, { policy: { ...only(...models), limits } });
      const hinted = { maxTokens: 100, modelPreferences: { hints: [{ name: "gpt-5-nano" }] } };
      first.says({ inputTokens: 900, outputTokens: 100 });
      expect(decisionOf(await callOnce(router, key, asking("hello", hinted))).notes).toEqual([]);
      const next = decisionOf(await callOnce(router, key, asking("hello", hinted)));
      expect(next).toMatchObject({
        model,
        notes: ["reasoning: the limits had no room left for it"],
      });
      expect(first.sent().at(-1)?.["max_completion_tokens"]).toBe(max);
      const record = await admin("GET", `${path}/requests/${next.requestId}`);
      expect(record.get("decision.model")).toBe(model);
      expect(record.get("decision.requirements.reasoning.roomless")).toBe(true);
      // 1,000 of the first and 1,000 of the second are used: less than a text's worth is not left.
      const rest = { ...hinted, maxTokens: 1_100 };
      const refused = await callOnce(router, key, asking("hello", rest));
      expect(refused.get("error.data")).toMatchObject({
        reason: "rate_limited",
        limit: "tenant.tokensPerMinute",
      });
    },
  );
});

describe("a tool loop", () => {
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const question = { role: "user", content: { type: "text", text: "Look." } };
  const capabilities = { sampling: { tools: {} } };
  const sampled = (key: string, params: object) =>
    callOnce(router, key, { maxTokens: 50, tools, ...params }, { capabilities });

  it("stays with the model and the credential that began it, and the record says why", async () => {
    const { key, admin, path } = await tenant("loop", {
      policy: only("gpt-5-mini", "gpt-5.4-mini"),
    });
    const added = await admin("POST", `${path}/credentials`, {
      provider: "openai",
      name: "second",
      apiKey: "k2",
      baseUrl: second.url("openai"),
    });
    const credentialId = String(added.get("id"));
    const toolUse = { id: "call_1", name: "look", input: {} };
    first.says({ status: 500, body: {} });
    second.says({ text: "", toolUse });
    const hints = [{ name: "gpt-5-mini" }];
    const begun = await sampled(key, { messages: [question], modelPreferences: { hints } });
    const origin = { provider: "openai", model: decisionOf(begun).model, credentialId };
    expect(begun.get("result.content")).toMatchObject({
      type: "tool_use",
      _meta: { "sampling-router/origin": origin },
    });
    first.says({});
    second.says({});
    const other = [{ name: origin.model === "gpt-5-mini" ? "gpt-5.4-mini" : "gpt-5-mini" }];
    const content = [{ type: "tool_result", toolUseId: "call_1", content: [] }];
    const messages = [
      question,
      { role: "assistant", content: begun.get("result.content") },
      { role: "user", content },
    ];
    const last = await sampled(key, { messages, modelPreferences: { hints: other } });
    expect(decisionOf(last)).toMatchObject({ model: origin.model, attempts: 1 });
    expect([first.sent().length, second.sent().length]).toEqual([0, 1]);
    const record = await admin("GET", `${path}/requests/${decisionOf(last).requestId}`);
    expect(record.body).toMatchObject({
      decision: {
        toolLoop: { provider: "openai", model: origin.model },
        candidates: [{ model: origin.model, viaToolLoop: true }, { matchedHint: other[0]?.name }],
      },
      attempts: [{ credentialId }],
    });
  });
});
