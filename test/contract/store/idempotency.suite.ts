/** Which request holds a replay key, until when, and what is kept for its repetitions. */
import { sealAll, retain } from "./sealing.ts";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/domain/audit/record.ts";
import type { IdempotentCall, Reservation } from "../../../src/domain/ports/ledger.ts";
import { keyOf, streamKeyPrefix } from "../../../src/domain/sampling/replay-key.ts";
import {
  anotherKey,
  caller,
  event,
  leaseMs,
  reservation,
  revokeKey,
  settlement,
  start,
  type Caller,
  type ReservationFields,
} from "./fixtures.ts";
import { givenLedger, second, told } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";

const dayMs = 86_400_000;
const sha256 = (text: string): string => text.repeat(64).slice(0, 64);
const its = { key: sha256("a"), expiresAt: start + dayMs };
const limits = { requestsPerMinute: 100 };

export const idempotencySuite = (backend: Backend): void => {
  describe("idempotency", () => {
    const given = givenLedger(backend);
    const { world, admit, running, settle, counted, record, rows, recordRows, twice } = given;

    const callOf = (who: Caller, fields: Partial<IdempotentCall> = {}): IdempotentCall => ({
      tenantId: who.tenantId,
      keyId: who.keyId,
      serverId: null,
      key: its.key,
      ...fields,
    });
    const keyed = (fields: ReservationFields = {}): ReservationFields => ({
      idempotency: its,
      contentSha256: sha256("c"),
      ...fields,
    });
    const find = async (who: Caller, now = start, fields: Partial<IdempotentCall> = {}) =>
      value(await world.stores.idempotency.find(callOf(who, fields), now));
    const ended = (
      reserved: Reservation,
      result: Settlement["result"],
      now = start,
    ): Promise<boolean> => settle(reserved, now, { result });
    const kept = (...parts: string[]) => ({ parts, expiresAt: start + dayMs });

    it("has a call known by a second key, which one repetition takes over", async () => {
      const who = await caller(world.stores, { tenantLimits: limits });
      const first = await running(who, start, keyed());
      const { idempotency } = world.stores;
      const returning = callOf(who, { key: "returning/one" });
      const own = (key: string) => idempotency.moveKey(returning, key, start);
      expect(value(await own("own/0"))).toBeNull();
      value(await idempotency.addKey(callOf(who), returning.key));
      // The batch may be sent twice.
      value(await idempotency.addKey(callOf(who), returning.key));
      const moved = (await Promise.all([own("own/1"), own("own/2")])).map(value);
      const known = { requestId: first.opening.id, contentSha256: sha256("c") };
      expect(moved.filter((each) => each !== null)).toEqual([known]);
      const keys = ["own/1", "own/2"];
      const found = await Promise.all(keys.map((key) => find(who, start, { key })));
      expect(found.filter((each) => each !== null)).toMatchObject([known]);
      expect(await find(who)).toMatchObject(known);
      // The end of the call answers all of its keys.
      await ended(first, kept("v1.sealed"));
      const answered = await Promise.all(keys.map((key) => find(who, start, { key })));
      expect(answered.filter((each) => each !== null)).toMatchObject([{ result: "v1.sealed" }]);
    });

    it("gives a key to the first call that is admitted; the next call learns which, and writes nothing", async () => {
      const who = await caller(world.stores, { tenantLimits: limits });
      const first = await running(who, start, keyed());
      for (const contentSha256 of [sha256("c"), sha256("d")])
        expect(await admit(who, start + second, keyed({ contentSha256 }))).toEqual({
          state: "repeated",
          first: { requestId: first.opening.id, contentSha256: sha256("c") },
        });
      expect(await recordRows(who.tenantId)).toHaveLength(1);
      expect(await counted(who.tenantId, "requests")).toBe(1);
      expect(await find(who)).toEqual({
        requestId: first.opening.id,
        contentSha256: sha256("c"),
        outcome: "admitted",
        leaseUntil: start + leaseMs,
        result: null,
      });
    });

    it("keeps one claim per API key, server and replay key", async () => {
      const who = await caller(world.stores);
      const sibling = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
      const fresh = { tenantVersion: 3 };
      const server = { id: "srv_1", limits: {} };
      for (const [asking, fields] of [
        [who, {}],
        [sibling, {}],
        [who, { server }],
        [who, { idempotency: { ...its, key: sha256("b") } }],
      ] as const) {
        expect(told(await admit(asking, start, keyed({ ...fresh, ...fields })))).toBe("admitted");
        expect(told(await admit(asking, start, keyed({ ...fresh, ...fields })))).toBe("repeated");
      }
      expect(await find(who, start, { serverId: "srv_2" })).toBeNull();
    });

    it("gives a key to one of 32 calls at once, from several connections", async () => {
      const who = await caller(world.stores, { tenantLimits: limits });
      const ledgers = [world.stores.ledger];
      while (ledgers.length < 4) ledgers.push(storesOn(await world.again()).ledger);
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, at) =>
          ledgers[at % ledgers.length]?.admit(reservation(who, start + at, keyed())),
        ),
      );
      const states = answers.map((answer) => (answer?.ok ? answer.value.state : "no answer"));
      expect(states.filter((state) => state === "admitted")).toHaveLength(1);
      expect(states.filter((state) => state === "repeated")).toHaveLength(31);
      expect(await counted(who.tenantId, "requests")).toBe(1);
    });

    it("gives no key to a refused call", async () => {
      const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
      await admit(who, start);
      expect(told(await admit(who, start, keyed()))).toBe("refused by key requests");
      expect(await find(who)).toBeNull();
      expect(told(await admit(who, start + 61 * second, keyed()))).toBe("admitted");
    });

    it("gives back the result, whole, however many parts it has", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      const parts = Array.from({ length: 12 }, (_, at) => `${at}:`.padEnd(1_000, "x"));
      expect(await ended(first, kept(...parts))).toBe(true);
      expect(await find(who)).toMatchObject({ outcome: "succeeded", result: parts.join("") });
      expect(told(await admit(who, start, keyed()))).toBe("repeated");
    });

    it("keeps results larger than a row of a Durable Object or a response of the libSQL server", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      const parts = [..."abcdefghijklm"].map((each) => each.repeat(1_000_000));
      expect(await ended(first, kept(...parts))).toBe(true);
      expect((await find(who))?.result === parts.join("")).toBe(true);
    });

    it("frees a key after an end that cost nothing, and never by another call's end", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      expect(await ended(await running(who, start), "free")).toBe(true);
      expect(await find(who)).not.toBeNull();
      expect(await ended(first, "free")).toBe(true);
      expect(await find(who)).toBeNull();
      const another = await running(who, start, keyed());
      // The first of the two calls is over, and can't free the key of the second.
      expect(await ended(first, "free")).toBe(false);
      expect(await find(who)).toMatchObject({ requestId: another.opening.id });
    });

    it("keeps the key of a lost call that is charged, and gives no result for the key", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      value(await world.stores.ledger.sweep(start + leaseMs));
      expect(await find(who, start + leaseMs)).toMatchObject({ outcome: "unknown", result: null });
      expect(await ended(first, kept("late"), start + leaseMs)).toBe(false);
      expect(await find(who)).toMatchObject({ outcome: "unknown", result: null });
      expect(told(await admit(who, start + leaseMs, keyed()))).toBe("repeated");
    });

    it("gives an expired key to the next call, without the first call's result", async () => {
      const who = await caller(world.stores);
      await ended(await running(who, start, keyed()), kept("first"));
      const last = start + dayMs - 1;
      expect(told(await admit(who, last, keyed()))).toBe("repeated");
      expect(await find(who, last)).toMatchObject({ result: "first" });
      const then = start + dayMs;
      expect(await find(who, then)).toBeNull();
      const later = { key: its.key, expiresAt: then + dayMs };
      const next = await running(who, then, keyed({ idempotency: later }));
      expect(await find(who, then)).toMatchObject({ requestId: next.opening.id, result: null });
      expect(told(await admit(who, then, keyed({ idempotency: later })))).toBe("repeated");
    });

    it("tells nothing to a revoked API key or on a stale choice, not even that a replay key is held", async () => {
      const who = await caller(world.stores);
      await ended(await running(who, start, keyed()), kept("secret"));
      await revokeKey(world.stores, who);
      expect(await admit(who, start, keyed())).toEqual({ state: "stale" });
      const other = await caller(world.stores);
      await ended(await running(other, start, keyed()), kept("secret"));
      value(
        await world.stores.tenants.update(other.tenantId, { name: "N" }, event(other.tenantId)),
      );
      expect(await admit(other, start, keyed())).toEqual({ state: "stale" });
    });

    it("gives nothing through a session that has ended", async () => {
      const who = await caller(world.stores);
      await ended(await running(who, start, keyed()), kept("secret"));
      expect(await admit(who, start, keyed({ sessionId: "ses_gone" }))).toEqual({ state: "stale" });
    });

    it("counts how often the result was given again", async () => {
      const who = await caller(world.stores);
      await ended(await running(who, start, keyed()), kept("r"));
      for (const _ of [1, 2, 3]) value(await world.stores.idempotency.countReplay(callOf(who)));
      const page = { cursor: null, limit: 1 };
      const { data } = value(await world.stores.requests.list(who.tenantId, {}, page));
      expect(data).toMatchObject([{ replays: 3 }]);
      expect(await record(who, data[0]?.id ?? "")).toMatchObject({ replays: 3 });
    });

    it("claims and answers a key once where batches are sent twice", async () => {
      const who = await caller(world.stores, { tenantLimits: limits });
      const { ledger } = twice();
      const first = reservation(who, start, keyed());
      expect(told(value(await ledger.admit(first)))).toBe("admitted");
      expect(await counted(who.tenantId, "requests")).toBe(1);
      const answered = settlement(first, start, { result: kept("one", "two") });
      expect(value(await ledger.settle(answered))).toBe(true);
      expect(await find(who)).toMatchObject({ requestId: first.opening.id, result: "onetwo" });
      const again = value(await ledger.admit(reservation(who, start, keyed())));
      expect(told(again)).toBe("repeated");
      expect(await recordRows(who.tenantId)).toHaveLength(1);
    });

    it("frees a key once where a batch is sent twice", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      const freed = settlement(first, start, { result: "free", outcome: "failed" });
      expect(value(await twice().ledger.settle(freed))).toBe(true);
      expect(await find(who)).toBeNull();
    });

    it("keeps a key for as long as the call's end says, and a lost call's until its lease ends", async () => {
      const who = await caller(world.stores);
      const short = (now: number) => keyed({ idempotency: { ...its, expiresAt: now + leaseMs } });
      await ended(await running(who, start, short(start)), { parts: ["r"], expiresAt: start + 9 });
      expect(await find(who, start + 8)).toMatchObject({ result: "r" });
      expect(await find(who, start + 9)).toBeNull();
      const next = start + 9;
      const lost = await running(who, next, short(next));
      value(await world.stores.ledger.sweep(next + leaseMs));
      expect(await find(who, next + leaseMs - 1)).toMatchObject({ outcome: "unknown" });
      const last = await running(who, next + leaseMs, short(next + leaseMs));
      // A late settlement changes nothing of the key's next holder.
      expect(await ended(lost, kept("late"), next + leaseMs)).toBe(false);
      expect(await ended(lost, "free", next + leaseMs)).toBe(false);
      expect(await find(who, next + leaseMs)).toMatchObject({ requestId: last.opening.id });
    });

    it("finds the key of a stream's request by its place, whatever its params", async () => {
      const who = await caller(world.stores);
      const { idempotency } = world.stores;
      const once = { kind: "stream", scope: "ses_1", messageId: '"é%_~"' } as const;
      const key = keyOf(once, sha256("f"));
      await running(who, start, keyed({ idempotency: { key, expiresAt: start + dayMs } }));
      const isTaken = async (change: object = {}, now = start) => {
        const keyPrefix = streamKeyPrefix(once.scope, once.messageId);
        const about = { ...callOf(who), keyPrefix, ...change };
        return value(await idempotency.isPrefixTaken(about, now));
      };
      expect(await isTaken()).toBe(true);
      expect(await isTaken({}, start + dayMs)).toBe(false);
      for (const [scope, messageId] of [
        ["ses_1", '"é%_"'],
        ["ses_1", "1"],
        ["ses_", '"1é%_~"'],
        ["ses_2", '"é%_~"'],
      ] as const)
        expect(await isTaken({ keyPrefix: streamKeyPrefix(scope, messageId) })).toBe(false);
      for (const change of [{ serverId: "srv_2" }, { keyId: "key_2" }, { tenantId: "ten_2" }])
        expect(await isTaken(change)).toBe(false);
    });

    it("says how a server took the answer, for its own request alone", async () => {
      const who = await caller(world.stores);
      const first = await running(who, start, keyed());
      await running(who, start, keyed({ idempotency: { ...its, key: sha256("b") } }));
      const { id: requestId } = first.opening;
      value(
        await world.stores.idempotency.recordDelivery({ tenantId: who.tenantId, requestId }, 202),
      );
      const query = sql`select request_id, delivered from idempotency order by delivered desc`;
      expect(await rows(query)).toMatchObject([
        { request_id: requestId, delivered: 202 },
        { delivered: null },
      ]);
    });

    it("prunes a key and its results when the key has expired, and not before", async () => {
      const who = await caller(world.stores);
      await ended(await running(who, start, keyed()), kept("one", "two"));
      const { idempotency } = world.stores;
      expect(value(await idempotency.prune(start + dayMs - 1))).toBe(0);
      expect(value(await idempotency.prune(start + dayMs))).toBe(3);
      expect(await rows(sql`select * from results`)).toEqual([]);
    });

    it("keeps a key whose record retention has deleted", async () => {
      const who = await caller(world.stores, { policy: { retentionDays: 0 } });
      await ended(await running(who, start, keyed()), kept("r"));
      await sealAll(world.stores, who.tenantId);
      expect(value(await retain(world.stores, start + 1))).toBe(1);
      expect(await find(who)).toMatchObject({ outcome: "unknown", result: "r" });
    });
  });
};
