/** A policy change lists the members that differ, if the previous version is known. */
import { describe, expect, it } from "vitest";
import {
  changeText,
  switchAction,
  detailTexts,
  memberTitle,
  policyChanges,
  type PolicyEvent,
} from "../../../src/console/policy-changes.ts";

const replaced = (detail: PolicyEvent["detail"], target = "ten_a"): PolicyEvent => ({
  action: "policy.replace",
  target,
  detail,
});

describe("a change of a policy", () => {
  it("is told by the members that differ from the policy before, of the same tenant", () => {
    const newest = replaced({ limits: { usdPerDay: 5 }, deniedModels: ["openai/*"] });
    const older = replaced({ limits: { usdPerDay: 5 }, capture: "full" });
    const events = [
      newest,
      replaced({ capture: "none" }, "ten_b"),
      { ...older, action: "tenant.rename" },
      older,
      replaced({ capture: "none" }),
    ];
    expect(policyChanges(newest, events)).toEqual([
      { member: "capture", before: "full", after: undefined },
      { member: "deniedModels", before: undefined, after: ["openai/*"] },
    ]);
    expect(policyChanges(older, events)).toEqual([
      { member: "capture", before: "none", after: "full" },
      { member: "limits", before: undefined, after: { usdPerDay: 5 } },
    ]);
  });

  it.each([
    ["perUser", undefined, { usdPerDay: 5 }, "Each person: 5 USD a day"],
    [
      "limits",
      { usdPerDay: 5, concurrent: 2, usdPerMonth: 9 },
      { usdPerDay: 5, requestsPerMinute: 60, usdPerMonth: 8 },
      "Whole tenant: 2 concurrent calls, 9 USD a month → 60 requests a minute, 8 USD a month",
    ],
    ["deniedModels", ["openai/*"], undefined, "Denied models: openai/* → not set"],
    ["groups", undefined, { limits: { eng: {} } }, "Groups: eng: unlimited"],
    ["tags", undefined, { each: { usdTotal: 1 } }, "Tags: each: 1 USD in total"],
    ["runs", undefined, { callsPerRun: 60, usdPerRun: 2 }, "Runs: 60 calls per run, 2 USD per run"],
    [
      "raises",
      undefined,
      [{ subject: "tag:x", limits: { usdPerDay: 6 }, reason: "Sale", by: "operator" }],
      "Raises: for tag:x, 6 USD a day, reason: Sale, by operator",
    ],
    ["raises", [{ subject: `user:usr_${"a".repeat(43)}` }], [], "Raises: for …aaaaaa → none"],
    ["capture", undefined, "full", "Captured content: requests and results"],
    ["alerts", { thresholds: [50, 90] }, { thresholds: [80] }, "Alerts: at 50, 90 % → at 80 %"],
    [
      "approval",
      { mode: "request", when: { costUsdAbove: 1 } },
      { mode: "request", when: { costUsdAbove: 2 }, timeoutSeconds: 60 },
      "Approval: if above $1.00 → if above $2.00, 1 min to decide",
    ],
    ["stopped", { models: { "a/*": "late" } }, { models: {} }, "Lifted: model a/*, reason: late"],
    ["stopped", undefined, "late", "Stopped: the whole tenant, by the operator, reason: late"],
  ])("of %s is told in words", (member, before, after, text) => {
    expect(changeText({ member, before, after })).toBe(text);
  });

  it("of others is its detail in words, without the target's name, hashes and whole ids", () => {
    const id = `key_01${"a".repeat(24)}`;
    const detail = {
      name: "ci",
      scopes: ["sampling", "models"],
      expiresAt: null,
      keyId: id,
      userId: `usr_${"b".repeat(43)}`,
      contentHash: "f0".repeat(32),
      subject: "a_-".repeat(14) + "k",
      decidedAt: Date.UTC(2026, 0, 2, 12),
    };
    const event = { action: "key.create", target: id, detail };
    const names = { [id]: "ci", [detail.userId]: "Bob" };
    expect(detailTexts(event, names)).toEqual([
      "Scopes: sampling, models",
      "Key: ci",
      "User: Bob",
      expect.stringMatching(/^Decided at: .*2026/),
    ]);
    expect(detailTexts(event, {})[2]).toBe("Key: …aaaaaa");
  });

  it.each([
    [undefined, { tenant: "late" }, "turned on a kill switch"],
    [{ tenant: "late" }, undefined, "lifted a kill switch"],
    ["late", undefined, "lifted a kill switch"],
    [{ tenant: "late" }, { models: { "a/*": "late" } }, "changed kill switches"],
  ])("of nothing but kill switches is named", (before, after, text) => {
    const change = { member: "stopped", before, after };
    expect(switchAction([change])).toBe(text);
    expect(switchAction([change, { member: "capture", before, after }])).toBeUndefined();
  });

  it("of a key's limits doesn't name the tenant", () => {
    const event = { action: "key.update", target: "key_a", detail: { limits: { concurrent: 2 } } };
    expect(detailTexts(event, {})).toEqual(["Limits: 2 concurrent calls"]);
    expect(detailTexts({ ...event, action: "policy.replace" }, {})[0]).toMatch(/^Whole tenant/);
  });

  it("outside the router is told as the seals' page does", () => {
    const tampered = [{ what: "missing", first: 61, last: 62, count: 2 }];
    const event = {
      action: "audit.tampered",
      target: "3",
      detail: { seal: 3, tampered, found: 5 },
    };
    expect(detailTexts(event, {})).toEqual(["2 records are missing, numbers 61 to 62", "4 more"]);
    expect(detailTexts({ ...event, detail: { what: "key", id: "a1" } }, {})).toEqual([
      "signing key a1 was not made by the router",
    ]);
    expect(
      detailTexts({ action: "row.rejected", target: "api_keys key_a", detail: {} }, {}),
    ).toEqual(["The row was changed outside the router."]);
  });

  it("of an alert is its sentence, with the subject's name", () => {
    const detail = { kind: "budget_crossed", name: "key.usdPerDay", subject: "key_a" };
    const target = "ten_a";
    const figures = { limit: 0.2, used: 0.18, threshold: 90 };
    expect(
      detailTexts(
        { action: "alert.raised", target, detail: { ...detail, ...figures } },
        {
          key_a: "ci",
        },
      ),
    ).toEqual(["90% of the budget per day of ci: $0.18 of $0.20 used."]);
  });

  it("spaces the names of members", () => {
    expect(memberTitle("canonicalName")).toBe("Canonical name");
  });

  it("is not guessed where the policy before is not among the events, and of other events", () => {
    const first = replaced({ capture: "none" });
    const other = { action: "key.create", target: "key_a", detail: {} };
    expect(policyChanges(first, [first, other])).toBeNull();
    expect(policyChanges(other, [other, first, first])).toBeNull();
  });
});
