/** What became of a request, why, and what to do about it, in words. */
import { describe, expect, it } from "vitest";
import {
  adviceText,
  causeText,
  faultText,
  outcomeWord,
  pagesFor,
  verdictText,
} from "../../../src/console/requests/cause.ts";
import { faultCodes } from "../../../src/domain/attempts.ts";

type Ended = Parameters<typeof verdictText>[0];
type Attempts = Ended["attempts"];

const attemptsOf = (...faults: (string | null)[]): Attempts =>
  faults.map((fault, at) => ({ provider: "own", model: `m${at}`, fault })) as unknown as Attempts;
const ended = (changes: Partial<Ended>): Ended => ({
  outcome: "refused",
  reason: null,
  reasonDetail: null,
  omitted: null,
  asked: null,
  attempts: [],
  ...changes,
});
const failed = (...faults: (string | null)[]): Ended =>
  ended({ outcome: "failed", reason: "provider_failed", attempts: attemptsOf(...faults) });
const succeeded = (...faults: (string | null)[]): Ended =>
  ended({ outcome: "succeeded", attempts: attemptsOf(...faults) });

describe("what to do about a request", () => {
  it.each([
    ...faultCodes,
    "rate_limit",
    "server",
    "network",
    "timeout",
    "auth",
    "unopenable",
    "invalid_request",
  ])("is said of a provider's fault: %s", (fault) => {
    expect(adviceText(failed(fault))).toMatch(/\.$/);
    expect(faultText(fault)).not.toMatch(/_|^image$|^network$|^server$/);
  });

  it.each([
    "rate_limited",
    "budget_exceeded",
    "no_eligible_model",
    "unavailable",
    "stopped",
  ] as const)("is said of a refusal: %s", (reason) =>
    expect(adviceText(ended({ reason }))).toMatch(/\.$/),
  );

  it.each([
    ["key.usdTotal", "Raise the limit: a total doesn’t reset."],
    ["run.callsPerRun", "Raise the limit: a total doesn’t reset."],
    ["key.usdPerDay", "Wait until the limit resets, or raise it."],
  ])("is not to wait for a limit that never resets: %s", (reasonDetail, advice) =>
    expect(adviceText(ended({ reason: "budget_exceeded", reasonDetail }))).toBe(advice),
  );

  it("is said once for several attempts, and not where nothing is to be done", () => {
    expect(adviceText(failed("image", "image"))).toBe(
      "Send a smaller image, or another format: PNG, JPEG, WebP or GIF.",
    );
    expect(adviceText(failed("cancelled"))).toBe("");
    expect(adviceText(succeeded("network", null))).toBe("");
  });
});

describe("where to follow an advice", () => {
  const pagesOf = (record: Ended) => pagesFor(adviceText(record)).map(([page]) => page);

  it.each([
    ["rate_limited", "/limits"],
    ["budget_exceeded", "/limits"],
    ["no_eligible_model", "/policy"],
    ["stopped", "/switches"],
  ] as const)("is the page that it names: %s", (reason, page) =>
    expect(pagesOf(ended({ reason }))).toEqual([page]),
  );

  it("is that of models for a name that no model has", () => {
    const reasonDetail = '{"not_named":2}';
    const pages = pagesOf(ended({ reason: "no_eligible_model", reasonDetail }));
    expect(pages).toEqual(["/models", "/credentials"]);
  });

  it("is each page that the advice on several faults names, or none", () => {
    expect(pagesOf(failed("invalid_key", "model_not_found"))).toEqual(["/credentials", "/policy"]);
    expect(pagesOf(failed("timeout"))).toEqual([]);
  });
});

describe("the cause of an error", () => {
  const textOf = (reason: Ended["reason"], reasonDetail: string | null): string =>
    causeText(ended({ reason, reasonDetail }));

  it("is the provider's fault, named once for several attempts", () => {
    expect(causeText(failed("image", "image", "network"))).toBe(
      "image too large or unreadable, provider unreachable",
    );
  });

  it("of a call that succeeded says that it was retried", () => {
    expect(causeText(succeeded("network", null))).toBe("retried: provider unreachable");
    expect(causeText(succeeded(null))).toBe("");
  });

  it("names why each model was excluded", () => {
    expect(textOf("no_eligible_model", '{"not_named":2,"tools":1}')).toBe(
      "no model can serve the request: the request names another model (2), does not support tools (1)",
    );
    const asked = { model: "gpt-4o-minii" };
    const misnamed = ended({ reason: "no_eligible_model", reasonDetail: '{"not_named":2}', asked });
    expect(causeText(misnamed)).toBe("no model is named “gpt-4o-minii”");
    expect(textOf("no_eligible_model", "{}")).toBe("no model can serve the request");
  });

  it("names the missing capability, paused models, the limit, and the member", () => {
    expect(textOf("capability_missing", '{"sampling":{"tools":{}}}')).toBe(
      "client lacks a capability: sampling (tools)",
    );
    expect(textOf("unavailable", '{"circuit_open":["openai/a","openai/b"]}')).toBe(
      "models failed recently: openai/a, openai/b",
    );
    expect(textOf("budget_exceeded", "tenant.usdPerMonth")).toBe(
      "no budget left for the call: USD per month, tenant",
    );
    expect(textOf("invalid_params", "messages.0")).toBe("invalid parameter: messages.0");
    const by = "request denied by person:ann@corp.test (subject NTTi_lnK)";
    expect(textOf("user_rejected", by)).toBe("not approved: request denied by ann@corp.test");
  });

  it("counts the refusals that a summary represents", () => {
    const omitted = { requests: 1_200, from: 0, until: 60_000 };
    const reasonDetail = JSON.stringify(omitted);
    expect(causeText(ended({ reason: "rate_limited", reasonDetail, omitted }))).toMatch(
      /^rate limit reached: 1,200 requests, /u,
    );
  });

  it("shows JSON that does not parse as it is", () => {
    expect(textOf("no_eligible_model", '{"not_named":')).toBe(
      'no model can serve the request: {"not_named":',
    );
  });
});

describe("the verdict on a request", () => {
  it("says who answered after how many failed attempts", () => {
    expect(verdictText(succeeded(null))).toBe("own/m0 answered");
    expect(verdictText(succeeded("server", null))).toBe("own/m1 answered after 1 failed attempt");
    expect(verdictText(succeeded("server", "network", null))).toBe(
      "own/m2 answered after 2 failed attempts",
    );
  });

  it("is the cause as a sentence otherwise, and empty while a call runs", () => {
    expect(verdictText(failed("overloaded"))).toBe("Provider overloaded");
    expect(verdictText(ended({ reason: "rate_limited" }))).toBe("Rate limit reached");
    expect(verdictText(ended({ outcome: "unknown" }))).toBe("Router stopped during the call");
    expect(verdictText(ended({ outcome: "admitted" }))).toBe("");
  });
});

it("has the same words for outcomes as the filter and the approvals", () => {
  expect(outcomeWord({ outcome: "admitted", held: true })).toBe("pending approval");
  expect(outcomeWord({ outcome: "admitted", held: true, approved: true })).toBe("approved");
  expect(outcomeWord({ outcome: "admitted" })).toBe("running");
  expect(outcomeWord({ outcome: "failed" })).toBe("failed");
  expect(outcomeWord({ outcome: "failed", reason: "user_rejected" })).toBe("not approved");
});
