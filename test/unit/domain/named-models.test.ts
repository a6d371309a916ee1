/** A tenant's policy says what a name asks for, and which models may answer in the place of a named one. */
import { describe, expect, it } from "vitest";
import { calledByPolicy } from "../../../src/domain/choice/named-models.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const own = model("anthropic/claude-sonnet-5", { inputUsdPerMTok: 3, outputUsdPerMTok: 15 });
const copy = model("openrouter/anthropic/claude-sonnet-5", {
  inputUsdPerMTok: 1,
  outputUsdPerMTok: 1,
});
const mini = model("openai/gpt-5.4-mini");
const text = model("openai/gpt-4.1", { contextTokens: 1_000 });
const pool = field({
  models: [own, copy, mini, text],
  credentials: [credential("openrouter"), credential("anthropic"), credential("openai")],
});
const order = (fields: Partial<SamplingCall>, at = pool): string[] => {
  const plan = choose(call(fields), at);
  if (!plan.ok) return [plan.error.reason];
  return plan.value.decision.candidates
    .filter(({ excludedBy }) => excludedBy === undefined)
    .map(
      ({ provider, model: id, isFallback }) =>
        `${provider}/${id}${isFallback ? " (fallback)" : ""}`,
    );
};

describe("a named model", () => {
  it("is asked first where the caller's API is spoken, whatever other places cost", () => {
    const named = { model: "claude-sonnet-5" };
    expect(order({ ...named, endpoint: "messages" })).toEqual([
      "anthropic/claude-sonnet-5",
      "openrouter/anthropic/claude-sonnet-5",
    ]);
    expect(order({ ...named, endpoint: "chat.completions" })[0]).toBe(
      "openrouter/anthropic/claude-sonnet-5",
    );
  });

  it("has other models behind it only by policy, in the policy's order", () => {
    const named = { model: "claude-sonnet-5", endpoint: "messages" as const };
    const fallbacks = ["gpt-4.1", "gpt-5.4-mini"];
    expect(order({ ...named, fallbacks })).toEqual([
      "anthropic/claude-sonnet-5",
      "openrouter/anthropic/claude-sonnet-5",
      "openai/gpt-4.1 (fallback)",
      "openai/gpt-5.4-mini (fallback)",
    ]);
  });

  it("that can't serve is replaced by a fallback", () => {
    const without = field({ models: [mini], credentials: [credential("openai")] });
    const named = { model: "claude-sonnet-5" };
    expect(order(named, without)).toEqual(["no_eligible_model"]);
    expect(order({ ...named, fallbacks: ["gpt-5.4-mini"] }, without)).toEqual([
      "openai/gpt-5.4-mini (fallback)",
    ]);
  });
});

describe("a policy", () => {
  const policy = {
    aliases: { fast: { hints: ["haiku", "mini"], priorities: { cost: 0.2, speed: 1 } } },
    fallbacks: { "claude-sonnet-5": ["gpt-5.4"], "*": ["gpt-5.4-mini"] },
  };

  it("turns an alias into hints and priorities, over which the call's own win", () => {
    const plain = calledByPolicy(call({ model: "fast" }), policy);
    expect(plain).toEqual(call({ alias: "fast", ...policy.aliases.fast }));
    const said = { model: "fast", hints: ["opus"], priorities: { speed: 0 } };
    expect(calledByPolicy(call(said), policy)).toMatchObject({
      alias: "fast",
      hints: ["opus"],
      priorities: { cost: 0.2, speed: 0 },
    });
  });

  it("names fallbacks for one model, and for all others", () => {
    const of = (name: string) => calledByPolicy(call({ model: name }), policy).fallbacks;
    expect([of("claude-sonnet-5"), of("gpt-4.1")]).toEqual([["gpt-5.4"], ["gpt-5.4-mini"]]);
    expect(calledByPolicy(call({ model: "gpt-4.1" }), {})).toEqual(call({ model: "gpt-4.1" }));
    expect(calledByPolicy(call(), policy)).toEqual(call());
  });

  it.each(["constructor", "__proto__", "toString"])("takes %s for no name of its own", (name) => {
    const asked = call({ model: name });
    expect(calledByPolicy(asked, { aliases: {}, fallbacks: {} })).toEqual(asked);
  });
});

it("a decision keeps the alias with the hints that it stands for", () => {
  const plan = choose(call({ alias: "fast", hints: ["mini"] }), pool);
  expect(plan.ok && plan.value.decision.alias).toEqual({ name: "fast", hints: ["mini"] });
});
