/** At which nodes one call is charged, and by which limits. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../src/domain/choice/policy.ts";
import { maxNodes } from "../../../../src/domain/limits/limit-checks.ts";
import { mayNameBudget, scopesOf, type NamedBy } from "../../../../src/pipeline/callers/scopes.ts";
import { callerWith } from "./callers.fixture.ts";

const now = 1_800_000_000_000;
const scopesUnder = (policy: Policy, by: NamedBy = {}, at = now) =>
  scopesOf(callerWith({ policy, keyLimits: { usdPerDay: 1 } }).snapshot, {
    server: { id: "srv_1", policy: { limits: { usdPerDay: 1 } } },
    by,
    now: at,
  });
const named = (scopes: ReturnType<typeof scopesUnder>) =>
  scopes.slice(3).map(({ subject, limits }) => [subject, limits]);

describe("the nodes of a call", () => {
  it("are what the policy limits of whatever the call names", () => {
    const policy: Policy = {
      perUser: { usdPerDay: 2 },
      groups: { each: { usdPerDay: 3 }, limits: { "/eng": { usdPerDay: 4 }, free: {} } },
      tags: { limits: { night: { usdPerDay: 5 } } },
      runs: { required: true, callsPerRun: 6 },
    };
    const user = { id: "ann", groups: ["ops", "/eng", "free", "ops"] };
    expect(named(scopesUnder(policy, { user, tag: "night", run: "one" }))).toEqual([
      ["user:ann", { usdPerDay: 2 }],
      ["tag:night", { usdPerDay: 5 }],
      ["run:key_1:one", { callsPerRun: 6 }],
      ["group:/eng", { usdPerDay: 4 }],
      ["group:ops", { usdPerDay: 3 }],
    ]);
    expect(named(scopesUnder(policy, { tag: "day" }))).toEqual([]);
  });

  it("are sixteen at most, of which groups with limits of their own go before others", () => {
    const groups = Array.from({ length: 30 }, (_, at) => `g${at}`);
    const policy: Policy = {
      perUser: { usdPerDay: 2 },
      groups: { each: { usdPerDay: 3 }, limits: { g29: { usdPerDay: 4 } } },
    };
    const scopes = scopesUnder(policy, { user: { id: "ann", groups } });
    expect(scopes).toHaveLength(maxNodes);
    expect(scopes.map(({ subject }) => subject)).toContain("group:g29");
  });

  it("count a run that begins at its key, where the policy bounds new runs", () => {
    const policy: Policy = { runs: { callsPerRun: 6, newRunsPerDay: 3 } };
    const keyOf = (by: NamedBy) => scopesUnder(policy, by)[1];
    expect(keyOf({ run: "one" })).toEqual({
      scope: "key",
      subject: "key_1",
      limits: { usdPerDay: 1, newRunsPerDay: 3 },
      run: "run:key_1:one",
    });
    expect(keyOf({})).toEqual({ scope: "key", subject: "key_1", limits: { usdPerDay: 1 } });
  });

  it("have larger limits while they are raised, tenant, key, server and person alike", () => {
    const subjects = ["ten_1", "key_1", "srv_1", "user:ann"];
    const policy: Policy = {
      limits: { usdPerDay: 1 },
      perUser: { usdPerDay: 1 },
      raises: subjects.map((subject) => ({
        subject,
        limits: { usdPerDay: 8 },
        until: now + 1,
        reason: "a launch",
      })),
    };
    const limitsAt = (at: number) =>
      scopesUnder(policy, { user: { id: "ann" } }, at).map(({ limits }) => limits.usdPerDay);
    expect(limitsAt(now)).toEqual([8, 8, 8, 8]);
    expect(limitsAt(now + 1)).toEqual([1, 1, 1, 1]);
  });

  it("keep the tenant below the operator's ceiling, raised or not", () => {
    const raise = {
      subject: "ten_1",
      limits: { usdPerDay: 8 },
      until: now + 1,
      reason: "a launch",
    };
    const policy: Policy = { limits: { usdPerDay: 1 }, raises: [raise] };
    const ceiling = { limits: { usdPerDay: 5 } };
    const [tenant] = scopesOf(callerWith({ policy, ceiling }).snapshot, { server: null, now });
    expect(tenant).toMatchObject({ limits: { usdPerDay: 5 }, fromCeiling: new Set(["usdPerDay"]) });
  });
});

describe("a budget that not every call has", () => {
  it.each<[boolean, Policy]>([
    [false, { tags: { each: { requestsPerDay: 1 } }, runs: { callsPerRun: 1 } }],
    [true, { groups: { limits: { eng: { usdPerWeek: 1 } } } }],
    [true, { groups: { each: { usdTotal: 1 } } }],
    [true, { tags: { limits: { night: { usdPerDay: 1 } } } }],
    [true, { runs: { usdPerRun: 1 } }],
    [true, { perUser: { usdPerDay: 1 } }],
  ])("is %s of %j", (may, policy) => {
    expect(mayNameBudget(policy)).toBe(may);
  });
});
