/** What a call is charged once it has ended. */
import { describe, expect, it } from "vitest";
import { mostInputTokens } from "../../../src/domain/estimate.ts";
import type { Attempt } from "../../../src/domain/attempts.ts";
import { chargeOf } from "../../../src/pipeline/settle.ts";
import { planOf, priced, reservedBy } from "./callers.fixture.ts";

const plan = planOf([priced("mistral/one", 1), priced("anthropic/two", 2)]);
const reserved = reservedBy(plan);
// None of them is a known tokenizer's, so all are reckoned alike.
const tokens = mostInputTokens(plan.requirements.inputTokens) + 1_000;

const attempt = (name: string, fields: Partial<Attempt> = {}): Attempt => {
  const [provider = "", model = ""] = name.split("/");
  return {
    provider,
    model,
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
const usage = { inputTokens: 10, outputTokens: 20, estimated: false };

const charged = (attempts: Attempt[], answered: { costMicroUsd: number | null } | null) =>
  chargeOf({
    attempts,
    reserved,
    usage: answered === null ? null : usage,
    costMicroUsd: answered?.costMicroUsd ?? null,
  });

describe("a charge", () => {
  it("is what was used, where one answered", () => {
    expect(charged([attempt("mistral/one")], { costMicroUsd: 30 })).toEqual({
      tokens: 30,
      microUsd: 30,
    });
  });

  it("is nothing where no provider can have billed anything", () => {
    expect(charged([], null)).toEqual({ tokens: 0, microUsd: 0 });
    const both = [attempt("mistral/one", refused), attempt("anthropic/two", refused)];
    expect(charged(both, null)).toEqual({ tokens: 0, microUsd: 0 });
  });

  it("is the reservation of each attempt that nobody can be sure of", () => {
    expect(charged([attempt("anthropic/two", lost)], null)).toEqual({
      tokens,
      microUsd: 2 * tokens,
    });
    const both = [attempt("mistral/one", lost), attempt("anthropic/two", lost)];
    expect(charged(both, null)).toEqual({ tokens: 2 * tokens, microUsd: 3 * tokens });
  });

  it("adds both where the second answered", () => {
    const both = [attempt("mistral/one", lost), attempt("anthropic/two")];
    expect(charged(both, { costMicroUsd: 60 })).toEqual({
      tokens: tokens + 30,
      microUsd: tokens + 60,
    });
  });

  it("is as reserved where the usage has no price: what was used is never free", () => {
    expect(charged([attempt("anthropic/two")], { costMicroUsd: null })).toEqual({
      tokens: 30,
      microUsd: 2 * tokens,
    });
  });

  it("is unknown where the model has no price at all, and is not called 0", () => {
    const unpriced = reservedBy(planOf([priced("mistral/one", null)]));
    const answered = { attempts: [attempt("mistral/one")], usage, costMicroUsd: null };
    expect(chargeOf({ ...answered, reserved: unpriced })).toEqual({ tokens: 30, microUsd: null });
  });
});
