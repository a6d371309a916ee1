/** How long calls took: the job counts each sealed call once, whatever is cut off, comes twice or runs at once. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { latencyOf } from "../../../src/domain/latencies.ts";
import type { LatencyBy } from "../../../src/domain/ports/latencies.ts";
import type { Settlement } from "../../../src/domain/audit/record.ts";
import { createLatencyJob } from "../../../src/pipeline/scheduled/latencies.ts";
import { raw } from "../../../src/store/db.ts";
import { caller, event, opening, reservation, settlement, start, type Caller } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstHour = Math.floor(start / hourMs) * hourMs;

export const latenciesSuite = (backend: Backend): void => {
  describe("how long calls took", () => {
    const world = givenWorld(backend);
    const call = async (who: Caller, fields: Partial<Settlement> = {}, at = start) => {
      const reserved = reservation(who, at);
      value(await world.stores.ledger.admit(reserved));
      value(await world.stores.ledger.settle(settlement(reserved, at, fields)));
      return reserved.opening.id;
    };
    const job = createLatencyJob({
      latencies: {
        pending: async (limit) => world.stores.latencies.pending(limit),
        callsAfter: async (cursor) => world.stores.latencies.callsAfter(cursor, 2),
        count: async (...given) => world.stores.latencies.count(...given),
        read: async (...given) => world.stores.latencies.read(...given),
        readAll: async (...given) => world.stores.latencies.readAll(...given),
      },
      now: () => start,
    });
    const countAll = async () => {
      let [all, passed] = [0, 0];
      do {
        passed = value(await job());
        all += passed;
      } while (passed > 0);
      return all;
    };
    const read = async (who: Caller, by: LatencyBy = "model", bucket: "hour" | "day" = "hour") =>
      value(
        await world.stores.latencies.read(who.tenantId, {
          from: start - 40 * dayMs,
          to: start + 40 * dayMs,
          bucket,
          by,
        }),
      ).map(({ at, group, histogram }) => ({ at, group, latency: latencyOf(histogram) }));

    it("is counted once a call is sealed, by hours and days, by model, key and server", async () => {
      const who = await caller(world.stores);
      for (const totalMs of [100, 200, 1_000])
        await call(who, { totalMs, overheadMs: 10, model: "a/b" });
      await call(who, { totalMs: 400, model: "a/b" }, start + hourMs);
      expect(await countAll()).toBe(0);
      await sealAll(world.stores, who.tenantId);
      expect(await countAll()).toBe(4);
      expect(await countAll()).toBe(0);
      const [first, second] = await read(who);
      expect(first).toMatchObject({ at: firstHour, group: "a/b" });
      expect(first?.latency).toMatchObject({
        calls: 3,
        total: { p50: 199, p99: 996 },
        provider: { p50: 190 },
        overhead: { p99: 10 },
      });
      expect(second).toMatchObject({ at: firstHour + hourMs, latency: { calls: 1 } });
      const days = await read(who, "key", "day");
      expect(days.map(({ group }) => group)).toEqual([who.keyId]);
      expect(days[0]?.latency?.calls).toBe(4);
      expect((await read(who, "server")).map(({ group }) => group)).toEqual(["", ""]);
    });

    it("counts what later seals hold beside what earlier ones held", async () => {
      const who = await caller(world.stores);
      for (const round of [1, 2, 3]) {
        await call(who, { totalMs: 100 });
        await sealAll(world.stores, who.tenantId);
        expect(await countAll()).toBe(1);
        expect((await read(who))[0]?.latency?.calls).toBe(round);
      }
    });

    it("leaves out what was refused or cancelled, and the time in which a person decided", async () => {
      const who = await caller(world.stores);
      value(await world.stores.ledger.refuse(opening(who), "rate_limited", null, null));
      await call(who, { outcome: "cancelled" });
      const timing = { auth: 0, choose: 0, approve: 60_000, admit: 0, provider: 90 };
      await call(who, { outcome: "failed", totalMs: 60_100, overheadMs: 60_010, timing });
      await sealAll(world.stores, who.tenantId);
      expect(await countAll()).toBe(3);
      expect((await read(who))[0]?.latency).toMatchObject({
        calls: 1,
        total: { p50: 101 },
        provider: { p50: 91 },
        overhead: { p50: 10 },
      });
    });

    it("counts a page once where two runs read it at the same time", async () => {
      const who = await caller(world.stores);
      await call(who);
      await sealAll(world.stores, who.tenantId);
      await Promise.all([job(), job(), job()]);
      expect((await read(who))[0]?.latency?.calls).toBe(1);
    });

    it("goes past rows that somebody broke", async () => {
      const who = await caller(world.stores);
      const broken = await call(who);
      await call(who, { totalMs: 100 });
      await sealAll(world.stores, who.tenantId);
      value(
        await world.db.write([
          raw(sql`update sampling_requests set timing = '{', total_ms = 9223372036854775807
            where id = ${broken}`),
        ]),
      );
      expect(await countAll()).toBe(2);
      expect((await read(who))[0]?.latency).toMatchObject({ calls: 2, total: { p50: 101 } });
      value(await world.db.write([raw(sql`update latencies set histogram = 'none'`)]));
      expect(await read(who)).toEqual([]);
    });

    it("does not count a call again that was corrected", async () => {
      const who = await caller(world.stores);
      const id = await call(who);
      await sealAll(world.stores, who.tenantId);
      await countAll();
      value(
        await world.db.write([
          raw(sql`update sampling_requests set seal_number = null, seal_position = null,
            correction = '{"at":1}' where id = ${id}`),
        ]),
      );
      await sealAll(world.stores, who.tenantId);
      expect(await countAll()).toBe(1);
      expect((await read(who))[0]?.latency?.calls).toBe(1);
    });

    it("is gone with its tenant", async () => {
      const who = await caller(world.stores);
      await call(who);
      await sealAll(world.stores, who.tenantId);
      await countAll();
      value(await world.stores.tenants.remove(who.tenantId, event(who.tenantId, "tenant.delete")));
      expect(await read(who)).toEqual([]);
    });
  });
};
