/** A request without a preference gets its provider's everyday model, whatever its size. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, model as modelOf } from "./models.fixture.ts";
import { sweepPage, sweepTable, sweptPicks, sweptSizes } from "../../setup/everyday-sweep.ts";
import { credentialSets } from "./expert-picks.fixture.ts";

const picksOf = (providers: readonly string[]): string[] => [
  ...new Set(sweptPicks(providers).flat()),
];

const makers = ["openai", "anthropic", "google"] as const;

describe("a request without any preference", () => {
  it.each([
    [["openai"], "openai/gpt-5.6-terra"],
    [["anthropic"], "anthropic/claude-sonnet-5-5"],
    [["google"], "google/gemini-3.8-flash"],
    [["openai", "anthropic"], "anthropic/claude-sonnet-5-5"],
    [["openai", "google"], "google/gemini-3.8-flash"],
    [["anthropic", "google"], "google/gemini-3.8-flash"],
    [makers, "anthropic/claude-sonnet-5-5"],
    [credentialSets.all, "anthropic/claude-sonnet-5-5"],
  ])("of %s gets the same everyday model, however long the answer", (providers, expected) => {
    expect(picksOf(providers)).toEqual([expected]);
  });

  it("of any set with one of the makers gets one model, however long the answer", () => {
    const others = credentialSets.all.filter((name) => !makers.some((maker) => maker === name));
    for (const maker of makers)
      for (const other of others)
        expect([maker, other, picksOf([maker, other]).length]).toEqual([maker, other, 1]);
  });
});

describe("the middle of a provider without an everyday line", () => {
  const pickOf = (models: ReturnType<typeof modelOf>[]): string => {
    const providers = [...new Set(models.map(({ provider }) => provider))];
    const pool = field({ models, credentials: providers.map((name) => credential(name)) });
    const plan = choose(call({}), pool);
    if (!plan.ok) throw new Error(plan.error.reason);
    return plan.value.decision.model;
  };
  const unpriced = { inputUsdPerMTok: null, outputUsdPerMTok: null };

  it("is a model with a price, however many have none", () => {
    const others = Array.from({ length: 8 }, (_, at) => modelOf(`acme/other-${at}`, unpriced));
    expect(pickOf([...others, modelOf("acme/priced", { outputUsdPerMTok: 40 })])).toBe("priced");
    expect(pickOf([...others, modelOf("other/priced", { outputUsdPerMTok: 40 })])).toBe("priced");
  });

  it("is any model where none has a price", () => {
    expect(pickOf(["a", "b", "c"].map((id) => modelOf(`acme/${id}`, unpriced)))).toBe("b");
  });
});

it("is shown in the docs as it is", () => {
  expect(sweepPage()).toContain(`\n${sweepTable()}\n`);
});

describe("a hint that leaves several models, and nothing preferred among them", () => {
  const pickOf = (hint: string, providers: readonly string[], maxTokens: number): string => {
    const pool = poolFrom({
      models: seedCatalogue.models,
      credentials: providers.map((provider) => credential(provider)),
      catalogueVersion: "test",
      policy: {},
    });
    const plan = choose(call({ hints: [hint], maxTokens }), pool);
    if (!plan.ok) throw new Error(plan.error.reason);
    return `${plan.value.decision.provider}/${plan.value.decision.model}`;
  };

  it.each([
    ["claude", makers, "anthropic/claude-sonnet-5-5"],
    ["gpt", makers, "openai/gpt-5.6-terra"],
    ["gemini", makers, "google/gemini-3.8-flash"],
    ["opus", makers, "anthropic/claude-opus-5-5"],
    ["flash", makers, "google/gemini-3.8-flash"],
    ["claude", ["openai"], "openai/gpt-5.6-terra"],
    ["gpt-4o", ["anthropic"], "anthropic/claude-sonnet-5-5"],
    ["gemini-3.5-flash", ["anthropic"], "anthropic/claude-haiku-4-5"],
    ["haiku", ["openai"], "openai/gpt-6-luna"],
    ["mistral", ["mistral"], "mistral/mistral-small-2603"],
  ] as const)(
    "%s with %s gives one model, however long the answer",
    (hint, providers, expected) => {
      // A model whose reasoning has no room beside the answer is skipped, whatever the hint says.
      const roomy = sweptSizes.filter((maxTokens) => maxTokens <= 32_000);
      const picks = roomy.map((maxTokens) => pickOf(hint, providers, maxTokens));
      expect([...new Set(picks)]).toEqual([expected]);
    },
  );
});

describe("a hint", () => {
  const notesOf = (hint: string): string[] => {
    const pool = poolFrom({
      models: seedCatalogue.models,
      credentials: makers.map((provider) => credential(provider)),
      catalogueVersion: "test",
      policy: {},
    });
    const plan = choose(call({ hints: [hint] }), pool);
    if (!plan.ok) throw new Error(plan.error.reason);
    const { provider, model, notes } = plan.value.decision;
    return [`${provider}/${model}`, ...notes];
  };

  it.each([
    [
      "claude-sonet-4",
      "anthropic/claude-sonnet-5-5",
      'hint "claude-sonet-4" was read as "claude-sonnet-4"',
    ],
    ["gemini-flassh", "google/gemini-3.8-flash", 'hint "gemini-flassh" was read as "gemini-flash"'],
    [
      "claude-sonnt",
      "anthropic/claude-sonnet-5-5",
      'hint "claude-sonnt" was read as "claude-sonnet"',
    ],
    ["my-agent", "anthropic/claude-sonnet-5-5", 'hint "my-agent" matched no model'],
    [
      "whisper-1",
      "anthropic/claude-sonnet-5-5",
      'hint "whisper-1" names a model that has no successor here',
    ],
    ["vision", "anthropic/claude-sonnet-5-5", 'hint "vision" matched no model'],
  ])("%s gets %s, and a note", (hint, expected, note) => {
    expect(notesOf(hint)).toEqual([expected, note]);
  });

  it("that is two letters off is unknown", () => {
    expect(notesOf("clade-sonet")).toEqual([
      "anthropic/claude-sonnet-5-5",
      'hint "clade-sonet" matched no model',
    ]);
  });
});
