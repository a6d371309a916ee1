/** What a flood of refused requests leaves behind: a hundred records a minute of a key, and a count. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { hashing } from "../../../src/crypto/chain.ts";
import { minuteOf, recordedRefusals, thinnedIn } from "../../../src/domain/audit/thinning.ts";
import { createThinningJob } from "../../../src/pipeline/scheduled/thinning.ts";
import { anotherKey, caller, reservation, start, type Caller } from "./fixtures.ts";
import { givenLedger, told } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const minute = 60_000;
const later = start + 3 * minute;

export const thinningSuite = (backend: Backend): void => {
  describe("thinned records", () => {
    const { world, admit, rows, usageRows, recordRows } = givenLedger(backend);
    let who: Caller;

    beforeEach(async () => {
      who = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
      expect(told(await admit(who, start))).toBe("admitted");
    });

    /** As many refusals as one minute of a key records. */
    const refuseHundred = async (): Promise<void> => {
      const refuse = async () => told(await admit(who, start));
      const refusals = await Promise.all(Array.from({ length: recordedRefusals }, refuse));
      expect(new Set(refusals)).toEqual(new Set(["refused by key requests"]));
    };
    /** Leaves room for so many records in the minute, as the refusals of another process would. They have no rows here. */
    const leaveRoom = async (left: number): Promise<void> =>
      void (await rows(sql`insert into counters (tenant_id, subject, resource, bucket, amount) values
        (${who.tenantId}, ${who.keyId}, 'refusals', ${minuteOf(start)}, ${recordedRefusals - left})`));
    const job = (now = later) => createThinningJob({ ...world.stores, hashing, now: () => now })();
    const refusedRows = async () =>
      (await recordRows(who.tenantId)).filter(({ outcome }) => outcome === "refused");
    const refusedUsage = async () =>
      (await usageRows(who.tenantId)).reduce((sum, { refused }) => sum + refused, 0);
    const refusalsCounted = async () => {
      const [row] = await rows(sql`select sum(amount) as amount from counters
        where tenant_id = ${who.tenantId} and resource = 'refusals'`);
      return Number(row?.["amount"] ?? 0);
    };

    it("records the first hundred, and decides the further ones without a row", async () => {
      await refuseHundred();
      const state = await admit(who, start);
      expect(state).toMatchObject({
        state: "refused",
        check: { scope: "key", resource: "requests" },
        retryAfterMs: 61_000,
        limits: [{ name: "key.requestsPerMinute", remaining: 0 }],
      });
      for (let count = 0; count < 4; count += 1) await admit(who, start);
      expect(await refusedRows()).toHaveLength(recordedRefusals);
      expect(await refusedUsage()).toBe(recordedRefusals + 5);
    });

    it("records a hundred in the next minute again, and a hundred for another key at once", async () => {
      await leaveRoom(0);
      const sibling = {
        ...who,
        keyId: await anotherKey(world.stores, who.tenantId),
        keyLimits: { requestsPerMinute: 0 },
      };
      const fresh = { tenantVersion: 3 };
      expect(told(await admit(sibling, start, fresh))).toBe("refused by key requests");
      expect(told(await admit(who, start + 59_000, fresh))).toBe("refused by key requests");
      const limits = { ...who, keyLimits: { requestsPerMinute: 0 } };
      expect(told(await admit(limits, start + minute, fresh))).toBe("refused by key requests");
      expect(await refusedRows()).toHaveLength(2);
    });

    it("leaves nothing of a thinned refusal but its counts", async () => {
      await leaveRoom(0);
      const idempotency = { key: "k", expiresAt: start + minute };
      const before = await rows(sql`select count(*) as n from idempotency`);
      await admit(who, start, { idempotency });
      expect(await rows(sql`select count(*) as n from idempotency`)).toEqual(before);
      // A thinned refusal frees its replay key, so there is room again.
      const state = await admit(who, start + 2 * minute, { idempotency });
      expect(told(state)).toBe("admitted");
    });

    it("holds from any number of connections at once", async () => {
      await leaveRoom(10);
      const others = await Promise.all([world.again(), world.again()]);
      await Promise.all(
        Array.from({ length: 24 }, async (_, at) => {
          const db = others[at % 2] ?? world.db;
          return value(await storesOn(db).ledger.admit(reservation(who, start)));
        }),
      );
      expect(await refusedRows()).toHaveLength(10);
      expect(await refusedUsage()).toBe(24);
    });

    it("records every refusal by a budget", async () => {
      const poor = { ...who, keyLimits: { usdPerDay: 0 } };
      const refuse = async () => told(await admit(poor, start));
      const refusals = await Promise.all(Array.from({ length: recordedRefusals + 2 }, refuse));
      expect(new Set(refusals)).toEqual(new Set(["refused by key usd_day"]));
      expect(await refusedRows()).toHaveLength(recordedRefusals + 2);
    });

    it("gives the count of a minute one record, sealed like any other", async () => {
      await leaveRoom(0);
      for (let count = 0; count < 7; count += 1) await admit(who, start);
      // Too early: another isolate's clock may still be in that minute.
      expect(value(await job(start + minute + 1_000))).toBe(0);
      expect(value(await job())).toBe(1);
      const record = (await refusedRows()).find(({ reasonDetail }) =>
        reasonDetail?.startsWith("{"),
      );
      expect(record).toMatchObject({ keyId: who.keyId, reason: "rate_limited" });
      expect(record && thinnedIn(record)).toEqual({
        requests: 7,
        from: start,
        until: start + minute,
      });
      expect(await refusedUsage()).toBe(7);
      expect(await refusalsCounted()).toBe(0);
      await sealAll(world.stores, who.tenantId);
      expect((await refusedRows()).every(({ sealNumber }) => sealNumber !== null)).toBe(true);
    });

    it("writes that record once, however often and wherever it is cut off", async () => {
      await leaveRoom(0);
      for (let count = 0; count < 7; count += 1) await admit(who, start);
      const { thinning, ledger } = world.stores;
      const cut = createThinningJob({
        ledger,
        hashing,
        now: () => later,
        thinning: {
          ...thinning,
          recorded: async () => ({ ok: false, error: { reason: "unavailable", retryAfterMs: 1 } }),
        },
      });
      expect((await cut()).ok).toBe(false);
      expect((await cut()).ok).toBe(false);
      await Promise.all([job(), job()]);
      expect(value(await job())).toBe(0);
      expect(await refusedRows()).toHaveLength(1);
      expect(await refusedUsage()).toBe(7);
    });

    it("forgets the minutes that were not thinned", async () => {
      await admit(who, start);
      expect(await refusalsCounted()).toBe(1);
      value(await world.stores.ledger.prune(start + 2 * 86_400_000));
      expect(await refusalsCounted()).toBe(0);
    });
  });
};
