/** Copies of one model change no score of others, stand in the tenant's order, and are asked next after a fault. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import type { CredentialSummary, Model } from "../../../src/domain/models/model.ts";
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import { poolFrom, type ModelPool } from "../../../src/domain/choice/model-pool.ts";
import { choose, type Plan } from "../../../src/domain/choice/selection.ts";
import { nextCandidate, type FailoverTarget } from "../../../src/domain/choice/failover.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import type { FaultReach } from "../../../src/domain/attempts.ts";
import { call, credential, model } from "./models.fixture.ts";

const priced = { inputUsdPerMTok: 2, outputUsdPerMTok: 10, contextTokens: 200_000, tools: true };

const bedrock = (fields: Partial<CredentialSummary> = {}): CredentialSummary =>
  credential("mybedrock", {
    models: [
      { id: "us.anthropic.claude-sonnet-5-v1:0", ...priced },
      { id: "eu.anthropic.claude-sonnet-5-v1:0", ...priced, inputUsdPerMTok: 1.9 },
      { id: "us.anthropic.claude-opus-4-8", ...priced, outputUsdPerMTok: 25 },
    ],
    ...fields,
  });

const poolOf = (credentials: readonly CredentialSummary[], fields = {}): ModelPool =>
  poolFrom({
    models: modelsOf(seedCatalogue, credentials, []),
    credentials,
    catalogueVersion: seedCatalogue.version,
    policy: {},
    ...fields,
  });

function planned(pool: ModelPool, fields: Partial<SamplingCall>): Plan {
  const plan = choose(call(fields), pool);
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value;
}

const names = ({ choices }: Plan): string[] =>
  choices.map(({ model: { provider, id } }) => `${provider}/${id}`);

const hinting = (...hints: string[]) => ({ hints });

describe("copies of one model", () => {
  const alone = ["openai", "anthropic", "google"].map((provider) => credential(provider));

  it.each([
    {},
    { priorities: { cost: 1 } },
    { priorities: { speed: 0.7, intelligence: 0.3 } },
    { priorities: { intelligence: 1 } },
    hinting("sonnet"),
  ])("change neither the pick nor any score: %j", (fields) => {
    const scoresOf = (plan: Plan) =>
      plan.decision.candidates
        .filter(({ isCopy, excludedBy }) => isCopy !== true && excludedBy === undefined)
        .map(({ provider, model: id, score, axes }) => ({ name: `${provider}/${id}`, score, axes }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const before = planned(poolOf(alone), fields);
    const after = planned(poolOf([...alone, bedrock()]), fields);
    expect(names(after)[0]).toBe(names(before)[0]);
    expect(scoresOf(after)).toEqual(scoresOf(before));
    expect(after.decision.candidates.filter(({ isCopy }) => isCopy)).toHaveLength(3);
  });

  it("are asked in the order of the tenant's credentials, then by price, and right after each other", () => {
    const hint = hinting("claude-sonnet-5");
    const [anthropic, mine] = [credential("anthropic"), bedrock()];
    const copies = [
      "mybedrock/eu.anthropic.claude-sonnet-5-v1:0",
      "mybedrock/us.anthropic.claude-sonnet-5-v1:0",
    ];
    expect(names(planned(poolOf([anthropic, mine]), hint)).slice(0, 3)).toEqual([
      "anthropic/claude-sonnet-5",
      ...copies,
    ]);
    expect(names(planned(poolOf([mine, anthropic]), hint)).slice(0, 3)).toEqual([
      ...copies,
      "anthropic/claude-sonnet-5",
    ]);
  });

  it("are asked by speed where preference and price are equal", () => {
    const id = (region: string) => `${region}.anthropic.claude-sonnet-5`;
    const one = credential("mybedrock", {
      models: ["eu", "us"].map((region) => ({ id: id(region), ...priced })),
    });
    const samples = [1, 2, 3].map((at) => ({ at, ms: 900, outputTokens: 90, maxTokens: 100 }));
    const health = [{ credentialId: one.id, model: `mybedrock/${id("us")}`, samples }];
    expect(names(planned(poolOf([one]), hinting("sonnet")))[0]).toBe(`mybedrock/${id("eu")}`);
    expect(names(planned(poolOf([one], { health, now: 4 }), hinting("sonnet")))[0]).toBe(
      `mybedrock/${id("us")}`,
    );
  });

  it("are first where a hint names their place", () => {
    const pool = poolOf([credential("anthropic"), bedrock()]);
    const us = "mybedrock/us.anthropic.claude-sonnet-5-v1:0";
    expect(names(planned(pool, hinting(us)))[0]).toBe(us);
    expect(names(planned(pool, hinting("us.anthropic.claude-sonnet-5-v1:0")))[0]).toBe(us);
  });

  it("stand in for a copy that can't take the request", () => {
    const small = bedrock({
      models: [{ id: "us.anthropic.claude-sonnet-5-v1:0", ...priced, contextTokens: 10 }],
    });
    const pool = poolOf([small, credential("anthropic")]);
    expect(names(planned(pool, hinting("claude-sonnet-5")))[0]).toBe("anthropic/claude-sonnet-5");
  });

  it("are as intelligent as the catalogue knows the model, wherever it runs", () => {
    const { models } = poolOf([bedrock()]);
    const tierOf = (provider: string, id: string) =>
      models.find((each) => each.provider === provider && each.id === id)?.intelligence;
    expect(tierOf("mybedrock", "us.anthropic.claude-opus-4-8")).toBe(
      tierOf("anthropic", "claude-opus-4-8"),
    );
    const plan = planned(poolOf([bedrock(), credential("anthropic")]), {
      priorities: { intelligence: 1 },
    });
    const opus = plan.decision.candidates.findIndex(({ model: id }) => id.includes("opus-4-8"));
    expect(plan.decision.candidates[opus]?.provider).toBe("mybedrock");
    expect(plan.decision.candidates[opus + 1]).toMatchObject({
      model: "claude-opus-4-8",
      isCopy: true,
    });
  });

  it("are no copies where one provider dates its versions", () => {
    const { copies, served } = poolOf([credential("openai")]);
    expect(served.some(({ id }) => id === "gpt-4o-2024-11-20")).toBe(true);
    expect(copies).toBeNull();
  });

  it("get the everyday model once", () => {
    const everyday = (...credentials: CredentialSummary[]) =>
      names(planned(poolOf(credentials), {}))[0];
    const [openai, anthropic] = [credential("openai"), credential("anthropic")];
    const both = everyday(openai, anthropic);
    const copied = { id: "openai/gpt-5.6-terra", ...priced, outputUsdPerMTok: 12 };
    expect(everyday(openai, anthropic, credential("router", { models: [copied] }))).toBe(both);
  });
});

describe("after a fault", () => {
  const placesOf = (plan: Plan): FailoverTarget[] =>
    plan.choices.flatMap(({ model: each, credentialIds }) =>
      credentialIds.map((credentialId) => ({
        model: `${each.provider}/${each.id}`,
        credentialId,
        endpoint: each.provider,
        wire: each.provider,
        contextTokens: null,
      })),
    );
  const two = (): Model[] => [
    model("one/claude-sonnet-5", { outputUsdPerMTok: 1 }),
    model("one/claude-haiku-4-5", { outputUsdPerMTok: 2 }),
    model("two/gpt-5.5", { outputUsdPerMTok: 3 }),
    model("two/anthropic/claude-sonnet-5", { outputUsdPerMTok: 9 }),
  ];
  const pool = poolFrom({
    models: two(),
    credentials: [credential("one"), credential("two")],
    catalogueVersion: "test",
    policy: {},
  });

  it.each<[FaultReach]>([["model"], ["credential"], ["endpoint"], ["request"]])(
    "of reach %s, the same model is asked elsewhere before any other",
    (reach) => {
      const places = placesOf(planned(pool, { priorities: { cost: 1 } }));
      const [first] = places;
      expect(first?.model).toBe("one/claude-sonnet-5");
      const next = nextCandidate(places, [{ at: 0, reach }]);
      expect(places[next ?? -1]?.model).toBe("two/anthropic/claude-sonnet-5");
    },
  );

  it("a copy at an endpoint of its own is among the candidates, however far down its model stands", () => {
    const many = Array.from({ length: 9 }, (_, at) => model(`one/claude-sonnet-${at + 1}`));
    const spare = model("spare/anthropic/claude-sonnet-1");
    const plan = planned(
      poolFrom({
        models: [...many, spare],
        credentials: [credential("one"), credential("spare")],
        catalogueVersion: "test",
        policy: {},
      }),
      hinting("claude-sonnet-9"),
    );
    expect(names(plan)).toContain("spare/anthropic/claude-sonnet-1");
  });
});
