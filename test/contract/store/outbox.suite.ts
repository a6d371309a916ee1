/**
 * What a tenant's database delivers to `home`: each change at least once, and entered once, whatever is cut
 * off, comes twice or comes late.
 */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { histogramOfCalls, histogramText, latencyOf } from "../../../src/domain/latencies.ts";
import type { Delivery, HourlyUsage } from "../../../src/domain/ports/outbox.ts";
import type { UsageOfAllBy, UsageRow } from "../../../src/domain/ports/ledger.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { createDeliveryJob } from "../../../src/pipeline/scheduled/deliver.ts";
import { raw } from "../../../src/store/db.ts";
import {
  caller,
  correction,
  event,
  id,
  opening,
  reservation,
  settlement,
  start,
} from "./fixtures.ts";
import type { Caller } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const page = { cursor: null, limit: 100 };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startHour = Math.floor(start / hourMs) * 3_600;

/** A delivery of nothing. */
const delivery = (fields: Partial<Delivery> = {}): Delivery => ({
  version: 2,
  events: [],
  tenants: [],
  deleted: [],
  hours: [],
  usage: [],
  latencies: [],
  auditKeys: [],
  since: null,
  ...fields,
});

const used = (tenantId: string, fields: Partial<HourlyUsage> = {}): HourlyUsage => ({
  tenantId,
  hour: startHour,
  model: "openai/gpt",
  succeeded: 1,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
  inputTokens: 10,
  outputTokens: 5,
  costMicroUsd: 100,
  ...fields,
});

const histogram = histogramOfCalls([{ total: 100, provider: 90, overhead: 10 }]);

/** One call that took 100 ms, after so many that are counted already. */
const countCall = async ({ latencies }: Stores, tenantId: string, before = 0): Promise<void> => {
  const from = { tenantId, seal: before, position: -1 };
  const row = { width: 3_600, at: startHour, group: "a/b", histogram };
  const rows = (["model", "key"] as const).map((by) => ({ ...row, by }));
  value(
    await latencies.count(from, { ...from, seal: before + 1 }, { rows, grouped: [], now: start }),
  );
};

export const outboxSuite = (backend: Backend): void => {
  describe("the outbox of a database", () => {
    const world = givenWorld(backend);
    const begin = async (now = start): Promise<Delivery | null> =>
      value(await world.stores.outbox.begin(now));
    /** Delivers to nobody until nothing is left. */
    const settle = async (now = start): Promise<Delivery[]> => {
      const all: Delivery[] = [];
      for (let next = await begin(now); next !== null; next = await begin(now)) {
        all.push(next);
        value(await world.stores.outbox.end(next));
      }
      return all;
    };
    const call = async (who: Caller, now = start) => {
      const reserved = reservation(who, now);
      value(await world.stores.ledger.admit(reserved));
      value(await world.stores.ledger.settle(settlement(reserved, now)));
      return reserved;
    };

    it("is empty where nothing happened, and then writes nothing", async () => {
      expect(await begin()).toBeNull();
      expect(value(await world.db.write([raw(sql`select * from outbox`)]))).toEqual([[]]);
    });

    it("has each event once, oldest first, and what its tenant is called", async () => {
      const { tenantId } = await caller(world.stores);
      const before = value(await world.stores.events.list(tenantId, page)).data.toReversed();
      const [first, ...others] = await settle();
      expect(others).toEqual([]);
      expect(first?.events).toEqual(before);
      expect(await begin()).toBeNull();
      const renamed = event(tenantId, "tenant.update");
      value(await world.stores.tenants.update(tenantId, { name: "Renamed" }, renamed));
      const next = await begin();
      expect(next).toMatchObject({ events: [renamed], deleted: [] });
      expect(next?.tenants).toEqual([
        { id: tenantId, name: "Renamed", createdAt: expect.any(Number) as number },
      ]);
    });

    it("names a tenant that was deleted", async () => {
      const { tenantId } = await caller(world.stores);
      await settle();
      value(await world.stores.tenants.remove(tenantId, event(tenantId, "tenant.delete")));
      expect(await begin()).toMatchObject({ deleted: [tenantId], tenants: [], usage: [] });
    });

    it("has the usage of an hour as a sum over keys, whole and again when it changes", async () => {
      const who = await caller(world.stores);
      await settle();
      await call(who);
      const [first] = await settle();
      expect(first?.hours).toEqual([{ tenantId: who.tenantId, hour: startHour }]);
      expect(first?.usage).toMatchObject([{ tenantId: who.tenantId, succeeded: 1 }]);
      expect(await begin()).toBeNull();
      await call(who);
      value(await world.stores.ledger.refuse(opening(who), "internal", null, null));
      const [second] = await settle();
      expect(second?.usage.reduce((sum, row) => sum + row.succeeded, 0)).toBe(2);
    });

    it("has how long calls took by the model, and again when more are counted", async () => {
      const { tenantId } = await caller(world.stores);
      await settle();
      await countCall(world.stores, tenantId);
      const row = { tenantId, width: 3_600, at: startHour, model: "a/b" };
      const counted = { ...row, histogram: histogramText(histogram) };
      const lost = await begin();
      expect(lost?.latencies).toEqual([counted]);
      await countCall(world.stores, tenantId, 1);
      value(await world.stores.outbox.end(lost ?? delivery()));
      const [next, ...others] = await settle();
      expect([next?.latencies, others]).toMatchObject([[row], []]);
      expect(next?.latencies).not.toEqual([counted]);
      expect(await begin()).toBeNull();
    });

    it("keeps what was not confirmed, and what changed before it was", async () => {
      const who = await caller(world.stores);
      await settle();
      await call(who);
      const lost = await begin();
      const again = await begin();
      expect(again).toEqual({ ...lost, version: (lost?.version ?? 0) + 1 });
      await call(who);
      // The first of the two is confirmed late, and the second one covers more than it says.
      value(await world.stores.outbox.end(lost ?? delivery()));
      value(await world.stores.outbox.end(again ?? delivery()));
      expect((await begin())?.usage).toMatchObject([{ succeeded: 2 }]);
    });

    it("finds a late change of an hour long ago by its event, and looks at no other old hour", async () => {
      const who = await caller(world.stores);
      const old = reservation(who, start);
      value(await world.stores.ledger.admit(old));
      value(await world.stores.ledger.sweep(start + dayMs));
      await settle(start + dayMs);
      const later = start + 40 * dayMs;
      await call(who, later);
      await settle(later);
      value(
        await world.stores.ledger.correct(
          { tenantId: who.tenantId, id: old.opening.id, correction: correction() },
          event(who.tenantId, "request.correct"),
        ),
      );
      const [found] = await settle(later);
      expect(found?.hours).toEqual([{ tenantId: who.tenantId, hour: startHour }]);
      expect(await begin(later)).toBeNull();
    });

    it("delivers the sweep of a call that was open for days", async () => {
      const who = await caller(world.stores);
      value(await world.stores.ledger.admit(reservation(who, start)));
      await settle(start);
      const later = start + 9 * dayMs;
      await call(who, later);
      await settle(later);
      value(await world.stores.ledger.sweep(later));
      const [found] = await settle(later);
      expect(found?.usage).toMatchObject([{ hour: startHour, unknown: 1 }]);
    });

    it("has a backlog in several deliveries, each change in one of them", async () => {
      const { tenantId } = await caller(world.stores);
      await settle();
      value(
        await world.db.write([
          raw(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
            insert into usage (tenant_id, hour, key_id, server_id, model, succeeded, failed, refused,
              cancelled, unknown, input_tokens, output_tokens, cost_micro_usd)
            select ${tenantId}, ${startHour} + i * 3600, 'key', '', 'a/b', 1, 0, 0, 0, 0, 1, 1, 1 from n`),
          raw(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
            insert into admin_events (id, at, actor, action, tenant_id, target, detail)
            select 'evt_' || (1000 + i), 1, 'operator', 'test', ${tenantId}, 't', '{}' from n`),
        ]),
      );
      const all = await settle();
      expect(all.length).toBeGreaterThan(3);
      const hours = all.flatMap((each) => each.hours.map(({ hour }) => hour));
      expect([hours.length, new Set(hours).size]).toEqual([2_500, 2_500]);
      expect(all.flatMap((each) => each.events)).toHaveLength(250);
    });

    it("goes on above a version that `home` knows already", async () => {
      await caller(world.stores);
      await settle();
      value(await world.stores.outbox.raise(40));
      await caller(world.stores);
      expect((await begin())?.version).toBe(41);
    });
  });

  describe("`home`", () => {
    const world = givenWorld(backend);
    const from = { database: "eu", now: start };
    const enter = async (each: Delivery, database = "eu") =>
      value(await world.stores.deliveries.enter({ ...from, database }, each));
    const placed = async (database = "eu"): Promise<string> => {
      const tenantId = `${id("tenant")}${database}`;
      const slug = tenantId.replace("_", "-");
      const placement = { slug, tenantId, database, residency: null };
      value(await world.stores.placements.claim(placement));
      return tenantId;
    };
    const usageBy = async (
      by: UsageOfAllBy,
      bucket: "hour" | "day" = "hour",
    ): Promise<UsageRow[]> =>
      value(
        await world.stores.usage.readAll({
          from: start - dayMs,
          to: start + 3 * dayMs,
          bucket,
          by,
          limit: 50,
        }),
      );
    const hoursOf = (usage: readonly HourlyUsage[]) =>
      usage.map(({ tenantId, hour }) => ({ tenantId, hour }));
    const withUsage = (version: number, ...usage: HourlyUsage[]): Delivery =>
      delivery({ version, usage, hours: hoursOf(usage) });

    it("enters a delivery once, and none that is older than the last one", async () => {
      const tenantId = await placed();
      const first = withUsage(3, used(tenantId));
      expect(await enter(first)).toEqual({ entered: true, version: 3 });
      expect(await enter(first)).toEqual({ entered: false, version: 3 });
      expect(await enter(withUsage(2, used(tenantId, { succeeded: 9 })))).toEqual({
        entered: false,
        version: 3,
      });
      for (const by of ["tenant", "model"] as const)
        expect(await usageBy(by)).toMatchObject([{ requests: 1, costMicroUsd: 100 }]);
      expect(await enter(withUsage(4, used(tenantId, { succeeded: 2 })))).toMatchObject({
        entered: true,
      });
      for (const by of ["tenant", "model"] as const)
        expect(await usageBy(by)).toMatchObject([{ requests: 2 }]);
    });

    it("takes an hour as a whole: a model that is no longer named is gone", async () => {
      const tenantId = await placed();
      await enter(withUsage(2, used(tenantId), used(tenantId, { model: "b/c" })));
      expect((await usageBy("model")).map(({ group }) => group)).toEqual(["b/c", "openai/gpt"]);
      await enter(withUsage(3, used(tenantId, { model: "b/c", succeeded: 4 })));
      const rows = (await usageBy("model")).filter(({ requests }) => requests > 0);
      expect(rows).toMatchObject([{ group: "b/c", requests: 4 }]);
    });

    it("adds up tenants, hours and days, and its own tenants with them", async () => {
      const [one, other] = [await placed(), await placed("us")];
      const next = startHour + 86_400;
      await enter(withUsage(2, used(one), used(one, { hour: next })));
      await enter(withUsage(7, used(other, { succeeded: 5 })), "us");
      const who = await caller(world.stores);
      const reserved = reservation(who, start);
      value(await world.stores.ledger.admit(reserved));
      value(await world.stores.ledger.settle(settlement(reserved, start)));
      const byTenant = await usageBy("tenant");
      const first = byTenant.filter(({ at }) => at === startHour * 1_000);
      expect(Object.fromEntries(first.map(({ group, requests }) => [group, requests]))).toEqual({
        [one]: 1,
        [other]: 5,
        [who.tenantId]: 1,
      });
      for (const bucket of ["hour", "day"] as const)
        for (const by of ["tenant", "model"] as const) {
          const rows = await usageBy(by, bucket);
          expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(8);
          expect(new Set(rows.map(({ at }) => at)).size).toBe(2);
        }
    });

    it("merges how long calls of all tenants took, its own with them, and says when those are too many", async () => {
      const [one, theirs] = [await placed(), await placed("us")];
      const row = {
        width: 3_600,
        at: startHour,
        model: "a/b",
        histogram: histogramText(histogram),
      };
      const took = delivery({ version: 2, latencies: [{ ...row, tenantId: one }] });
      await enter(took);
      await enter(took);
      await enter(delivery({ version: 3, latencies: [{ ...row, tenantId: theirs }] }));
      const { tenantId } = await caller(world.stores);
      await countCall(world.stores, tenantId);
      const range = { from: start - dayMs, to: start + dayMs, bucket: "hour" } as const;
      const callsBy = async (by: UsageOfAllBy) =>
        value(await world.stores.latencies.readAll({ ...range, by }))?.map((found) => [
          found.at,
          found.group,
          latencyOf(found.histogram)?.calls,
        ]);
      const at = startHour * 1_000;
      const byTenant = [one, tenantId].map((group) => [at, group, 1]);
      expect((await callsBy("tenant"))?.toSorted()).toEqual(byTenant.toSorted());
      expect(await callsBy("model")).toEqual([
        [at, "a/b", 1],
        [at, "a/b", 1],
      ]);
      await enter(delivery({ version: 4, deleted: [one] }));
      expect(await callsBy("tenant")).toEqual([[at, tenantId, 1]]);
      value(
        await world.db.write([
          raw(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5001)
            insert into delivered_latencies (width, at, tenant_id, model, histogram)
            select 3600, ${startHour}, ${one}, i, '[{},{},{}]' from n`),
        ]),
      );
      expect(await callsBy("model")).toBeUndefined();
    });

    it("keeps a delivery to its own database's tenants", async () => {
      const theirs = await placed("us");
      await enter(withUsage(2, used(theirs)));
      await enter(
        delivery({ version: 3, tenants: [{ id: theirs, name: "Stolen", createdAt: 1 }] }),
      );
      await enter(delivery({ version: 4, deleted: [theirs], events: [event(theirs, "forged")] }));
      expect(await usageBy("tenant")).toEqual([]);
      expect(value(await world.stores.events.list(null, page)).data).toEqual([]);
      const listed = async () => value(await world.stores.placements.list(page)).data;
      expect(await listed()).toEqual([]);
      await enter(
        delivery({ version: 2, tenants: [{ id: theirs, name: "Its own", createdAt: 7 }] }),
        "us",
      );
      expect(await listed()).toMatchObject([{ name: "Its own", createdAt: 7, state: "active" }]);
    });

    it("lists delivered events with its own, each once", async () => {
      const tenantId = await placed();
      const events = Array.from({ length: 40 }, () => ({
        ...event(tenantId),
        detail: { long: "x".repeat(20_000) },
      }));
      await enter(delivery({ version: 2, events }));
      await enter(delivery({ version: 3, events: [...events.slice(-2), event(null)] }));
      const listed = value(await world.stores.events.list(null, page)).data;
      expect(listed).toHaveLength(41);
      expect(listed.find(({ id: each }) => each === events[7]?.id)).toEqual(events[7]);
    });

    it("forgets what a deleted tenant used, in sums too", async () => {
      const [gone, stays] = [await placed(), await placed()];
      await enter(withUsage(2, used(gone), used(stays, { succeeded: 3 })));
      await enter(delivery({ version: 3, deleted: [gone] }));
      for (const by of ["tenant", "model"] as const)
        expect(await usageBy(by)).toMatchObject([{ requests: 3 }]);
      const slug = stays.replace("_", "-");
      value(
        await world.stores.placements.release({
          slug,
          tenantId: stays,
          database: "eu",
          residency: null,
        }),
      );
      expect(await usageBy("tenant")).toEqual([]);
      const tables = ["delivered_usage", "delivered_latencies", "deliveries", "placements"];
      const left = await world.db.write(
        tables.map((table) => raw(sql`select * from ${sql.identifier(table)}`)),
      );
      expect(value(left)).toEqual([[], [], [], []]);
      // A delivery that was on its way when the tenant went.
      await enter(withUsage(4, used(stays)));
      expect(await usageBy("tenant")).toEqual([]);
    });

    it("takes public keys, and changes none", async () => {
      const given = (code: string, publicKey = "public") => [{ id: "k", publicKey, code }];
      await enter(delivery({ version: 3, auditKeys: given("code") }));
      await enter(delivery({ version: 4, auditKeys: given("other", "forged") }));
      expect(value(await world.stores.seals.keys())).toEqual(given("code"));
    });

    it("refuses to add up too many hours of tenants, and does so by the model", async () => {
      const tenantId = await placed();
      value(
        await world.db.write([
          raw(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 50001)
            insert into delivered_usage (hour, tenant_id, model, succeeded, failed, refused, cancelled,
              unknown, input_tokens, output_tokens, cost_micro_usd)
            select ${startHour}, ${tenantId}, i, 1, 0, 0, 0, 0, 1, 1, 1 from n`),
        ]),
      );
      const range = { from: start, to: start + hourMs, bucket: "hour", limit: 9 } as const;
      expect(await world.stores.usage.readAll({ ...range, by: "tenant" })).toMatchObject({
        ok: false,
        error: { reason: "invalid_params", path: "to" },
      });
      expect(value(await world.stores.usage.readAll({ ...range, by: "model" }))).toEqual([]);
    });
  });

  describe("a database that delivers", () => {
    const world = givenWorld(backend);

    /** The same database as both ends: what is delivered arrives beside what it was made from. */
    const jobOf = (stores: Pick<Stores, "outbox" | "deliveries">) =>
      createDeliveryJob({
        database: "eu",
        outbox: stores.outbox,
        deliveries: stores.deliveries,
        now: () => start,
      });

    it("is done after one run, and delivers again what was not confirmed", async () => {
      await caller(world.stores);
      const { outbox, deliveries } = world.stores;
      const unconfirmed = {
        outbox: {
          ...outbox,
          end: async () => ({ ok: false, error: { reason: "internal" } }) as const,
        },
        deliveries,
      };
      expect(await jobOf(unconfirmed)()).toMatchObject({ ok: false });
      expect(value(await jobOf(world.stores)())).toBeGreaterThan(0);
      expect(value(await jobOf(world.stores)())).toBe(0);
    });

    it("that comes from a backup catches up with what `home` knows", async () => {
      await caller(world.stores);
      value(
        await world.stores.deliveries.enter(
          { database: "eu", now: start },
          delivery({ version: 90 }),
        ),
      );
      expect(value(await jobOf(world.stores)())).toBeGreaterThan(0);
      expect(value(await jobOf(world.stores)())).toBeGreaterThan(0);
      expect(value(await jobOf(world.stores)())).toBe(0);
      expect(value(await world.db.write([raw(sql`select version from deliveries`)]))[0]).toEqual([
        { version: 91 },
      ]);
    });
  });
};
