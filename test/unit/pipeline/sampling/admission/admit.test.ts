/** What a call reserves, before anything is called. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../../../src/domain/models/catalogue.ts";
import { maxInputTokens } from "../../../../../src/domain/sampling/estimate.ts";
import { maxAttempts } from "../../../../../src/domain/choice/failover.ts";
import { nameOf } from "../../../../../src/domain/models/model.ts";
import { defaultDeadlineMs } from "../../../../../src/domain/choice/policy.ts";
import { reservedFor, withFailover } from "../../../../../src/pipeline/sampling/admission/admit.ts";
import { choose } from "../../../../../src/domain/choice/selection.ts";
import { call, credential, field } from "../../../domain/models.fixture.ts";
import { planOf, priced, reservedBy } from "../../callers/callers.fixture.ts";

const one = priced("mistral/one", 1);
const two = priced("anthropic/two", 2);
const three = priced("google/three", 3);
const plan = planOf([one, two, three]);
// No known tokenizer is any of these models', so all models are estimated alike.
const tokens = maxInputTokens(plan.requirements.inputTokens) + 1_000;
const names = (reserved: ReturnType<typeof reservedBy>) =>
  reserved.steps.map(({ model }) => nameOf(model));
const amountsOf = (reserved: ReturnType<typeof reservedBy>) =>
  reserved.limitChecks.map(({ scope, resource, amount }) => [scope, resource, amount]);

describe("a reservation", () => {
  it("covers every attempt in money, since each may be billed, and the largest in tokens", () => {
    const policy = { limits: { usdPerDay: 1, tokensPerMinute: 10_000, requestsPerMinute: 5 } };
    const reserved = reservedBy(plan, { policy });
    expect(names(reserved)).toEqual(["mistral/one", "anthropic/two", "google/three"]);
    expect(reserved).toMatchObject({ tokens, microUsd: (1 + 2 + 3) * tokens });
    expect(amountsOf(reserved)).toEqual([
      ["tenant", "requests", 1],
      ["tenant", "tokens", tokens],
      ["tenant", "usd_day", 6 * tokens],
    ]);
  });

  it("ends after 45 s, and at a model endpoint after ten minutes, unless the policy says otherwise", () => {
    const endpoint = planOf([one], 1, { endpoint: "messages" });
    const policy = { deadlineMs: 5_000 };
    expect([plan, endpoint].map((its) => reservedBy(its).deadlineMs)).toEqual([45_000, 600_000]);
    expect(reservedBy(endpoint, { policy }).deadlineMs).toBe(5_000);
  });

  it("is reckoned by each model's own tokenizer, with room for a wrong estimate", () => {
    const mixed = planOf([priced("openai/one", 1), priced("mistral/two", 2)]);
    const { openai, other } = mixed.requirements.inputTokensByFamily ?? {};
    expect(openai).not.toBe(other);
    expect(reservedBy(mixed).steps.map((step) => step.tokens)).toEqual([
      maxInputTokens(openai ?? 0) + 1_000,
      maxInputTokens(other ?? 0) + 1_000,
    ]);
  });

  it("is reckoned at the dearest class of input that the request can cause", () => {
    const writes = { cachedInputUsdPerMTok: 0.1, cacheWriteUsdPerMTok: 5 };
    const claude = { ...priced("anthropic/claude", 1), ...writes };
    const input = maxInputTokens(planOf([claude]).requirements.inputTokens);
    expect(reservedBy(planOf([claude])).microUsd).toBe(input * 5 + 1_000);
    expect(reservedBy(planOf([priced("anthropic/claude", 1)])).microUsd).toBe(input + 1_000);
  });

  it("of an image takes text at the price of text and one image at its own", () => {
    const painter = seedCatalogue.models.find(({ id }) => id === "gemini-3.1-flash-image");
    if (painter === undefined) throw new Error("no such model");
    const drawing = choose(
      call({ maxTokens: 1_000, outputModalities: ["text", "image"] }),
      field({ models: [painter], credentials: [credential("google")] }),
    );
    if (!drawing.ok) throw new Error(drawing.error.reason);
    const input = maxInputTokens(drawing.value.requirements.inputTokens);
    const reserved = reservedBy(drawing.value).microUsd;
    // The model reasons, and nobody knows how much, so room for that is reserved, too.
    const room = 8_192;
    expect(reserved).toBe(Math.ceil(input * 0.5 + (1_000 + room) * 3 + 2_520 * 60));
  });

  it("asks the tenant, the key and the server for the same", () => {
    const limits = { usdPerDay: 1 };
    const about = { policy: { limits }, keyLimits: limits, server: { limits } };
    expect(amountsOf(reservedBy(plan, about))).toEqual([
      ["tenant", "usd_day", 6 * tokens],
      ["key", "usd_day", 6 * tokens],
      ["server", "usd_day", 6 * tokens],
    ]);
    expect(reservedBy(plan, about).limitChecks.map(({ subject }) => subject)).toEqual([
      "ten_1",
      "key_1",
      "srv_1",
    ]);
  });

  it("walks as far as the policy allows, each credential of a model being a step", () => {
    expect(names(reservedBy(plan, { policy: { maxAttempts: 2 } }))).toHaveLength(2);
    const pairs = planOf([one, two], 2);
    const reserved = reservedBy(pairs);
    expect(reserved.steps.map(({ credentialId }) => credentialId)).toEqual(
      ["cred_mistral_0", "cred_mistral_1", "cred_anthropic_0", "cred_anthropic_1"].slice(
        0,
        maxAttempts,
      ),
    );
    expect(reservedBy(pairs, { policy: { maxAttempts: 1 } }).microUsd).toBe(tokens);
  });

  it("knows no sum where a price is unknown, and never calls it 0", () => {
    const unknown = planOf([one, priced("google/unpriced", null)]);
    expect(reservedBy(unknown).microUsd).toBeNull();
    expect(reservedBy(unknown, { policy: { maxAttempts: 1 } }).microUsd).toBe(tokens);
  });

  it("lasts as long as the policy's deadline", () => {
    expect(reservedBy(plan).deadlineMs).toBe(defaultDeadlineMs);
    expect(reservedBy(plan, { policy: { deadlineMs: 500 } }).deadlineMs).toBe(500);
  });

  it("says what one of its attempts was worth", () => {
    const reserved = reservedBy(plan);
    expect(reservedFor(reserved, { provider: "anthropic", model: "two" })).toMatchObject({
      tokens,
      microUsd: 2 * tokens,
    });
    // An unknown attempt is charged the whole reservation.
    expect(reservedFor(reserved, { provider: "openai", model: "other" })).toEqual({
      tokens,
      microUsd: 6 * tokens,
    });
  });

  describe("of two endpoints, where the first one's models are all better,", () => {
    const inside = [1, 2, 3, 4, 5].map((usd) => priced(`openai/m${usd}`, usd));
    const outside = priced("anthropic/far", 20);
    const mixed = planOf([...inside, outside]);
    it("holds the one that a fault of the endpoint leads to, and money for the dearest so many", () => {
      const reserved = reservedBy(mixed);
      expect(names(reserved)).toContain("anthropic/far");
      expect(names(reserved)[0]).toBe("openai/m1");
      const mostExpensive = reserved.steps
        .map(({ microUsd }) => microUsd ?? 0)
        .toSorted((a, b) => b - a)
        .slice(0, maxAttempts);
      expect(reserved.microUsd).toBe(mostExpensive.reduce((sum, its) => sum + its, 0));
    });

    it("says in the decision where faults lead, and which models stand in though no hint asks for them", () => {
      const hinted = planOf([...inside, outside], 1, { hints: ["openai"] });
      const decision = withFailover(hinted.decision, reservedBy(hinted));
      expect(
        decision.candidates.map(({ model: id, viaFailover }) => [id, viaFailover]),
      ).toContainEqual(["far", true]);
      expect(decision.candidates.filter(({ viaFailover }) => viaFailover)).toHaveLength(1);
      expect(decision.failover).toContainEqual({
        provider: "anthropic",
        model: "far",
        after: ["credential", "endpoint", "request"],
      });
      expect(decision.failover).toContainEqual({
        provider: "openai",
        model: "m2",
        after: ["model"],
      });
      expect(hinted.decision.candidates.every((its) => its.viaFailover === undefined)).toBe(true);
    });
  });

  it("holds a second attempt at a model whose provider refuses what the model wrote, if tools are offered", () => {
    const slips = planOf([priced("groq/one", 1), priced("anthropic/two", 2)]);
    const offering = { ...slips, requirements: { ...slips.requirements, tools: true } };
    expect(reservedBy(slips).microUsd).toBe(3 * tokens);
    expect(reservedBy(offering).microUsd).toBe(4 * tokens);
    expect(reservedBy(offering, { policy: { maxAttempts: 2 } }).microUsd).toBe(3 * tokens);
  });

  it("would try the circuits on the way to the first one alone; others that rest come last", () => {
    const endpoint = "endpoint anthropic https://api.anthropic.com";
    const halfOpen = new Map([
      ["model cred_mistral_0 mistral/one", 7],
      [endpoint, 8],
    ]);
    expect(reservedBy({ ...plan, halfOpen })).toMatchObject({
      probes: [{ scope: "model cred_mistral_0 mistral/one", updatedAt: 7 }],
      unprobedCircuits: [endpoint],
    });
    expect(reservedBy(plan)).toMatchObject({ probes: [], unprobedCircuits: [] });
  });
});
