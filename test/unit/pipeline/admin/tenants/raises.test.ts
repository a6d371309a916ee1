/** Who raised a limit, and what may not be raised. */
import { describe, expect, it } from "vitest";
import type { Policy, Raise } from "../../../../../src/domain/choice/policy.ts";
import { withRaisers } from "../../../../../src/pipeline/admin/tenants/raises.ts";

const now = 1_800_000_000_000;
const raise = (fields: Partial<Raise> = {}): Raise => ({
  subject: "key_1",
  limits: { usdPerDay: 5 },
  until: now + 1,
  reason: "a launch",
  ...fields,
});
const put = (policy: Policy, before: Policy = {}) =>
  withRaisers(policy, {
    tenant: { id: "ten_1", policy: before, ceiling: { limits: { usdPerDay: 7 } } },
    actor: "bob",
    now,
  });

describe("a policy's raises", () => {
  it("name whoever raised, whatever the request says", () => {
    const put1 = put({ raises: [raise({ by: "ann" })], maxTokens: 9 });
    expect(put1).toEqual({ ok: true, value: { raises: [raise({ by: "bob" })], maxTokens: 9 } });
  });

  it("keep the name of whoever raised before, until somebody raises otherwise", () => {
    const before = { raises: [raise({ by: "ann" })] };
    expect(put({ raises: [raise()] }, before)).toEqual({ ok: true, value: before });
    const other = raise({ until: now + 2, by: "ann" });
    expect(put({ raises: [other] }, before)).toEqual({
      ok: true,
      value: { raises: [{ ...other, by: "bob" }] },
    });
  });

  it("go from the policy once they are over", () => {
    const before = { raises: [raise({ until: now, by: "ann" })] };
    expect(put({ ...before, maxTokens: 1 }, before)).toEqual({ ok: true, value: { maxTokens: 1 } });
  });

  it("are refused if they are over, or pass the operator's ceiling", () => {
    const refusalOf = (raises: Raise[]) => {
      const done = put({ raises });
      return done.ok ? null : done.error;
    };
    expect(refusalOf([raise(), raise({ until: now })])).toMatchObject({
      reason: "invalid_params",
      path: "raises.1.until",
    });
    const beyond = raise({ subject: "ten_1", limits: { usdPerDay: 8 } });
    expect(refusalOf([beyond])).toMatchObject({ path: "raises.0.limits.usdPerDay" });
    expect(refusalOf([raise({ ...beyond, subject: "key_1" })])).toBeNull();
  });
});
