/** How many sessions a key may begin, and have: from any number of connections. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import { maxParked } from "../../../src/domain/tenancy/parked.ts";
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

    describe("of parked calls", () => {
      const until = start + 2 * idleAfterMs;
      const park = async (given: Session, about: object = {}) => {
        const { sessions } = world.stores;
        value(await sessions.create(given));
        return sessions.park(given, { until, now: start, ...about });
      };
      const ofKey = (keyId: string) => session(who.tenantId, keyId);
      const full = (limit: string) => ({
        ok: false,
        error: { reason: "rate_limited", limit, retryAfterMs: 60_000 },
      });

      it("are a key's and a tenant's, until the call's session ends or its process is gone", async () => {
        const { sessions } = world.stores;
        const parked: Session[] = [];
        for (let key = 0; key < maxParked.perTenant / maxParked.perKey; key += 1) {
          const keyId = key === 0 ? who.keyId : await anotherKey(world.stores, who.tenantId);
          for (let count = 0; count < maxParked.perKey; count += 1) {
            const next = ofKey(keyId);
            expect(await park(next)).toMatchObject({ ok: true });
            parked.push(next);
          }
          expect(await park(ofKey(keyId))).toMatchObject(full("key.parkedCalls"));
        }
        const another = await anotherKey(world.stores, who.tenantId);
        expect(await park(ofKey(another))).toMatchObject(full("tenant.parkedCalls"));
        const [first, second] = parked as [Session, Session];
        const again = await sessions.park(first, { until, now: start });
        expect(again).toMatchObject({ ok: true });
        value(await sessions.end(who.tenantId, first.id, null));
        expect(await park(ofKey(another))).toMatchObject({ ok: true });
        expect(await park(ofKey(another))).toMatchObject(full("tenant.parkedCalls"));
        value(await sessions.stayParked(who.tenantId, [second.id], start));
        expect(await park(ofKey(another))).toMatchObject({ ok: true });
      });

      it("agree in two processes, and spare parked calls when sessions are evicted", async () => {
        const other = await world.again();
        const both = [world.stores.sessions, storesWith(1_000, 100, other)];
        const given = Array.from({ length: maxParked.perKey + 4 }, () => ofKey(who.keyId));
        for (const each of given) value(await world.stores.sessions.create(each));
        const parked = await Promise.all(
          given.map((each, at) => both[at % 2]?.park(each, { until, now: start })),
        );
        expect(parked.filter((each) => each?.ok)).toHaveLength(maxParked.perKey);
        const limited = storesWith(given.length, 1_000);
        for (let count = 0; count < 4; count += 1)
          value(await limited.begin(sessionAt(start + idleAfterMs)));
        expect(await limited.begin(sessionAt(start + idleAfterMs))).toMatchObject({ ok: false });
      });

      it("are not for a session that has ended", async () => {
        const gone = ofKey(who.keyId);
        const parked = await world.stores.sessions.park(gone, { until, now: start });
        expect(parked).toMatchObject({ ok: false, error: { reason: "session_not_found" } });
      });
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
