/** What the store is asked for when somebody asks for usage. */
import { describe, expect, it } from "vitest";
import { histogramOfCalls } from "../../../../../src/domain/latencies.ts";
import type { CountedRow } from "../../../../../src/domain/ports/latencies.ts";
import type {
  UsageQuery,
  UsageBy,
  UsageOfTenant,
  UsageRowKey,
  UsageRow,
} from "../../../../../src/domain/ports/ledger.ts";
import type { TenantStore } from "../../../../../src/domain/ports/stores.ts";
import { ok } from "../../../../../src/domain/result.ts";
import { createUsageAdmin, type UsagePage } from "../../../../../src/pipeline/admin/audit/usage.ts";
import { callerWith } from "../../callers/callers.fixture.ts";

const dayMs = 86_400_000;
const now = 1_800_000_000_000;

const row: UsageRow = {
  at: 0,
  group: "openai/gpt-5",
  requests: 1,
  succeeded: 1,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
  inputTokens: 10,
  outputTokens: 5,
  costMicroUsd: 1_234_567,
};

type Counted = CountedRow;
const countedRow = (group: string, total: number, at = 0): Counted => ({
  at,
  group,
  histogram: histogramOfCalls([{ total, provider: total, overhead: 0 }]),
});

/** `counted` null: more than one answer adds up */
function admin(rows: number, counted: Counted[] | null = []) {
  const asked: (Omit<UsageOfTenant, "by"> & {
    by: string;
    limit: number;
    after?: UsageRowKey | null;
  })[] = [];
  const { tenant } = callerWith().snapshot;
  const usage = createUsageAdmin({
    tenants: { bySlug: async () => ok(tenant) } as unknown as TenantStore,
    ids: { next: () => "" },
    now: () => now,
    usage: {
      read: async (_, query) => rowsFor(query),
      readAll: async (query) => rowsFor(query),
    },
    latencies: { read: async () => ok(counted ?? []), readAll: async () => ok(counted) },
    names: { of: async () => ok({}) },
    placements: {
      namesOf: async (ids) => ok(Object.fromEntries(ids.map((id) => [id, `name of ${id}`]))),
    },
  });
  const rowsFor = (query: (typeof asked)[number]) => {
    asked.push(query);
    return ok(Array.from({ length: Math.min(rows, query.limit) }, () => row));
  };
  const operator = { kind: "operator" } as const;
  return {
    asked,
    usage,
    read: (query: Partial<UsageOfTenant> & UsagePage) => usage.read(operator, "tenant", query),
  };
}

describe("usage", () => {
  it.each<[string, Partial<UsageQuery>, Partial<UsageQuery>]>([
    ["the newest day", {}, { from: now + 1 - dayMs, to: now + 1, bucket: "hour", by: "model" }],
    ["30 days by the day", { bucket: "day" }, { from: now + 1 - 30 * dayMs, to: now + 1 }],
    ["a day from there", { from: 5 }, { from: 5, to: 5 + dayMs }],
    ["a day until then", { to: 2 * dayMs }, { from: dayMs, to: 2 * dayMs }],
    ["not before the beginning", { to: 7 }, { from: 0, to: 7 }],
  ])("shows %s where the rest is not told", async (_, told, shown) => {
    const { asked, read } = admin(1);
    expect((await read(told)).ok).toBe(true);
    expect(asked).toMatchObject([shown]);
  });

  it("of all tenants has their names, and of models none", async () => {
    const { usage } = admin(1);
    const namesBy = async (by: "tenant" | "model") => {
      const read = await usage.readAll({ kind: "operator" }, { by });
      return read.ok && read.value.names;
    };
    expect(await namesBy("tenant")).toEqual({ [row.group]: `name of ${row.group}` });
    expect(await namesBy("model")).toEqual({});
  });

  it("is money in USD, as everywhere", async () => {
    const { costMicroUsd: _, ...rest } = row;
    expect(await admin(1).read({})).toEqual(
      ok({ data: [{ ...rest, costUsd: 1.234567, latency: null }], names: {}, nextCursor: null }),
    );
  });

  it("has how long the calls of the same bucket and group took", async () => {
    const counted = [
      countedRow("openai/gpt-5", 100),
      countedRow("a/b", 9_000),
      countedRow("openai/gpt-5", 7, dayMs),
    ];
    const calls = (by: UsageBy) => admin(1, counted).read({ by });
    expect(await calls("model")).toMatchObject(
      ok({ data: [{ latency: { calls: 1, total: { p50: 101, p99: 101 } } }] }),
    );
    expect(await calls("all")).toMatchObject(
      ok({ data: [{ latency: { calls: 2, total: { p50: 101, p99: 8_950 } } }] }),
    );
  });

  it("comes in pages, each of which begins after the one before", async () => {
    expect(await admin(2_000).read({})).toMatchObject({ value: { nextCursor: null } });
    const { asked, read } = admin(2_001);
    const first = await read({});
    expect(first).toMatchObject({ value: { nextCursor: "0.openai/gpt-5" } });
    expect(first.ok && first.value.data.length).toBe(2_000);
    await read({ cursor: "1800000000000.a.b/c", limit: 7 });
    expect(asked.map(({ limit, after }) => [limit, after])).toEqual([
      [2_001, null],
      [8, { at: 1_800_000_000_000, group: "a.b/c" }],
    ]);
    for (const cursor of ["", "x.y", "1", ".y", "-1.y"])
      expect(await read({ cursor })).toMatchObject({ error: { path: "cursor" } });
  });

  it("adds up a range of any length as one, without percentiles", async () => {
    const { asked, read } = admin(1);
    const summed = await read({ bucket: "all", by: "key", from: 0, to: now });
    expect(asked).toMatchObject([{ bucket: "all", by: "key", from: 0, to: now }]);
    expect(summed.ok && summed.value.data[0]).not.toHaveProperty("latency");
  });
});

describe("the usage of all tenants", () => {
  it("is for the operator alone, by tenant unless the query names another group", async () => {
    const { asked, usage } = admin(1);
    const actor = {
      kind: "key",
      keyId: "key_1",
      tenantId: "ten_1",
      role: "admin",
      expiresAt: null,
    } as const;
    expect(await usage.readAll(actor, {})).toMatchObject({
      ok: false,
      error: { reason: "forbidden" },
    });
    expect(asked).toEqual([]);
    expect((await usage.readAll({ kind: "operator" }, {})).ok).toBe(true);
    expect(asked).toMatchObject([{ from: now + 1 - dayMs, to: now + 1, by: "tenant" }]);
  });

  it("has how long the calls of all took, merged and never averaged", async () => {
    const all = async (counted: Counted[] | null) => {
      const found = await admin(1, counted).usage.readAll({ kind: "operator" }, { by: "model" });
      return found.ok ? found.value.data.map(({ latency }) => latency) : found;
    };
    const counted = [100, 100, 9_000].map((total) => countedRow("openai/gpt-5", total));
    expect(await all(counted)).toMatchObject([{ calls: 3, total: { p50: 101, p99: 8_950 } }]);
    expect(await all([])).toEqual([null]);
    expect(await all(null)).toEqual([undefined]);
  });
});
