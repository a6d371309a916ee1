/** No number reaches the database that a driver can't give back. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { anotherKey, caller, leaseMs, opening, start, tenant } from "./fixtures.ts";
import { givenLedger, second, told } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";
import { retain } from "./sealing.ts";

const page = { cursor: null, limit: 100 };
const hourMs = 3_600_000;
const absurd = [2 ** 53, 1e16, 2 ** 63, 1e300, Number.POSITIVE_INFINITY, -(2 ** 63), Number.NaN];

export const numbersSuite = (backend: Backend): void => {
  describe("numbers", () => {
    const { world, admit, running, settle, counted } = givenLedger(backend);
    const list = async (tenantId: string) =>
      value(await world.stores.requests.list(tenantId, {}, page)).data;
    const usage = async (tenantId: string) =>
      value(
        await world.stores.usage.read(tenantId, {
          from: start,
          to: start + hourMs,
          bucket: "hour",
          by: "model",
          limit: 10,
        }),
      );

    it.each(absurd)("leave a record, usage and counters that can be read: %s", async (many) => {
      const limits = { tokensPerMinute: 1_000, usdPerDay: 1 };
      const who = await caller(world.stores, { tenantLimits: limits });
      for (let count = 0; count < 2; count += 1) {
        const reserved = await running(who, start, { limitChecks: [] });
        await settle(reserved, start + second, {
          chargedTokens: many,
          chargedMicroUsd: many,
          costMicroUsd: many,
          usage: { inputTokens: many, outputTokens: many, estimated: false },
          totalMs: many,
          overheadMs: many,
        });
      }
      expect(await list(who.tenantId)).toHaveLength(2);
      expect(await usage(who.tenantId)).toHaveLength(1);
      expect(told(await admit(who, start + second))).toBeTypeOf("string");
    });

    it("add up to sums that can be read: counters, windows and usage", async () => {
      const limits = { tokensPerMinute: 1_000_000_000, usdPerDay: 900_000_000 };
      const who = await caller(world.stores, { tenantLimits: limits });
      const max = Number.MAX_SAFE_INTEGER - 1;
      const reserved = [await running(who, start), await running(who, start + second)];
      for (const each of reserved)
        await settle(each, start + second, {
          chargedTokens: max,
          chargedMicroUsd: max,
          costMicroUsd: max,
          usage: { inputTokens: max, outputTokens: max, estimated: false },
        });
      expect(await counted(who.tenantId, "usd_day")).toBe(Number.MAX_SAFE_INTEGER);
      expect(told(await admit(who, start + 2 * second))).toBe("refused by tenant tokens");
      const [row] = await usage(who.tenantId);
      expect(row?.costMicroUsd).toBe(Number.MAX_SAFE_INTEGER);
    });

    it("of one changed row stop no sweep and no retention", async () => {
      const who = await caller(world.stores);
      const lost = [
        await running(who, start),
        await running(who, start),
        await running(who, start),
      ];
      const [first, other, sound] = lost.map(({ opening: { id } }) => id);
      const keyId = await anotherKey(world.stores, who.tenantId);
      const broken = tenant();
      value(await world.stores.tenants.create(broken, { ...eventOf(broken.id) }));
      value(
        await world.db.write([
          raw(sql`update sampling_requests set decision = '{"estimate' where id = ${first}`),
          raw(sql`update sampling_requests set reserved_micro_usd = 9223372036854775807
            where id in (${first}, ${other})`),
          raw(sql`update tenants set policy = '{broken' where id = ${broken.id}`),
        ]),
      );
      expect(value(await world.stores.ledger.sweep(start + leaseMs))).toBe(3);
      const rows = value(
        await world.db.write([raw(sql`select outcome from sampling_requests where id = ${sound}`)]),
      );
      expect(rows[0]).toMatchObject([{ outcome: "unknown" }]);
      const its = opening({ tenantId: broken.id, keyId });
      value(await world.stores.ledger.refuse(its, "internal", null, null));
      expect(value(await retain(world.stores, start + 1))).toBe(0);
    });
  });
};

const eventOf = (tenantId: string) => ({
  id: `evt_${tenantId}`,
  at: start,
  actor: "operator",
  action: "tenant.create",
  tenantId,
  target: tenantId,
  detail: {},
});
