/** Who spent most: the range that is read, money in USD, names, shares, and each group's fullest budget. */
import { describe, expect, it } from "vitest";
import type { Alert } from "../../../../../src/domain/alerts.ts";
import type { StoredAlert } from "../../../../../src/domain/ports/alerts.ts";
import type { Limits } from "../../../../../src/domain/choice/policy.ts";
import type { TopUsageQuery, TopUsageRow } from "../../../../../src/domain/ports/top-usage.ts";
import type { TenantStore } from "../../../../../src/domain/ports/stores.ts";
import { ok } from "../../../../../src/domain/result.ts";
import { createTopUsage } from "../../../../../src/pipeline/admin/audit/top-usage.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

/** 2027-01-15 08:00 UTC */
const now = 1_800_000_000_000;

const rowOf = (group: string, costMicroUsd: number): TopUsageRow => ({
  group,
  requests: 1,
  succeeded: 1,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
  inputTokens: 10,
  outputTokens: 5,
  costMicroUsd,
  lastUsedAt: now,
  before: { requests: 2, costMicroUsd: 500_000 },
});

function given(options: {
  rows?: TopUsageRow[];
  limits?: Record<string, Limits>;
  /** of keys */
  people?: Record<string, string>;
  counted?: number;
  uncountedSince?: number;
  alerts?: Pick<Alert, "subject" | "name" | "periodUntil">[];
}) {
  const {
    rows = [],
    limits = {},
    people = {},
    counted = 0,
    uncountedSince = null,
    alerts = [],
  } = options;
  const asked: TopUsageQuery[] = [];
  const { tenant } = callerWith().snapshot;
  const policy = { ...tenant.policy, timeZone: "Europe/Berlin", perUser: { usdPerDay: 2 } };
  const read = createTopUsage({
    tenants: { bySlug: async () => ok({ ...tenant, policy }) } as unknown as TenantStore,
    ids: { next: () => "" },
    now: () => now,
    topUsage: {
      top: async (_, query) => {
        asked.push(query);
        const spent = rows.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0);
        const total = { requests: rows.length, costMicroUsd: spent };
        const before = { requests: 2, costMicroUsd: 500_000 };
        return ok({ rows, groups: rows.length, uncountedSince, total: { ...total, before } });
      },
      limitsOf: async (_, ids) =>
        ok(
          Object.fromEntries(
            ids
              .filter((id) => limits[id] ?? people[id])
              .map((id) => [id, { limits: limits[id] ?? {}, userId: people[id] ?? null }]),
          ),
        ),
    },
    limits: {
      sum: async (_, checks) => ok(checks.map(() => ({ counted, reserved: 0, oldest: null }))),
      nodes: async () => ok([]),
    },
    alerts: { list: async () => ok({ data: alerts as StoredAlert[], nextCursor: null }) },
    names: { of: async (_, ids) => ok(Object.fromEntries(ids.map((id) => [id, `name of ${id}`]))) },
  });
  return {
    asked,
    read: (query: Parameters<typeof read>[2] = {}) => read({ kind: "operator" }, "tenant", query),
  };
}

describe("who spent most", () => {
  it("reads the current month in the tenant's time zone by default", async () => {
    const { asked, read } = given({});
    const from = Date.UTC(2026, 11, 31, 23);
    await read();
    expect(asked[0]).toEqual({ by: "key", limit: 10, from, to: now + 1 });
    expect(await read({ from: 5, to: 5 })).toMatchObject({ error: { path: "to" } });
  });

  it("has the cost of the current month, whatever the range", async () => {
    const { asked, read } = given({ rows: [rowOf("key_1", 3_000_000)] });
    const month = { from: Date.UTC(2026, 11, 31, 23), until: Date.UTC(2027, 0, 31, 23) };
    expect(await read({ from: now - 1, to: now })).toMatchObject({
      value: { from: now - 1, month: { ...month, costUsd: 3 } },
    });
    expect(asked.at(-1)).toEqual({ by: "model", limit: 1, from: month.from, to: now + 1 });
  });

  it("has names, shares, and the period before in USD", async () => {
    const { read } = given({ rows: [rowOf("key_1", 3_000_000), rowOf("key_2", 1_000_000)] });
    expect(await read()).toMatchObject({
      value: {
        total: { costUsd: 4, before: { requests: 2, costUsd: 0.5 } },
        names: { key_1: "name of key_1" },
        data: [
          { group: "key_1", costUsd: 3, share: 0.75, before: { costUsd: 0.5 } },
          { group: "key_2", costUsd: 1, share: 0.25 },
        ],
      },
    });
    const free = given({ rows: [rowOf("a/b", 0)] });
    expect(await free.read({ by: ["model"] })).toMatchObject({
      value: { names: {}, data: [{ share: 0 }] },
    });
  });

  it("shows the fullest budget of each group, and none where there is none", async () => {
    const { read } = given({
      rows: [rowOf("key_1", 1), rowOf("key_2", 1)],
      limits: { key_1: { usdPerMonth: 10, usdPerDay: 4, requestsPerDay: 1 } },
      counted: 3_000_000,
    });
    const found = await read();
    expect(found.ok && found.value.data.map(({ budget }) => budget)).toMatchObject([
      { name: "key.usdPerDay", subject: "key_1", unit: "usd", limit: 4, used: 3, left: 1 },
      undefined,
    ]);
    const people = await given({ rows: [rowOf("usr_1", 1), rowOf("", 1)] }).read({ by: ["user"] });
    expect(people.ok && people.value.data.map(({ budget }) => budget?.subject)).toEqual([
      "user:usr_1",
      undefined,
    ]);
  });

  it("shows the person's budget of a key that has a person, if it is fuller", async () => {
    const { read } = given({
      rows: [rowOf("key_1", 1), rowOf("key_2", 1), rowOf("key_3", 1)],
      limits: { key_1: { usdPerDay: 4 }, key_3: { usdPerDay: 1.6 } },
      people: { key_1: "usr_1", key_2: "usr_1", key_3: "usr_1" },
      counted: 1_500_000,
    });
    const found = await read();
    expect(found.ok && found.value.data.map(({ budget }) => budget)).toMatchObject([
      { name: "user.usdPerDay", subject: "user:usr_1", limit: 2, used: 1.5 },
      { subject: "user:usr_1" },
      { subject: "key_3" },
    ]);
  });

  it("has used-up budgets of others by their alerts, while the period lasts", async () => {
    const alert = (subject: string, name: string, periodUntil = now + 1) => ({
      subject,
      name,
      periodUntil,
    });
    const used = (name: string, subject: string) => ({ name, subject, left: 0 });
    const { read } = given({
      rows: [rowOf("key_1", 1)],
      limits: Object.fromEntries(["key_1", "key_2", "key_3"].map((id) => [id, { usdPerDay: 3 }])),
      counted: 3_000_000,
      alerts: [
        alert("key_1", "key.usdPerDay"),
        alert("key_2", "key.usdPerDay"),
        alert("key_2", "key.usdPerDay"),
        alert("key_3", "key.usdPerDay", now),
        alert("user:usr_1", "user.usdPerDay"),
        alert("run:key_1:r", "run.usdPerRun"),
      ],
    });
    const found = await read();
    expect(found.ok && found.value.budgets).toMatchObject([
      used("key.usdPerDay", "key_2"),
      { ...used("user.usdPerDay", "user:usr_1"), limit: 2 },
    ]);
    expect(found).toMatchObject({
      value: { names: { key_2: "name of key_2", usr_1: "name of usr_1" } },
    });
    const others = {
      limits: { key_2: { usdPerDay: 4 } },
      alerts: [alert("key_2", "key.usdPerDay")],
    };
    expect(await given({ ...others, counted: 3_000_000 }).read()).toMatchObject({
      value: { budgets: [] },
    });
  });

  it("has several lists, each with its own limit, and shares of the cost of all calls", async () => {
    const { asked, read } = given({ rows: [rowOf("nightly", 1_000_000)] });
    const found = await read({ by: ["tag", "group"], limit: 5 });
    expect(asked.map(({ by, limit }) => [by, limit])).toEqual([
      ["model", 5],
      ["tag", 5],
      ["group", 5],
      ["model", 1],
    ]);
    expect(found).toMatchObject({
      value: { groups: { tag: 1, group: 1 }, data: [{ by: "tag", share: 1 }, { by: "group" }] },
    });
  });

  it("is complete until the first call that isn't counted", async () => {
    expect(await given({}).read()).toMatchObject({ value: { completeUntil: now } });
    expect(await given({ uncountedSince: 7 }).read({ by: ["tag"] })).toMatchObject({
      value: { completeUntil: 7 },
    });
  });
});
