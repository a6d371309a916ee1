/** One call, one cost: everything that tells a call's cost tells what its provider bills. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  adminOf,
  asking,
  createTenant,
  openSession,
  until,
  type Answered,
} from "../fakes/caller.ts";
import { startCollector, type Collector } from "../fakes/collector.ts";
import { startMeteredProvider, type MeteredProvider } from "../fakes/metered-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";

let router: Router;
let collector: Collector;
let provider: MeteredProvider;

beforeAll(async () => {
  collector = await startCollector();
  provider = await startMeteredProvider();
  router = await startRouter({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(async () => {
  await router?.stop();
  await collector?.stop();
  await provider?.stop();
});
beforeEach(() => provider.clear());

interface Declared {
  provider: string;
  id: string;
  [figure: string]: unknown;
}

let tenants = 0;
/** A tenant that has these models, all at the metered provider. */
async function given(...models: [Declared, ...Declared[]]) {
  tenants += 1;
  const slug = `money-${tenants}`;
  const admin = adminOf(router, router.adminToken);
  const [first, ...more] = [...Map.groupBy(models, (model) => model.provider)].map(
    ([name, its]) => ({
      provider: name,
      name,
      apiKey: "sk-test",
      baseUrl: provider.url(name),
      models: its.map(({ provider: _, ...declared }) => declared),
    }),
  );
  if (first === undefined) throw new Error("no model");
  const { key } = await createTenant(router, slug, first);
  for (const credential of more)
    expect((await admin("POST", `/tenants/${slug}/credentials`, credential)).status).toBe(201);
  return { slug, key, admin };
}

/** As the API says it, but in micro-USD. */
interface UsageFigures {
  group: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

const usageOf = (answer: Answered): UsageFigures[] =>
  (answer.get("data") as (UsageFigures & { costUsd: number })[]).map(({ costUsd, ...row }) => ({
    ...row,
    costMicroUsd: Math.round(costUsd * 1e6),
  }));

/** Samples once, and reads the cost wherever it is told; micro-USD. */
async function sampled(
  { slug, key, admin }: Awaited<ReturnType<typeof given>>,
  params: Record<string, unknown> = {},
) {
  const capabilities = { sampling: { supportedModalities: ["text", "image", "audio"] } };
  const session = await openSession(router, key, { capabilities });
  const answer = await session.sample(asking("Hello.", params));
  const id = answer.headers.get("x-request-id") ?? "";
  const record = await admin("GET", `/tenants/${slug}/requests/${id}`);
  const usage = usageOf(await admin("GET", `/tenants/${slug}/usage`));
  const line = await until(() =>
    router
      .output()
      .split("\n")
      .flatMap((text) =>
        text.startsWith('{"event":"sampling"')
          ? [JSON.parse(text) as { requestId: string; costUsd: number | null }]
          : [],
      )
      .find(({ requestId }) => requestId === id),
  );
  const spans = await until(() => {
    const its = collector
      .spans()
      .filter(({ attributes }) => attributes["sampling_router.request.id"] === id);
    return its.some(({ kind }) => kind === 2) ? its : undefined;
  });
  const micro = (usd: unknown): number | null =>
    typeof usd === "number" ? Math.round(usd * 1e6) : null;
  const costsOf = (kind: number) =>
    spans
      .filter((span) => span.kind === kind)
      .map(({ attributes }) => micro(attributes["sampling_router.cost_usd"]));
  return {
    id,
    answer,
    record,
    usage: usage.filter(
      ({ requests, inputTokens, costMicroUsd }) => requests + inputTokens + costMicroUsd > 0,
    ),
    spans,
    costs: {
      answer: micro(
        (answer.body as { result?: { _meta?: Record<string, { costUsd?: number }> } }).result
          ?._meta?.["sampling-router/decision"]?.costUsd,
      ),
      line: micro(line.costUsd),
      record: record.get("costMicroUsd"),
      usage: usage.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0),
      span: costsOf(2)[0] ?? null,
      attempts: costsOf(3).reduce<number | null>(
        (sum, cost) => (sum === null || cost === null ? null : sum + cost),
        0,
      ),
    },
  };
}

const everywhere = (cost: number | null) => ({
  answer: cost,
  line: cost,
  record: cost,
  // A sum can't be unknown.
  usage: cost ?? 0,
  span: cost,
  attempts: cost,
});
const openai = (input: number, output: number, more: Record<string, unknown> = {}) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...more,
});
const priced = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  inputUsdPerMTok: 3,
  outputUsdPerMTok: 15,
  ...more,
});

describe("one call, one cost", () => {
  it("of an answer: tokens from the cache at the price of the cache", async () => {
    const cached = priced("gpt-cached", { cachedInputUsdPerMTok: 0.3 });
    const tenant = await given({ provider: "openai", ...cached });
    const details = { prompt_tokens_details: { cached_tokens: 18_000 } };
    provider.set("gpt-cached", { text: "Hi.", usage: openai(20_000, 100, details) });
    const { costs, record, spans } = await sampled(tenant);
    expect(costs).toEqual(everywhere(2_000 * 3 + 18_000 * 0.3 + 100 * 15));
    expect(record.get("usage")).toEqual({
      inputTokens: 20_000,
      outputTokens: 100,
      estimated: false,
      classes: { cacheReadTokens: 18_000 },
    });
    for (const { attributes } of spans)
      expect(attributes).toMatchObject({ "gen_ai.usage.cache_read.input_tokens": 18_000 });
  });

  it("of Anthropic's writes: for five minutes and for an hour apart", async () => {
    const prices = {
      cachedInputUsdPerMTok: 0.3,
      cacheWriteUsdPerMTok: 3.75,
      cacheWriteHourUsdPerMTok: 6,
    };
    const tenant = await given({ provider: "anthropic", ...priced("claude-writes", prices) });
    provider.set("claude-writes", {
      text: "Hi.",
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 3_000,
        cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 1_000 },
        output_tokens: 4,
      },
    });
    const { costs, record } = await sampled(tenant);
    expect(costs).toEqual(everywhere(30 + 300 + 7_500 + 6_000 + 60));
    expect(record.get("usage.classes")).toEqual({
      cacheReadTokens: 1_000,
      cacheWriteTokens: 2_000,
      cacheWriteHourTokens: 1_000,
    });
  });

  it("of failover: a billed fault is charged as reported, each model under its own name", async () => {
    const tenant = await given(
      { provider: "openai", ...priced("gpt-empty", { inputUsdPerMTok: 10 }) },
      {
        provider: "mistral",
        ...priced("mistral-fine", { inputUsdPerMTok: 1, outputUsdPerMTok: 1 }),
      },
    );
    provider.set("gpt-empty", { text: null, usage: openai(50, 1) });
    provider.set("mistral-fine", { text: "Hi.", usage: openai(2, 1) });
    const { costs, record, usage } = await sampled(tenant, {
      modelPreferences: { hints: [{ name: "gpt-empty" }] },
    });
    expect(provider.asked()).toEqual(["gpt-empty", "mistral-fine"]);
    expect(costs).toEqual(everywhere(515 + 3));
    expect(record.get("attempts")).toMatchObject([
      { model: "gpt-empty", fault: "empty", costMicroUsd: 515, usage: { inputTokens: 50 } },
      { model: "mistral-fine", fault: null, costMicroUsd: 3, usage: { inputTokens: 2 } },
    ]);
    expect(record.get("usage")).toEqual({ inputTokens: 52, outputTokens: 2, estimated: false });
    expect(usage).toMatchObject([
      { group: "mistral/mistral-fine", requests: 1, inputTokens: 2, costMicroUsd: 3 },
      { group: "openai/gpt-empty", requests: 0, inputTokens: 50, costMicroUsd: 515 },
    ]);
    expect(record.get("overshoot")).toBe(false);
  });

  it("of usage that the provider did not count: our estimate", async () => {
    const tenant = await given({ provider: "openai", ...priced("gpt-uncounted") });
    provider.set("gpt-uncounted", { text: "Hi." });
    const { costs, record } = await sampled(tenant);
    expect(record.get("usage.estimated")).toBe(true);
    const { inputTokens, outputTokens } = record.get("usage") as Record<string, number>;
    expect(inputTokens).toBeGreaterThan(0);
    expect(costs).toEqual(everywhere((inputTokens ?? 0) * 3 + (outputTokens ?? 0) * 15));
  });

  it("of a model without a price: unknown, and nowhere 0 but in a sum", async () => {
    const tenant = await given({ provider: "openai", id: "gpt-unpriced" });
    provider.set("gpt-unpriced", { text: "Hi.", usage: openai(5, 5) });
    const { costs, usage } = await sampled(tenant);
    expect(costs).toEqual(everywhere(null));
    expect(usage).toMatchObject([{ group: "openai/gpt-unpriced", requests: 1, inputTokens: 5 }]);
  });

  it("of a total beyond its parts: reasoning that was left out of the output is billed as output", async () => {
    const tenant = await given({ provider: "xai", ...priced("grok-thinks") });
    provider.set("grok-thinks", {
      text: "Hi.",
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45 },
    });
    const { costs, record } = await sampled(tenant);
    expect(costs).toEqual(everywhere(10 * 3 + 35 * 15));
    expect(record.get("usage.classes")).toEqual({ reasoningTokens: 30 });
  });

  it("of an image: text at the price of text, the image at its own", async () => {
    const tenant = await given({
      provider: "google",
      id: "gemini-draws",
      inputUsdPerMTok: 0.3,
      outputUsdPerMTok: 2.5,
      outputModalities: ["text", "image"],
      mediaPrices: { imageOutputUsdPerMTok: 30 },
    });
    const drawn = async (usage: Record<string, unknown>) => {
      provider.set("gemini-draws", { text: "Here.", draws: true, usage });
      return sampled(tenant, {
        metadata: { "sampling-router/outputModalities": ["text", "image"] },
      });
    };
    const counts = { promptTokenCount: 10, candidatesTokenCount: 1_300, thoughtsTokenCount: 2_200 };
    const details = [{ modality: "IMAGE", tokenCount: 1_290 }];
    const told = await drawn({ ...counts, candidatesTokensDetails: details });
    const cost = 3 + 1_290 * 30 + 2_210 * 2.5;
    expect(told.costs).toMatchObject({ answer: cost, line: cost, record: cost, span: cost });
    expect(told.record.get("usage.media")).toMatchObject({ images: 1, imageOutputTokens: 1_290 });
    // Images that the provider doesn't tell apart: what text and reasoning leave.
    const untold = await drawn(counts);
    const images = Number(untold.record.get("usage.media.imageOutputTokens"));
    expect(images).toBeGreaterThan(1_290);
    expect(images).toBeLessThan(1_300);
  });
});

describe("usage that no provider can mean", () => {
  const models = { provider: "openai", ...priced("gpt-liar") };

  it.each([1e16, 2 ** 63, 1e300, 500_000])(
    "is charged as reserved, and marked: %s tokens",
    async (many) => {
      const tenant = await given(models);
      provider.set("gpt-liar", { text: "Hi.", usage: openai(5, many) });
      const { costs, record, answer } = await sampled(tenant);
      expect(answer.get("result.content.text")).toBe("Hi.");
      const reserved = Number(record.get("reservedTokens"));
      expect(record.get("usage")).toEqual({
        inputTokens: reserved - 50,
        outputTokens: 50,
        estimated: true,
        implausible: true,
      });
      expect(costs).toEqual(everywhere((reserved - 50) * 3 + 50 * 15));
      expect(record.get("overshoot")).toBe(false);
    },
  );

  it("can be corrected by an operator; budgets and usage follow", async () => {
    const tenant = await given(models);
    const { slug, admin } = tenant;
    const policy = { limits: { usdPerDay: 1 } };
    expect((await admin("PUT", `/tenants/${slug}/policy`, policy)).status).toBe(200);
    provider.set("gpt-liar", { text: "Hi.", usage: openai(5, 2 ** 63) });
    const { id, costs } = await sampled(tenant);
    expect(costs.record).toBeGreaterThan(750);
    const found = {
      outcome: "succeeded",
      inputTokens: 5,
      outputTokens: 2,
      costUsd: 0.000045,
      reason: "the provider's invoice",
    };
    const corrected = await admin("POST", `/tenants/${slug}/requests/${id}/correct`, found);
    expect(corrected.status).toBe(200);
    expect(corrected.get("costMicroUsd")).toBe(costs.record);
    expect(corrected.get("correction.costMicroUsd")).toBe(45);
    const usage = usageOf(await admin("GET", `/tenants/${slug}/usage`));
    expect(usage).toMatchObject([
      { requests: 1, succeeded: 1, inputTokens: 5, outputTokens: 2, costMicroUsd: 45 },
    ]);
    provider.set("gpt-liar", { text: "Hi.", usage: openai(5, 2) });
    const believed = await sampled(tenant);
    const again = await admin("POST", `/tenants/${slug}/requests/${believed.id}/correct`, found);
    expect(again.status).toBe(409);
  });
});
