/** How many sessions a key may begin, and have: from any number of connections. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import { idleAfterMs } from "../../../src/domain/tenancy/session-limits.ts";
import { raw } from "../../../src/store/db.ts";
import { createStores } from "../../../src/store/stores.ts";
import { anotherKey, caller, session, start, type Caller } from "./fixtures.ts";
import { mac, givenWorld, value, type Backend } from "./open.ts";

export const sessionLimitsSuite = (backend: Backend): void => {
  describe("limits of sessions", () => {
    const world = givenWorld(backend);
    let who: Caller;
    beforeEach(async () => {
      who = await caller(world.stores);
    });

    const storesWith = (perKey: number, initializePerMinute: number, db = world.db) =>
      createStores(db, {
        nonce: () => crypto.randomUUID(),
        mac,
        rowMac: mac,
        sessionLimits: { perKey, initializePerMinute },
      }).sessions;
    const sessionAt = (now: number, fields: Partial<Session> = {}) =>
      session(who.tenantId, who.keyId, { createdAt: now, lastUsedAt: now, ...fields });
    const held = async (): Promise<string[]> => {
      const rows = value(
        await world.db.write([
          raw(sql`select id from sessions where tenant_id = ${who.tenantId} order by id`),
        ]),
      );
      return (rows[0] ?? []).map((row) => String(row["id"]));
    };
    const refused = (limit: string, retryAfterMs: number) => ({
      ok: false,
      error: { reason: "rate_limited", limit: `key.${limit}`, retryAfterMs },
    });

    it("let a key begin so many in any minute, keep no others, and say when there is room", async () => {
      const sessions = storesWith(100, 3);
      value(await sessions.begin(sessionAt(start)));
      value(await sessions.begin(sessionAt(start + 10_000)));
      value(await sessions.begin(sessionAt(start + 10_500)));
      const tooMany = await sessions.begin(sessionAt(start + 20_000));
      expect(tooMany).toEqual(refused("initializePerMinute", 41_000));
      expect(await held()).toHaveLength(3);
      // A refused request does not count, so the next one may come when the refusal said.
      expect(await sessions.begin(sessionAt(start + 60_999))).toMatchObject({ ok: false });
      value(await sessions.begin(sessionAt(start + 61_000)));
    });

    it("counts those that were ended, and those for which a server is asked", async () => {
      const sessions = storesWith(100, 2);
      const first = sessionAt(start);
      value(await sessions.begin(first));
      value(await sessions.end(who.tenantId, first.id, null));
      value(await sessions.admit(who, start));
      expect(await sessions.admit(who, start)).toEqual(refused("initializePerMinute", 61_000));
      expect(await sessions.begin(sessionAt(start))).toMatchObject({ ok: false });
      // The server answered, so the admitted session is kept.
      value(await sessions.create(sessionAt(start)));
      expect(await held()).toHaveLength(1);
    });

    it("counts each key by itself", async () => {
      const sessions = storesWith(1, 1);
      const keyId = await anotherKey(world.stores, who.tenantId);
      value(await sessions.begin(sessionAt(start)));
      value(await sessions.begin(sessionAt(start, { keyId })));
      expect(await held()).toHaveLength(2);
    });

    it("let a key have so many, however they are begun, while all are in use", async () => {
      const sessions = storesWith(2, 100);
      value(await sessions.begin(sessionAt(start)));
      value(await sessions.create(sessionAt(start)));
      const full = refused("sessions", 60_000);
      expect(await sessions.begin(sessionAt(start + 1_000))).toEqual(full);
      expect(await sessions.create(sessionAt(start + 1_000))).toEqual(full);
      expect(await sessions.admit(who, start + 1_000)).toEqual(full);
      expect(await held()).toHaveLength(2);
    });

    it("end the least lately used session for a new one if it is idle, and none with an open stream", async () => {
      const sessions = storesWith(3, 100);
      const [old, streaming, recent] = [
        sessionAt(start + 1),
        sessionAt(start, { clientStreamUntil: start + 2 * idleAfterMs }),
        sessionAt(start + idleAfterMs),
      ] as const;
      for (const each of [old, streaming, recent]) value(await sessions.create(each));
      const next = sessionAt(start + idleAfterMs + 1);
      value(await sessions.begin(next));
      expect(await held()).toEqual([streaming.id, recent.id, next.id].toSorted());
      const other = sessionAt(start + idleAfterMs + 2);
      expect(await sessions.begin(other)).toMatchObject(refused("sessions", 60_000));
    });

    it("make room for many at once, so that the search is rare", async () => {
      const sessions = storesWith(32, 1_000);
      for (let count = 0; count < 32; count += 1) value(await sessions.create(sessionAt(start)));
      value(await sessions.begin(sessionAt(start + idleAfterMs)));
      expect(await held()).toHaveLength(31);
    });

    it("hold for many at once, over several connections", async () => {
      const others = await Promise.all([world.again(), world.again()]);
      const begunUnder = async (perKey: number, perMinute: number, keyId: string) => {
        const stores = [world.db, ...others].map((db) => storesWith(perKey, perMinute, db));
        const answers = await Promise.all(
          Array.from({ length: 24 }, (_, at) => stores[at % 3]?.begin(sessionAt(start, { keyId }))),
        );
        return answers.filter((answer) => answer?.ok).length;
      };
      expect(await begunUnder(9, 100, who.keyId)).toBe(9);
      expect(await begunUnder(100, 12, await anotherKey(world.stores, who.tenantId))).toBe(12);
      expect(await held()).toHaveLength(21);
    });
  });
};
