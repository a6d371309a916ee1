/** What a call is charged once it has ended. */
import { describe, expect, it } from "vitest";
import { maxInputTokens } from "../../../../../src/domain/sampling/estimate.ts";
import type { Attempt } from "../../../../../src/domain/attempts.ts";
import { chargeOf } from "../../../../../src/pipeline/sampling/settlement/settle.ts";
import type { Reserved } from "../../../../../src/pipeline/sampling/admission/admit.ts";
import { model } from "../../../domain/models.fixture.ts";
import { planOf, priced, reservedBy } from "../../callers/callers.fixture.ts";

const plan = planOf([priced("mistral/one", 1), priced("anthropic/two", 2)]);
const reserved = reservedBy(plan);
// No known tokenizer is any of these models', so all models are estimated alike.
const tokens = maxInputTokens(plan.requirements.inputTokens) + 1_000;

const attempt = (name: string, fields: Partial<Attempt> = {}): Attempt => {
  const [provider = "", id = ""] = name.split("/");
  return {
    provider,
    model: id,
    credentialId: `cred_${provider}_0`,
    status: 200,
    retryable: false,
    fault: null,
    billed: "yes",
    latencyMs: 5,
    retryAfterMs: null,
    ...fields,
  };
};
const lost = { fault: "timeout", billed: "maybe", status: null } as const;
const refused = { fault: "server", billed: "no", status: 500 } as const;
const unusable = { fault: "empty", billed: "maybe" } as const;
const usage = { inputTokens: 10, outputTokens: 20, estimated: false };
const answered = (name: string, fields: Partial<Attempt> = {}) =>
  attempt(name, { usage, ...fields });

const charged = (attempts: Attempt[], by = reserved) => {
  const charge = chargeOf(attempts, by);
  const costs = charge.attempts.map(({ costMicroUsd }) => costMicroUsd);
  return { tokens: charge.tokens, microUsd: charge.microUsd, costs };
};

const reasoning = { sent: null, metadata: "absent", headroom: 0 } as const;

describe("a charge", () => {
  it("is what was used, where one answered", () => {
    expect(charged([answered("anthropic/two")])).toEqual({ tokens: 30, microUsd: 60, costs: [60] });
  });

  it("is nothing where no provider can have billed anything", () => {
    expect(charged([])).toEqual({ tokens: 0, microUsd: 0, costs: [] });
    const both = [attempt("mistral/one", refused), attempt("anthropic/two", refused)];
    expect(charged(both)).toEqual({ tokens: 0, microUsd: 0, costs: [0, 0] });
    // Also where the provider counted: a refused request is not charged for.
    expect(charged([answered("mistral/one", refused)])).toMatchObject({ tokens: 0, microUsd: 0 });
  });

  it("is the reservation of each attempt that nobody can be sure of", () => {
    expect(charged([attempt("anthropic/two", lost)])).toMatchObject({
      tokens,
      microUsd: 2 * tokens,
    });
    const both = [attempt("mistral/one", lost), attempt("anthropic/two", lost)];
    expect(charged(both)).toEqual({
      tokens: 2 * tokens,
      microUsd: 3 * tokens,
      costs: [tokens, 2 * tokens],
    });
  });

  it("is what a fault used, where the provider counted it", () => {
    const both = [answered("mistral/one", unusable), answered("anthropic/two")];
    expect(charged(both)).toEqual({ tokens: 60, microUsd: 90, costs: [30, 60] });
    expect(chargeOf(both, reserved).usage).toEqual({
      inputTokens: 20,
      outputTokens: 40,
      estimated: false,
    });
  });

  it("adds both where the second answered", () => {
    const both = [attempt("mistral/one", lost), answered("anthropic/two")];
    expect(charged(both)).toEqual({
      tokens: tokens + 30,
      microUsd: tokens + 60,
      costs: [tokens, 60],
    });
  });

  it("is as reserved where nobody believes what was reported", () => {
    const implausible = { ...usage, estimated: true, implausible: true } as const;
    const attempts = [answered("anthropic/two", { usage: implausible })];
    expect(charged(attempts)).toEqual({ tokens, microUsd: 2 * tokens, costs: [2 * tokens] });
    expect(chargeOf(attempts, reserved).usage).toMatchObject({ implausible: true });
  });

  it("is as reserved where the usage has no price: what was used is never free", () => {
    const draws = model("openai/painter", {
      inputUsdPerMTok: null,
      outputUsdPerMTok: null,
      mediaPrices: { usdPerImage: 0.04 },
    });
    const step = {
      model: draws,
      credentialId: "cred_1",
      endpoint: "e",
      tokens: 500,
      maxTokens: 100,
      microUsd: 40_000,
      reasoning,
    };
    const painting: Reserved = { ...reserved, steps: [step] };
    // The provider counted tokens, whose price is unknown, and no image.
    expect(charged([answered("openai/painter")], painting)).toMatchObject({ microUsd: 40_000 });
  });

  it("is unknown where the model has no price at all, and is not called 0", () => {
    const unpriced = reservedBy(planOf([priced("mistral/one", null)]));
    expect(charged([answered("mistral/one")], unpriced)).toEqual({
      tokens: 30,
      microUsd: null,
      costs: [null],
    });
  });

  it("prices classes of tokens, and adds them up", () => {
    const cached = model("anthropic/cached", {
      inputUsdPerMTok: 3,
      outputUsdPerMTok: 15,
      cachedInputUsdPerMTok: 0.3,
    });
    const step = {
      model: cached,
      credentialId: "cred_1",
      endpoint: "e",
      tokens: 30_000,
      maxTokens: 100,
      microUsd: 100_000,
      reasoning,
    };
    const loop: Reserved = { ...reserved, steps: [step] };
    const round = {
      usage: {
        inputTokens: 20_000,
        outputTokens: 100,
        estimated: false,
        classes: { cacheReadTokens: 18_000 },
      },
    };
    const both = [
      answered("anthropic/cached", { ...unusable, ...round }),
      answered("anthropic/cached", round),
    ];
    expect(charged(both, loop).costs).toEqual([12_900, 12_900]);
    expect(chargeOf(both, loop).usage).toEqual({
      inputTokens: 40_000,
      outputTokens: 200,
      estimated: false,
      classes: { cacheReadTokens: 36_000 },
    });
  });
});
