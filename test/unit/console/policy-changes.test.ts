/** A policy change lists the members that differ, if the previous version is known. */
import { describe, expect, it } from "vitest";
import { policyChanges, type PolicyEvent } from "../../../src/console/policy-changes.ts";

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
      { member: "capture", before: '"full"', after: null },
      { member: "deniedModels", before: null, after: '["openai/*"]' },
    ]);
    expect(policyChanges(older, events)).toEqual([
      { member: "capture", before: '"none"', after: '"full"' },
      { member: "limits", before: null, after: '{"usdPerDay":5}' },
    ]);
  });

  it("is not guessed where the policy before is not among the events, and of other events", () => {
    const first = replaced({ capture: "none" });
    const other = { action: "key.create", target: "key_a", detail: {} };
    expect(policyChanges(first, [first, other])).toBeNull();
    expect(policyChanges(other, [other, first, first])).toBeNull();
  });
});
