/** Members of a value are read and set by their path. */
import { describe, expect, it } from "vitest";
import { valueAt, withValueAt } from "../../../src/console/members.ts";

const policy = { timeZone: "UTC", approval: { mode: "request", when: { tools: ["mail"] } } };

describe("a member of a value", () => {
  it("is read by its path", () => {
    expect(valueAt(policy, "approval.when.tools")).toEqual(["mail"]);
    expect(valueAt(policy, "runs.usdPerRun")).toBeUndefined();
  });

  it("is set by its path, and leaves the value as it was", () => {
    const before = structuredClone(policy);
    expect(withValueAt(policy, "runs.usdPerRun", 2)).toEqual({ ...policy, runs: { usdPerRun: 2 } });
    expect(withValueAt(policy, "approval.mode", "both")).toEqual({
      ...policy,
      approval: { ...policy.approval, mode: "both" },
    });
    expect(policy).toEqual(before);
  });

  it.each([undefined, ""])("is removed by %j, with members that become empty", (empty) => {
    expect(withValueAt(policy, "approval.when.tools", empty)).toEqual({
      ...policy,
      approval: { mode: "request" },
    });
    expect(withValueAt({ runs: { usdPerRun: 2 } }, "runs.usdPerRun", empty)).toEqual({});
  });
});
