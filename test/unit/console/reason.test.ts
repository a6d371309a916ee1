/** The reason of a request that did not succeed, in words. */
import { describe, expect, it } from "vitest";
import { reasonText } from "../../../src/console/requests/reason.ts";

type Reason = Parameters<typeof reasonText>[0]["reason"];

const textOf = (reason: Reason, detail: string | null): string =>
  reasonText({ reason, reasonDetail: detail, thinned: null });

describe("the reason of a request", () => {
  it("names why each model was excluded", () => {
    expect(textOf("no_eligible_model", '{"not_named":2,"tools":1}')).toBe(
      "no eligible model: 2 × the request names another model, 1 × does not support tools",
    );
    expect(textOf("no_eligible_model", "{}")).toBe("no eligible model: no known model");
  });

  it("names the missing capability", () => {
    expect(textOf("capability_missing", '{"sampling":{"tools":{}}}')).toBe(
      "capability missing: sampling (tools)",
    );
  });

  it("names the models that are paused", () => {
    expect(textOf("unavailable", '{"circuit_open":["openai/a","openai/b"]}')).toBe(
      "unavailable: failed recently: openai/a, openai/b",
    );
  });

  it("counts the refusals that a summary represents", () => {
    const [from, until] = [0, 60_000];
    const thinned = { requests: 1_200, from, until };
    const detail = JSON.stringify(thinned);
    expect(reasonText({ reason: "rate_limited", reasonDetail: detail, thinned })).toMatch(
      /^rate limited: 1,200 requests, /u,
    );
  });

  it("shows names and sentences as they are, and JSON that does not parse", () => {
    expect(textOf("budget_exceeded", "tenant.budget.month")).toBe(
      "budget exceeded: tenant.budget.month",
    );
    expect(textOf("provider_failed", null)).toBe("provider failed");
    expect(textOf("no_eligible_model", '{"not_named":')).toBe('no eligible model: {"not_named":');
    expect(textOf(null, null)).toBe("");
  });
});
