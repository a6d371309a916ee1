/** The reason of a request that did not succeed, in words. */
import { describe, expect, it } from "vitest";
import { errorText, reasonText, verdictText } from "../../../src/console/requests/reason.ts";

type Reason = Parameters<typeof reasonText>[0]["reason"];

const textOf = (reason: Reason, detail: string | null): string =>
  reasonText({ reason, reasonDetail: detail, omitted: null });

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
    const omitted = { requests: 1_200, from, until };
    const detail = JSON.stringify(omitted);
    expect(reasonText({ reason: "rate_limited", reasonDetail: detail, omitted })).toMatch(
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

const failed = { code: "overloaded", fault: "server" } as const;
const lost = { code: undefined, fault: "network" } as const;
const fine = { code: undefined, fault: null } as const;
type Attempts = Parameters<typeof verdictText>[0]["attempts"];
const attemptsOf = (...ends: (typeof failed | typeof lost | typeof fine)[]): Attempts =>
  ends.map((end, at) => ({ provider: "own", model: `m${at}`, ...end })) as unknown as Attempts;

describe("the error of a request in the list", () => {
  it("names the refusal, and each fault once, also of models before the one that answered", () => {
    expect(errorText({ reason: null, attempts: attemptsOf(failed, lost, failed, fine) })).toBe(
      "overloaded, network",
    );
    expect(errorText({ reason: "budget_exceeded", attempts: [] })).toBe("budget exceeded");
    expect(errorText({ reason: null, attempts: attemptsOf(fine) })).toBe("");
  });
});

describe("the verdict on a request", () => {
  const none = { reason: null, reasonDetail: null, omitted: null } as const;
  it("says who answered after how many failed attempts", () => {
    const outcome = "succeeded" as const;
    expect(verdictText({ ...none, outcome, attempts: attemptsOf(fine) })).toBe("own/m0 answered");
    expect(verdictText({ ...none, outcome, attempts: attemptsOf(failed, fine) })).toBe(
      "own/m1 answered after 1 failed attempt",
    );
    expect(verdictText({ ...none, outcome, attempts: attemptsOf(failed, lost, fine) })).toBe(
      "own/m2 answered after 2 failed attempts",
    );
  });

  it("says that no model answered, or why the request was refused", () => {
    const attempts = attemptsOf(failed);
    expect(verdictText({ ...none, outcome: "failed", attempts })).toBe("No model answered");
    expect(verdictText({ ...none, outcome: "admitted", attempts })).toBe("");
    const refused = { ...none, outcome: "refused", reason: "rate_limited" } as const;
    expect(verdictText({ ...refused, attempts: attemptsOf() })).toBe("rate limited");
  });
});
