/**
 * An insider who can write to the database and has no MASTER_KEY: what is changed, made, taken away or put
 * back before it is sealed, or after, is named in the log of events and in the next seal, which goes on.
 */
import { sql, type SQL } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { createSealJob, sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { raw } from "../../../src/store/db.ts";
import {
  caller,
  correction,
  event,
  leaseMs,
  opening,
  reservation,
  settlement,
  start,
  type Caller,
} from "./fixtures.ts";
import { givenWorld, macOf, storesOn, value, type Backend } from "./open.ts";
import { sealAll, sealingOn, sealingParts, retain } from "./sealing.ts";

const never = Number.MAX_SAFE_INTEGER;
const dayMs = 86_400_000;
const page = { cursor: null, limit: 50 };

export const insiderSuite = (backend: Backend): void => {
  describe("an insider with the database", () => {
    const world = givenWorld(backend);
    let who: Caller;
    beforeEach(async () => {
      who = await caller(world.stores);
    });

    const change = async (...statements: SQL[]) =>
      value(await world.db.write(statements.map((statement) => raw(statement))));
    const seal = () => sealAll(world.stores, who.tenantId);
    const refused = async (): Promise<string> => {
      const its = opening(who, start);
      value(await world.stores.ledger.refuse(its, "forbidden", null, null));
      return its.id;
    };
    const running = async (fields: Parameters<typeof reservation>[2] = {}) => {
      const its = reservation(who, start, fields);
      const admitted = value(await world.stores.ledger.admit(its));
      if (admitted.state !== "admitted") throw new Error(admitted.state);
      return { its, id: its.opening.id, receipt: admitted.receipt };
    };
    const settled = async (): Promise<string> => {
      const { its, id, receipt } = await running();
      value(await world.stores.ledger.settle(settlement(its, start, { receipt })));
      return id;
    };
    const swept = async (): Promise<string> => {
      const { id } = await running();
      value(await world.stores.ledger.sweep(start + leaseMs));
      return id;
    };
    /** What the log of events says was found, oldest first. */
    const logged = async () =>
      value(await world.stores.events.list(who.tenantId, page))
        .data.filter(({ action }) => action === "audit.tampered")
        .toReversed()
        .flatMap(({ detail }) => detail["tampered"]);
    const sealsNow = async () => value(await world.stores.seals.list(who.tenantId, page)).data;
    const held = async () =>
      value(await world.stores.seals.read(who.tenantId, { first: 1, last: 99 })).records;
    const unseal = (id: string): SQL =>
      sql`update sampling_requests set seal_number = null, seal_position = null where id = ${id}`;

    it("is not named where nobody changed anything", async () => {
      await refused();
      const swept1 = await swept();
      await settled();
      const limited = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
      for (const now of [start, start + 1])
        value(await world.stores.ledger.admit(reservation(limited, now)));
      await running();
      await seal();
      await sealAll(world.stores, limited.tenantId);
      const [its] = value(await world.stores.seals.list(limited.tenantId, page)).data;
      expect(its).toMatchObject({ count: 1, checked: { open: [[1, 1]], tampered: [] } });
      const late = settlement((await running()).its, start + 9);
      value(await world.stores.ledger.sweep(start + 2 * leaseMs));
      await seal();
      value(await world.stores.ledger.settleSwept(late, event(who.tenantId)));
      value(
        await world.stores.ledger.correct(
          { tenantId: who.tenantId, id: swept1, correction: correction() },
          event(who.tenantId),
        ),
      );
      await seal();
      expect(await logged()).toEqual([]);
      const [newest] = await sealsNow();
      expect(newest?.checked).toMatchObject({ tampered: [], open: [] });
      expect(newest?.checked?.replaced).toEqual([[0, 1]]);
    });

    it("is not named for texts of strangers that hold NUL or half a surrogate pair", async () => {
      const texts = { tool: "a\0b", clientName: "\0", clientVersion: "c\ud800\0", revision: "d\0" };
      const kept = { tool: "a\ufffdb", clientName: "\ufffd", clientVersion: "c\ufffd\ufffd" };
      const isKept = { who: { ...kept, revision: "d\ufffd" } };
      const strange = opening(who, start);
      const asked = { ...strange, who: { ...strange.who, ...texts } };
      value(await world.stores.ledger.refuse(asked, "forbidden", "why\0not", null));
      const { decision } = reservation(who, start);
      const plain = { decision: { ...decision, model: "m\0n" } };
      const calls = Array.from({ length: 2 }, () => {
        const its = reservation(who, start, plain);
        return { ...its, opening: { ...its.opening, who: { ...its.opening.who, ...texts } } };
      });
      const admitted = await Promise.all(calls.map((its) => world.stores.ledger.admit(its)));
      const [first, swept1] = calls;
      const [answer] = admitted.map(value);
      if (first === undefined || swept1 === undefined || answer?.state !== "admitted")
        throw new Error("not admitted");
      const { receipt } = answer;
      value(await world.stores.ledger.settle(settlement(first, start, { receipt, model: "m\0n" })));
      value(await world.stores.ledger.sweep(start + leaseMs));
      await seal();
      expect(await logged()).toEqual([]);
      const { data } = value(await world.stores.requests.list(who.tenantId, {}, page));
      const records = new Map(data.map((record) => [record.id, record]));
      expect(records.get(asked.id)).toMatchObject({ ...isKept, reasonDetail: "why\ufffdnot" });
      expect(records.get(first.opening.id)).toMatchObject({ ...isKept, model: "m\ufffdn" });
      expect(records.get(swept1.opening.id)).toMatchObject({ ...isKept, outcome: "unknown" });
      expect(data.map(({ model }) => model?.includes("\0"))).not.toContain(true);
    });

    it("is named for a record that was changed after its place was taken away", async () => {
      const id = await settled();
      await seal();
      await change(
        sql`update sampling_requests set cost_micro_usd = 1 where id = ${id}`,
        unseal(id),
      );
      await refused();
      await seal();
      expect(await logged()).toEqual([{ what: "code", code: "ending", id, position: 0 }]);
      expect((await sealsNow()).map(({ count }) => count)).toEqual([2, 1]);
    });

    it("is named for a change of any column before it is sealed", async () => {
      const changes: Record<string, [SQL, string]> = {
        who: [sql`key_id = 'key_x'`, "opening"],
        asked: [sql`asked = replace(asked, '100', '7')`, "opening"],
        decision: [sql`decision = replace(decision, 'gpt', 'x')`, "opening"],
        reserved: [sql`reserved_tokens = 7`, "opening"],
        createdAt: [sql`created_at = created_at + 1`, "opening"],
        code: [sql`opening_code = ''`, "opening"],
        outcome: [sql`outcome = 'failed'`, "ending"],
        tokens: [sql`output_tokens = 7`, "ending"],
        overshoot: [sql`overshoot = 1`, "ending"],
        model: [sql`model = 'x/y'`, "ending"],
        timing: [sql`timing = null`, "ending"],
        number: [sql`record_number = record_number + 100`, "ending"],
        corrected: [
          sql`correction = ${JSON.stringify(correction())}, correction_code = 'c1.x'`,
          "correction",
        ],
      };
      for (const [name, [set, code]] of Object.entries(changes)) {
        who = await caller(world.stores);
        const id = await settled();
        await change(sql`update sampling_requests set ${set} where id = ${id}`);
        await seal();
        expect((await logged())[0], name).toEqual({ what: "code", code, id, position: 0 });
      }
    });

    it("can end a record only as the sweep would, at its reservation", async () => {
      const { id } = await running();
      const ends: SQL[] = [
        sql`outcome = 'refused', reason = 'rate_limited', reason_detail = 'key.requestsPerMinute', settled_at = ${start}`,
        sql`outcome = 'succeeded', cost_micro_usd = 0, settled_at = ${start}`,
        sql`outcome = 'unknown', cost_micro_usd = 1, usage_estimated = 1, input_tokens = 20, output_tokens = 80, settled_at = ${start + leaseMs}`,
        sql`outcome = 'unknown', cost_micro_usd = 1000, usage_estimated = 1, input_tokens = 20, output_tokens = 80, settled_at = ${start}`,
      ];
      const made = [id, ...(await Promise.all([1, 2, 3].map(async () => (await running()).id)))];
      for (const [at, end] of ends.entries())
        await change(sql`update sampling_requests set ${end} where id = ${made[at]}`);
      await seal();
      expect(
        (await logged()).map((each) => (each as { code: string; id: string }).id).toSorted(),
      ).toEqual(made.toSorted());
    });

    it("is named for a made-up record, and for a copied one", async () => {
      const id = await settled();
      const columns = sql`tenant_id, key_id, created_at, content_sha256, outcome, overshoot, settled_at, attempts, limit_checks`;
      const codes = sql`record_number, opening_code, ending_code`;
      await change(
        sql`insert into sampling_requests (id, ${columns}, ${codes})
          select 'req_made', ${columns}, 2, '', '' from sampling_requests where id = ${id}`,
        sql`insert into sampling_requests (id, ${columns}, ${codes}) select 'req_copied', ${columns}, ${codes} from sampling_requests where id = ${id}`,
      );
      await seal();
      expect(await logged()).toEqual([
        { what: "code", code: "opening", id: "req_copied", position: 1 },
        { what: "code", code: "opening", id: "req_made", position: 2 },
      ]);
    });

    it("is named for records that are gone before they were sealed, once, by their numbers", async () => {
      const ids = [await settled(), await refused(), (await running()).id, await settled()];
      await change(sql`delete from sampling_requests where id in (${ids[1]}, ${ids[2]})`);
      await seal();
      await seal();
      await settled();
      await seal();
      expect(await logged()).toEqual([{ what: "missing", first: 2, last: 3, count: 2 }]);
    });

    it("is found by the seal run also where nothing is left to seal", async () => {
      const id = await settled();
      await change(sql`delete from sampling_requests where id = ${id}`);
      const job = createSealJob({ ...(await sealingOn(world.stores)), now: () => start + dayMs });
      expect(value(await job())).toBe(0);
      expect(await logged()).toEqual([{ what: "missing", first: 1, last: 1, count: 1 }]);
      expect(await sealsNow()).toMatchObject([{ number: 1, count: 0 }]);
    });

    it("is not suspected where retention deletes sealed records", async () => {
      await change(
        sql`update tenants set policy = ${JSON.stringify({ retentionDays: 1 })} where id = ${who.tenantId}`,
      );
      await settled();
      await seal();
      value(await retain(world.stores, start + 2 * dayMs));
      await settled();
      await seal();
      expect(await logged()).toEqual([]);
    });

    it("is named for a record's earlier state in the place of the sealed state", async () => {
      const { its, id, receipt } = await running();
      value(await world.stores.ledger.settle(settlement(its, start, { receipt })));
      await seal();
      await change(
        sql`update sampling_requests set outcome = 'unknown', ending_code = null, cost_micro_usd = 1000,
          usage_estimated = 1, input_tokens = 20, output_tokens = 80, timing = null, total_ms = null,
          overhead_ms = null, settled_at = ${start + leaseMs} where id = ${id}`,
        unseal(id),
      );
      await seal();
      expect(await logged()).toEqual([{ what: "second", id, position: 0 }]);
    });

    it("is named for seals that were cut off; their records are sealed again", async () => {
      for (let count = 0; count < 3; count += 1) {
        await settled();
        await seal();
      }
      await change(sql`delete from seals where number > 1`);
      await seal();
      expect(new Set((await logged()).map((each) => JSON.stringify(each)))).toEqual(
        new Set([JSON.stringify({ what: "seals", first: 2, last: 3 })]),
      );
      expect((await held()).map(({ seal: number }) => number)).toEqual([1, 2, 2]);
      expect((await sealsNow())[0]?.checked?.tampered).toEqual([
        { what: "seals", first: 2, last: 3 },
      ]);
    });

    it("is named for a change of the newest seal", async () => {
      await settled();
      await seal();
      await change(sql`update seals set checked = json_set(checked, '$.through', 1000000)`);
      await settled();
      await seal();
      expect(await logged()).toEqual([{ what: "head", number: 1 }]);
    });

    it("is named for a counter that was set back, which is set right", async () => {
      await settled();
      await settled();
      await seal();
      await change(sql`update record_numbers set last = 0 where tenant_id = ${who.tenantId}`);
      const id = await settled();
      await seal();
      expect(await logged()).toEqual([
        { what: "counter", last: 1 },
        { what: "second", id, position: 0 },
      ]);
      expect((await running()).receipt.number).toBe(3);
    });

    it("can't use codes of MASTER_KEY_PREVIOUS once nothing of that time waits", async () => {
      const older = storesOn(world.db, undefined, await macOf(7));
      const its = reservation(who, start);
      value(await older.ledger.admit(its));
      // After a rotation: 8 is the key, and 7 is the one before.
      const both = await macOf(8, undefined, 7);
      const newer = storesOn(world.db, undefined, both);
      const parts = await sealingParts({ mac: both });
      const sealAt = async (now: number) =>
        value(
          await sealOnce({ ...parts, seals: newer.seals, now: () => now }, who.tenantId, never),
        );
      value(await newer.ledger.refuse(opening(who, start), "forbidden", null, null));
      await sealAt(start);
      // A call that was admitted before the rotation ends after it.
      value(await newer.ledger.settle(settlement(its, start)));
      await sealAt(start + dayMs);
      expect(await logged()).toEqual([]);
      const forged = opening(who, start);
      value(await older.ledger.refuse(forged, "forbidden", null, null));
      await sealAt(start + dayMs);
      expect(await logged()).toEqual([
        { what: "code", code: "opening", id: forged.id, position: 0 },
      ]);
    });
  });
};
