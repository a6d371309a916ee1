/** A row that can't be read is reported once, stepped over, and stops nothing else. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { UnreadableRecord } from "../../../src/domain/audit/record.ts";
import { raw } from "../../../src/store/db.ts";
import { sealOnce } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { caller, leaseMs, start, type Caller } from "./fixtures.ts";
import { givenLedger } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";
import { sealAll, sealingOn } from "./sealing.ts";

const page = { cursor: null, limit: 100 };
const dayMs = 86_400_000;
const changes = [
  {
    problem: "costMicroUsd isn't a readable integer",
    change: sql`cost_micro_usd = 9223372036854775807`,
  },
  { problem: "totalMs isn't a readable integer", change: sql`total_ms = -9007199254740993` },
  { problem: "createdAt isn't a readable integer", change: sql`created_at = 1e300` },
  { problem: "inputTokens isn't a readable integer", change: sql`input_tokens = 'many'` },
  { problem: "attempts isn't JSON", change: sql`attempts = '[{'` },
  { problem: "attempts isn't a list", change: sql`attempts = '5'` },
  { problem: "decision isn't JSON", change: sql`decision = '{"estimate'` },
  { problem: "outcome is none that is known", change: sql`outcome = 'exploded'` },
];

export const unreadableSuite = (backend: Backend): void => {
  describe("a row that can't be read", () => {
    const { world, running, settle, record } = givenLedger(backend);

    /** Five settled calls; the third is changed. */
    const given = async (change: ReturnType<typeof sql>, sealed: "sealed" | "waiting") => {
      const who = await caller(world.stores);
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const reserved = await running(who, start);
        await settle(reserved, start + count);
        ids.push(reserved.opening.id);
      }
      if (sealed === "sealed") await sealAll(world.stores, who.tenantId);
      const [bad = ""] = ids.splice(2, 1);
      value(
        await world.db.write([raw(sql`update sampling_requests set ${change} where id = ${bad}`)]),
      );
      const found: UnreadableRecord[] = [];
      const stores = storesOn(world.db, (unreadable) => found.push(unreadable));
      return { who, bad, good: ids, stores, found };
    };
    const eventsOf = async ({ tenantId }: Caller) =>
      value(await world.stores.events.list(tenantId, page)).data.filter(
        ({ action }) => action === "record.unreadable",
      );

    it.each(changes)("is left out of lists, and refused by itself: $problem", async (its) => {
      const { who, bad, good, stores, found } = await given(its.change, "waiting");
      const { tenantId } = who;
      for (let count = 0; count < 3; count += 1) {
        const listed = value(await stores.requests.list(tenantId, {}, page));
        expect(listed.data.map(({ id }) => id)).toEqual(good.toReversed());
        expect(await stores.requests.get(tenantId, bad)).toEqual({
          ok: false,
          error: { reason: "unreadable", what: `request ${bad}` },
        });
        const [first = ""] = good;
        expect(value(await stores.requests.get(tenantId, first))).toMatchObject({ id: first });
      }
      expect(found).toEqual([{ tenantId, id: bad, problem: its.problem }]);
      expect(await eventsOf(who)).toMatchObject([
        { actor: "router", target: bad, detail: { problem: its.problem } },
      ]);
    });

    it("is passed over by lists, page by page", async () => {
      const { who, good, stores } = await given(sql`attempts = '['`, "waiting");
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const next: { data: { id: string }[]; nextCursor: string | null } = value(
          await stores.requests.list(who.tenantId, {}, { cursor, limit: 1 }),
        );
        seen.push(...next.data.map(({ id }) => id));
        cursor = next.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(good.toReversed());
    });

    it.each(changes)(
      "is stepped over by the seals, and no run goes on about it: $problem",
      async (its) => {
        const { who, bad, good, stores, found } = await given(its.change, "waiting");
        const deps = await sealingOn(stores);
        const at = start + dayMs / 2;
        expect(value(await sealOnce(deps, who.tenantId, at))).toBe(4);
        for (let count = 0; count < 3; count += 1)
          expect(value(await sealOnce(deps, who.tenantId, at))).toBe(0);
        expect(found).toEqual([{ tenantId: who.tenantId, id: bad, problem: its.problem }]);
        expect(await eventsOf(who)).toHaveLength(1);
        expect(value(await stores.seals.countWaiting(who.tenantId))).toEqual({
          waiting: 0,
          unreadable: 1,
        });
        for (const id of good)
          expect(await record(who, id)).toMatchObject({ outcome: "succeeded" });
      },
    );

    it("stops no row behind it from being sealed, however many there are", async () => {
      const { who, stores, good } = await given(sql`attempts = '['`, "waiting");
      value(
        await world.db.write([
          raw(sql`update sampling_requests set attempts = '[' where id <> ${good.at(-1)}`),
        ]),
      );
      const seals = {
        ...stores.seals,
        waiting: (tenantId: string, before: number) => stores.seals.waiting(tenantId, before, 2),
      };
      const deps = { ...(await sealingOn(stores)), seals };
      const sealed: number[] = [];
      for (let count = 0; count < 4; count += 1)
        sealed.push(value(await sealOnce(deps, who.tenantId, start + 10)));
      expect(sealed).toEqual([0, 0, 1, 0]);
    });

    it("is sealed a day later, if somebody has mended it by then", async () => {
      const { who, bad, stores, found } = await given(sql`attempts = '['`, "waiting");
      const deps = await sealingOn(stores);
      value(await sealOnce(deps, who.tenantId, start + 10));
      value(
        await world.db.write([
          raw(sql`update sampling_requests set attempts = '[]' where id = ${bad}`),
        ]),
      );
      expect(value(await sealOnce(deps, who.tenantId, start + 10))).toBe(0);
      expect(value(await sealOnce(deps, who.tenantId, start + dayMs + 10))).toBe(1);
      expect(value(await stores.seals.countWaiting(who.tenantId))).toEqual({
        waiting: 0,
        unreadable: 0,
      });
      expect(found).toHaveLength(1);
    });

    it.each(changes)("keeps its place when a seal's records are read: $problem", async (its) => {
      const { who, bad, good, stores } = await given(its.change, "sealed");
      const read = value(await stores.seals.read(who.tenantId, { first: 1, last: 1 }));
      expect(read.records.map(({ position, record: { id } }) => [position, id])).toEqual(
        [0, 1, 3, 4].map((position, at) => [position, good[at]]),
      );
      expect(read.unreadable).toEqual([
        { seal: 1, position: 2, tenantId: who.tenantId, id: bad, problem: its.problem },
      ]);
    });

    it("of usage is left out of its sums", async () => {
      const { who, stores, found } = await given(sql`attempts = '['`, "waiting");
      value(
        await world.db.write([
          raw(sql`insert into usage select tenant_id, hour, key_id, 'srv_1', model, succeeded, failed,
            refused, cancelled, unknown, input_tokens, output_tokens, 9223372036854775807, 0 from usage
            where tenant_id = ${who.tenantId}`),
          raw(sql`insert into usage select tenant_id, hour, key_id, 'srv_2', model, succeeded, failed,
            refused, cancelled, unknown, input_tokens, 'many', 9223372036854775807, 0 from usage
            where tenant_id = ${who.tenantId} and server_id = ''`),
        ]),
      );
      const asked = {
        from: start,
        to: start + leaseMs,
        bucket: "day",
        by: "key",
        limit: 9,
      } as const;
      for (let count = 0; count < 2; count += 1)
        expect(value(await stores.usage.read(who.tenantId, asked))).toMatchObject([
          { succeeded: 5, costMicroUsd: 2_500 },
        ]);
      expect(found).toEqual([
        { tenantId: who.tenantId, id: "usage", problem: "a figure isn't a readable integer" },
      ]);
    });
  });
};
