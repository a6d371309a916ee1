import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hashing } from "../../../src/crypto/chain.ts";
import { createSigner, verifySignature } from "../../../src/crypto/signatures.ts";
import { canonicalJson } from "../../../src/domain/canonical.ts";
import {
  maxPerSeal,
  noPrevious,
  sealedRecord,
  signedText,
  statementOf,
  type Seal,
} from "../../../src/domain/audit/seals.ts";
import {
  createSealJob,
  sealAfterMs,
  sealOnce,
} from "../../../src/pipeline/scheduled/audit/seal.ts";
import { raw } from "../../../src/store/db.ts";
import { caller, opening, reservation, settlement, start, type Caller } from "./fixtures.ts";
import { givenWorld, storesOn, value, type Backend } from "./open.ts";
import { sealAll, sealingOn, retain } from "./sealing.ts";

const all = { cursor: null, limit: 200 };
const never = Number.MAX_SAFE_INTEGER;

export const sealsSuite = (backend: Backend): void => {
  describe("seals", () => {
    const world = givenWorld(backend);
    const refused = async (who: Caller, at = start): Promise<string> => {
      const its = opening(who, at);
      value(await world.stores.ledger.refuse(its, "forbidden", null, null));
      return its.id;
    };
    const sealsOf = async ({ tenantId }: Caller) =>
      value(await world.stores.seals.list(tenantId, all)).data;
    const readAll = async ({ tenantId }: Caller) =>
      value(await world.stores.seals.read(tenantId, { first: 1, last: 99 }));

    it("makes a chain that names its records, its predecessor and its key", async () => {
      const who = await caller(world.stores);
      const running = reservation(who, start);
      value(await world.stores.ledger.admit(running));
      const ids = [await refused(who, start), await refused(who, start + 1)];
      await sealAll(world.stores, who.tenantId);
      value(await world.stores.ledger.settle(settlement(running, start + 9)));
      await sealAll(world.stores, who.tenantId);

      const [second, first] = await sealsOf(who);
      if (first === undefined || second === undefined) throw new Error("no chain");
      expect(first).toMatchObject({
        tenantId: who.tenantId,
        number: 1,
        previous: noPrevious,
        count: 2,
        firstCreatedAt: start,
        lastCreatedAt: start + 1,
      });
      expect(second).toMatchObject({
        number: 2,
        count: 1,
        previous: await hashing.of(canonicalJson(statementOf(first))),
      });
      const keys = value(await world.stores.seals.keys());
      const { seals, records } = await readAll(who);
      for (const seal of seals) {
        const { signature, keyId } = seal;
        const key = keys.find(({ id }) => id === keyId);
        if (key === undefined) throw new Error("its key is not kept");
        const text = signedText("seal", statementOf(seal));
        expect(await verifySignature(key, { text, signature })).toBe(true);
        const its = records.filter((record) => record.seal === seal.number);
        const leaves = await Promise.all(
          its.map(({ record }) => hashing.leafOf(canonicalJson(sealedRecord(record)))),
        );
        expect(hashing.unpack(seal.leaves)).toEqual(leaves);
        expect(await hashing.rootOf(leaves)).toBe(seal.checked?.tree);
        expect(await hashing.leafOf(canonicalJson(seal.checked))).toBe(seal.root);
      }
      expect(records.map(({ record, seal, position }) => [record.id, seal, position])).toEqual([
        [ids[0], 1, 0],
        [ids[1], 1, 1],
        [running.opening.id, 2, 0],
      ]);
    });

    it("take a call that ended late into a later seal, whatever its time says", async () => {
      const who = await caller(world.stores);
      await refused(who, start + 1_000);
      await sealAll(world.stores, who.tenantId);
      const late = await refused(who, start - 60_000);
      await sealAll(world.stores, who.tenantId);
      const { records } = await readAll(who);
      expect(records.map(({ record, seal }) => [record.id === late, seal])).toEqual([
        [false, 1],
        [true, 2],
      ]);
    });

    it("leave calls that ended a moment ago, and calls that still run", async () => {
      const who = await caller(world.stores);
      value(await world.stores.ledger.admit(reservation(who, start)));
      await refused(who, start);
      const deps = await sealingOn(world.stores);
      const job = createSealJob({ ...deps, now: () => start + sealAfterMs - 1 });
      expect(value(await job())).toBe(0);
      const later = createSealJob({ ...deps, now: () => start + sealAfterMs });
      expect(value(await later())).toBe(1);
      expect(value(await later())).toBe(0);
      expect(value(await world.stores.seals.countWaiting(who.tenantId))).toEqual({
        waiting: 0,
        unreadable: 0,
      });
    });

    it("are made for every tenant, and several for a long queue", async () => {
      const many = await caller(world.stores);
      const few = await caller(world.stores);
      const openings = Array.from({ length: maxPerSeal + 3 }, () => opening(many, start));
      const { ledger } = world.stores;
      for (let from = 0; from < openings.length; from += 100)
        await Promise.all(
          openings
            .slice(from, from + 100)
            .map(async (its) => value(await ledger.refuse(its, "forbidden", null, null))),
        );
      await refused(few);
      const deps = await sealingOn(world.stores);
      const job = createSealJob({ ...deps, now: () => start + sealAfterMs });
      expect(value(await job())).toBe(maxPerSeal + 4);
      expect((await sealsOf(many)).map(({ count }) => count)).toEqual([3, maxPerSeal]);
      expect((await sealsOf(few)).map(({ count }) => count)).toEqual([1]);
      expect(value(await world.stores.seals.waitingTenants("", 9))).toEqual([]);
    });

    it("goes on with the tenants after its cursor, then from the beginning", async () => {
      const who = [await caller(world.stores), await caller(world.stores)];
      for (const each of who) await refused(each);
      const ids = who.map(({ tenantId }) => tenantId).toSorted();
      const { seals } = world.stores;
      expect(value(await seals.waitingTenants("", 1))).toEqual([ids[0]]);
      expect(value(await seals.waitingTenants(ids[0] ?? "", 9))).toEqual([ids[1]]);
      value(await seals.claim(start, start));
      value(await seals.release(ids[1] ?? ""));
      const deps = await sealingOn(world.stores);
      expect(value(await createSealJob({ ...deps, now: () => start + sealAfterMs })())).toBe(2);
    });

    it("are made by one run at a time, whose turn ends by itself", async () => {
      const { seals } = world.stores;
      expect(value(await seals.claim(start, start + 10))).toEqual({ cursor: "" });
      expect(value(await seals.claim(start + 9, start + 20))).toBeNull();
      expect(value(await seals.claim(start + 10, start + 20))).toEqual({ cursor: "" });
      // The clock is set back by an hour, and the run that had the turn is gone.
      const back = start - 3_600_000;
      expect(value(await seals.claim(back, back + 10))).toEqual({ cursor: "" });
      expect(value(await seals.claim(back + 9, back + 20))).toBeNull();
      value(await seals.release("ten_1"));
      expect(value(await seals.claim(start + 11, start + 20))).toEqual({ cursor: "ten_1" });
    });

    it("seals each record once, however many seal at once", async () => {
      const who = await caller(world.stores);
      for (let count = 0; count < 20; count += 1) await refused(who);
      const sealers = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const db = await world.again();
          return sealingOn(storesOn(db));
        }),
      );
      await Promise.all(sealers.map((deps) => sealOnce(deps, who.tenantId, never)));
      await sealAll(world.stores, who.tenantId);
      const { seals, records } = await readAll(who);
      expect(seals.reduce((sum, { count }) => sum + count, 0)).toBe(20);
      expect(new Set(records.map(({ record }) => record.id)).size).toBe(20);
    });

    it("are not made when a record is no longer as it was read", async () => {
      const who = await caller(world.stores);
      const id = await refused(who);
      const deps = await sealingOn(world.stores);
      const { seals } = world.stores;
      const meddled = {
        ...seals,
        append: async (...args: Parameters<typeof seals.append>) => {
          const change = sql`update sampling_requests set cost_micro_usd = 5 where id = ${id}
            and cost_micro_usd is null`;
          value(await world.db.write([raw(change)]));
          return seals.append(...args);
        },
      };
      const { head, records } = value(await seals.waiting(who.tenantId, never, 9));
      expect([head, records.length]).toEqual([null, 1]);
      // The first try fails because of the change, and the second reads the change.
      expect(value(await sealOnce({ ...deps, seals: meddled }, who.tenantId, never))).toBe(1);
      const read = await readAll(who);
      expect(read.records[0]?.record.costMicroUsd).toBe(5);
      const [record] = read.records;
      expect(hashing.unpack(read.seals[0]?.leaves ?? "")).toEqual([
        await hashing.leafOf(canonicalJson(record && sealedRecord(record.record))),
      ]);
    });

    it("stays whole when its records are deleted", async () => {
      const who = await caller(world.stores, { policy: { retentionDays: 1 } });
      for (let count = 0; count < 3; count += 1) await refused(who);
      await sealAll(world.stores, who.tenantId);
      const before = await readAll(who);
      expect(value(await retain(world.stores, start + 2 * 86_400_000))).toBe(3);
      const after = await readAll(who);
      const seals = before.seals.map((each) => ({ ...each, deletions: expect.any(Array) }));
      expect(after).toEqual({ seals, records: [], unreadable: [] });
    });

    it("hold a record anew that lost its place, and keep its old leaf", async () => {
      const who = await caller(world.stores);
      const id = await refused(who);
      await sealAll(world.stores, who.tenantId);
      // What a correction does to the row.
      const corrected = sql`update sampling_requests
        set cost_micro_usd = 7, seal_number = null, seal_position = null where id = ${id}`;
      value(await world.db.write([raw(corrected)]));
      await sealAll(world.stores, who.tenantId);
      const { seals, records } = await readAll(who);
      expect(seals.map(({ count }) => count)).toEqual([1, 1]);
      expect(records.map(({ seal, record }) => [seal, record.id])).toEqual([[2, id]]);
    });

    it("lists page by page, and knows how far a time reaches", async () => {
      const who = await caller(world.stores);
      for (let count = 0; count < 5; count += 1) {
        await refused(who, start + count * 100);
        await sealAll(world.stores, who.tenantId);
      }
      const { seals } = world.stores;
      const numbers = (found: Seal[]) => found.map(({ number }) => number);
      const first = value(await seals.list(who.tenantId, { cursor: null, limit: 2 }));
      expect([numbers(first.data), first.nextCursor]).toEqual([[5, 4], "4"]);
      const last = value(await seals.list(who.tenantId, { cursor: "4", limit: 3 }));
      expect([numbers(last.data), last.nextCursor]).toEqual([[3, 2, 1], null]);
      expect(value(await seals.head(who.tenantId))?.number).toBe(5);
      const reach = async (after: number, from?: number, to?: number) =>
        value(await seals.sealRange(who.tenantId, { after, from, to }));
      expect(await reach(0)).toEqual({ first: 1, last: 5 });
      expect(await reach(2)).toEqual({ first: 3, last: 5 });
      expect(await reach(0, start + 100, start + 300)).toEqual({ first: 2, last: 3 });
      expect(await reach(5)).toBeNull();
      const spans = await seals.spans(who.tenantId, { first: 2, last: 5 }, 2);
      expect(value(spans)).toEqual([
        { number: 2, count: 1 },
        { number: 3, count: 1 },
      ]);
    });

    it("keep the public keys from before", async () => {
      const { seals } = world.stores;
      const [one, two] = await Promise.all(
        [1, 2].map((byte) =>
          createSigner({ master: new Uint8Array(32).fill(byte), previous: null }),
        ),
      );
      if (one === undefined || two === undefined) throw new Error("no keys");
      const [first, second] = [one, two].map(({ key }) => ({ ...key, code: "c1.test" }));
      if (first === undefined || second === undefined) throw new Error("no keys");
      value(await seals.keepKeys([first], start));
      value(await seals.keepKeys([second, first], start + 1));
      expect(value(await seals.keys())).toEqual([first, second]);
    });
  });
};
