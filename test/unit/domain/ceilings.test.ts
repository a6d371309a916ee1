/** The operator's ceiling and a tenant's own limits: the smaller of each. */
import { describe, expect, it } from "vitest";
import { beyondCeiling, mayUse, narrowed } from "../../../src/domain/limits/ceilings.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import {
  limitChecksOf,
  nameOfLimit,
  smallestBudget,
} from "../../../src/domain/limits/limit-checks.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";
import { credential, model } from "./models.fixture.ts";

const scopes = (own: Limits, ceiling?: Limits) => [
  { scope: "tenant" as const, subject: "ten_1", ...narrowed(own, ceiling) },
];
const holdsIn = (own: Limits, ceiling?: Limits) =>
  limitChecksOf({ now: 0, tokens: 1, microUsd: 1, scopes: scopes(own, ceiling) }).map(
    (hold) => `${nameOfLimit(hold)} ${hold.limit}`,
  );

describe("a ceiling", () => {
  it("holds where the tenant sets no limit, or a larger one, and is named", () => {
    expect(
      holdsIn({ requestsPerMinute: 9, concurrent: 2 }, { requestsPerMinute: 5, concurrent: 3 }),
    ).toEqual(["ceiling.requestsPerMinute 5", "tenant.concurrent 2"]);
    expect(holdsIn({}, { tokensPerMinute: 7, usdPerDay: 0.5 })).toEqual([
      "ceiling.tokensPerMinute 7",
      "ceiling.usdPerDay 500000",
    ]);
  });

  it("asks for one hold of a limit, so that nothing is counted twice", () => {
    const both = { requestsPerMinute: 5, usdPerMonth: 1 };
    expect(holdsIn(both, both)).toEqual([
      "tenant.requestsPerMinute 5",
      "tenant.usdPerMonth 1000000",
    ]);
  });

  it("is the smallest budget where it is smaller than all others", () => {
    expect(smallestBudget(scopes({ usdPerDay: 9 }, { usdPerDay: 2 }))).toBe(2_000_000);
    expect(smallestBudget(scopes({}, {}))).toBeNull();
  });

  it("names the first limit of a policy that is larger", () => {
    expect(beyondCeiling({ concurrent: 4, usdPerDay: 2 }, { concurrent: 4, usdPerDay: 1 })).toEqual(
      {
        name: "usdPerDay",
        max: 1,
      },
    );
    expect(beyondCeiling({}, { usdPerDay: 1 })).toBeNull();
    expect(beyondCeiling({ usdPerDay: 1e9 }, {})).toBeNull();
  });
});

describe("leave for what the operator pays", () => {
  it("is given by name, and is not needed for any other provider", () => {
    const may = (provider: string, providers?: string[]) =>
      mayUse({ limits: {}, ...(providers && { providers }) }, provider);
    expect(may("workers-ai")).toBe(false);
    expect(may("workers-ai", [])).toBe(false);
    expect(may("workers-ai", ["workers-ai"])).toBe(true);
    for (const provider of ["openai", "demo", "ollama"]) expect(may(provider)).toBe(true);
  });

  it("is needed for models to be chosen", () => {
    const of = (withheld: string[]) =>
      poolFrom({
        models: [model("workers-ai/@cf/one"), model("openai/gpt")],
        credentials: [credential("workers-ai"), credential("openai")],
        catalogueVersion: "1",
        policy: { withheldProviders: new Set(withheld) },
      }).ranked.map(({ model: { provider }, exclusion }) => [provider, exclusion]);
    expect(of(["workers-ai"])).toEqual([
      ["openai", null],
      ["workers-ai", "not_allowed_by_operator"],
    ]);
    expect(of([])).toEqual([
      ["openai", null],
      ["workers-ai", null],
    ]);
  });
});
