/** Budgets in money, and every limit in the scope of a server. */
import { describe, expect, it } from "vitest";
import type { Limits } from "../../../src/domain/choice/policy.ts";
import {
  anotherKey,
  caller,
  event,
  leaseMs,
  reservation,
  settlement,
  start,
  type ReservationFields,
} from "./fixtures.ts";
import { givenLedger, limitsOf, second, told, waitOf } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";

const dayMs = 86_400_000;
/** `start` is 2027-01-15T08:00:00Z. */
const midnight = Date.UTC(2_027, 0, 16);
const nextMonth = Date.UTC(2_027, 1, 1);
const fresh = { tenantVersion: 3 };

export const budgetsSuite = (backend: Backend): void => {
  describe("budgets", () => {
    const { world, admit, running, settle, counted, record, twice } = givenLedger(backend);

    const windows = [
      { limits: { usdPerDay: 0.003 }, by: "usd_day", end: midnight },
      { limits: { usdPerMonth: 0.003 }, by: "usd_month", end: nextMonth },
    ] as const;
    it.each(windows)(
      "admit exactly up to $limits in each scope, and until the window's end nothing more",
      async ({ limits, by, end }) => {
        for (const scope of ["tenant", "key", "server"] as const) {
          const who = await caller(world.stores, { [`${scope}Limits`]: limits });
          const server = { id: "srv_1", limits: scope === "server" ? limits : {} };
          for (const at of [start, start + 40_000, end - 1])
            expect(told(await admit(who, at, { server }))).toBe("admitted");
          for (const at of [end - 7_000, end - 1]) {
            const refused = await admit(who, at, { server, microUsd: 1 });
            expect(told(refused)).toBe(`refused by ${scope} ${by}`);
            expect(waitOf(refused)).toBe(end - at);
          }
          expect(told(await admit(who, end, { server }))).toBe("admitted");
        }
      },
    );

    it("begin with what was spent in their day and month, where they are set later", async () => {
      const who = await caller(world.stores);
      const serverId = `srv_${who.keyId}`;
      const other = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
      const spends = { ...fresh, microUsd: 700, server: { id: serverId, limits: {} } };
      for (const at of [start - dayMs, start, start]) {
        const reserved = await running(who, at, spends);
        await settle(reserved, at, { costMicroUsd: 600, chargedMicroUsd: 600 });
      }
      // Of the same tenant, but of another key and no server.
      await settle(await running(other, start, fresh), start, {
        costMicroUsd: 90,
        chargedMicroUsd: 90,
      });
      const { stores } = world;
      const budgets = async () =>
        Object.fromEntries(
          await Promise.all(
            Object.entries({ tenant: who.tenantId, key: who.keyId, server: serverId }).map(
              async ([scope, subject]) =>
                [
                  scope,
                  [await counted(subject, "usd_day"), await counted(subject, "usd_month")],
                ] as const,
            ),
          ),
        );
      expect(await budgets()).toEqual({ tenant: [0, 0], key: [0, 0], server: [0, 0] });
      const key = value(await stores.keys.get(who.tenantId, who.keyId));
      if (key === null) throw new Error("The key is gone.");
      const set = async (version: number) => {
        const named = { name: "Named" };
        value(await stores.tenants.update(who.tenantId, named, event(who.tenantId)));
        value(await stores.keys.update(key, event(who.tenantId), version + 1));
        const about = { event: event(who.tenantId), now: start, tokens: "keep" } as const;
        value(await stores.servers.update(who.tenantId, serverId, {}, about));
      };
      await set(3);
      const spent = { tenant: [1_290, 1_890], key: [1_200, 1_800], server: [1_200, 1_800] };
      expect(await budgets()).toEqual(spent);
      // Nothing counts twice, and what a running call has reserved stays.
      const keyLimits = { usdPerDay: 1 };
      await running({ ...who, keyLimits }, start, { microUsd: 50, tenantVersion: 6 });
      await set(6);
      expect(await budgets()).toEqual({ ...spent, key: [1_250, 1_800] });
    });

    it("hold by the micro-dollar", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.003 } });
      expect(told(await admit(who, start, { microUsd: 2_999 }))).toBe("admitted");
      expect(told(await admit(who, start, { microUsd: 2 }))).toBe("refused by key usd_day");
      expect(told(await admit(who, start, { microUsd: 1 }))).toBe("admitted");
    });

    it("take the lesser claim where the first has no room, refuse only where neither has", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { usdPerDay: 0.003, tokensPerMinute: 1_000 },
      });
      const claiming = (large: number, little: number): ReservationFields => {
        const { limitChecks, decision } = reservation(who, start, {
          tokens: little,
          microUsd: little,
        });
        const chosen = { ...decision, model: "little" };
        const claim = {
          limitChecks,
          reservedTokens: little,
          reservedMicroUsd: little,
          decision: chosen,
        };
        return { tokens: large, microUsd: large, fallbacks: [claim] };
      };
      const first = await running(who, start, claiming(700, 100));
      expect(await counted(who.tenantId, "tokens")).toBe(700);
      expect(await admit(who, start, claiming(700, 700))).toMatchObject({ state: "refused" });
      const another = reservation(who, start, claiming(700, 100));
      const admission = value(await twice().ledger.admit(another));
      expect(admission).toMatchObject({ state: "admitted", rung: 1 });
      expect(await counted(who.tenantId, "tokens")).toBe(800);
      expect(await counted(who.tenantId, "usd_day")).toBe(800);
      const kept = await record(who, another.opening.id);
      expect(kept).toMatchObject({ reservedTokens: 100, decision: { model: "little" } });
      // A caller that never learned which claim it got gives back what the row holds.
      await settle(another, start, { chargedTokens: 0, chargedMicroUsd: 0 });
      expect(await counted(who.tenantId, "tokens")).toBe(700);
      await settle(first, start, { chargedTokens: 30, chargedMicroUsd: 40 });
      expect(await counted(who.tenantId, "tokens")).toBe(30);
      expect(await counted(who.tenantId, "usd_day")).toBe(40);
    });

    it("name the first limit without room, in the order tenant, key, server, and raise none", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { usdPerDay: 0.003, usdPerMonth: 0.01 },
        keyLimits: { usdPerDay: 0.002 },
      });
      const server = { id: "srv_1", limits: { usdPerMonth: 0.001 } };
      const sibling = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
      const states: string[] = [];
      for (const [its, fields] of [
        [who, { ...fresh, server }],
        [who, { ...fresh, server }],
        [who, fresh],
        [who, fresh],
        [sibling, fresh],
        [sibling, { ...fresh, server }],
      ] as const)
        states.push(told(await admit(its, start, fields)));
      expect(states).toEqual([
        "admitted",
        "refused by server usd_month",
        "admitted",
        "refused by key usd_day",
        "admitted",
        "refused by tenant usd_day",
      ]);
      expect(await counted(who.tenantId, "usd_day")).toBe(3_000);
      expect(await counted(who.tenantId, "usd_month")).toBe(3_000);
      expect(await counted(who.keyId, "usd_day")).toBe(2_000);
      expect(await counted("srv_1", "usd_month")).toBe(1_000);
    });

    it("refuse what no window could hold without naming a time, empty or not", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay: 0.001 } });
      expect(waitOf(await admit(who, start, { microUsd: 1_001 }))).toBeNull();
      await settle(await running(who, start, { microUsd: 1 }), start, { chargedMicroUsd: 1 });
      expect(waitOf(await admit(who, start, { microUsd: 1_001 }))).toBeNull();
      expect(waitOf(await admit(who, start, { microUsd: 1_000 }))).toBe(midnight - start);
    });

    it("stand in the record and in the limits' states", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      await admit(who, start, { microUsd: 1_500 });
      const reserved = await running(who, start + second, { microUsd: 500 });
      const refused = await admit(who, start + second, { microUsd: 1 });
      expect(limitsOf(refused)).toEqual([
        {
          name: "key.usdPerDay",
          limit: 2_000,
          used: 2_000,
          remaining: 0,
          resetSeconds: (midnight - start) / second - 1,
          windowSeconds: 86_400,
        },
      ]);
      const page = { cursor: null, limit: 1 };
      const [row] = value(await world.stores.requests.list(who.tenantId, {}, page)).data;
      expect(row).toMatchObject({ reason: "budget_exceeded", reasonDetail: "key.usdPerDay" });
      expect((await record(who, reserved.opening.id))?.outcome).toBe("admitted");
    });

    it("get back the unused reservation, once, in each window from which it was taken", async () => {
      const limits = { usdPerDay: 0.001, usdPerMonth: 0.001 };
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const reserved = await running(who, midnight - second, {});
      expect(told(await admit(who, midnight - second, { microUsd: 1 }))).toContain("refused");
      // It ends on the next day; what it used stays where it was reserved.
      expect(await settle(reserved, midnight + second, { chargedMicroUsd: 400 })).toBe(true);
      expect(await settle(reserved, midnight + second, { chargedMicroUsd: 1 })).toBe(false);
      expect(waitOf(await admit(who, midnight - 1, { microUsd: 601 }))).toBe(1);
      const last = await running(who, midnight - 1, { microUsd: 600 });
      await settle(last, midnight - 1, { chargedMicroUsd: 600 });
      // The month is spent, the new day's budget is whole.
      const refused = await admit(who, midnight, { microUsd: 1 });
      expect(told(refused)).toBe("refused by tenant usd_month");
      expect(waitOf(refused)).toBe(nextMonth - midnight);
      expect(await counted(who.keyId, "usd_day")).toBe(1_000);
    });

    it("are charged for more than was reserved, flagged, and block the next", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      const reserved = await running(who, start);
      await settle(reserved, start, { chargedMicroUsd: 5_000, costMicroUsd: 5_000 });
      expect(await record(who, reserved.opening.id)).toMatchObject({
        overshoot: true,
        costMicroUsd: 5_000,
      });
      expect(await counted(who.keyId, "usd_day")).toBe(5_000);
      const refused = await admit(who, start, { microUsd: 1 });
      expect(told(refused)).toBe("refused by key usd_day");
      expect(limitsOf(refused)[0]?.remaining).toBe(0);
    });

    it("see no overshoot where no price was known", async () => {
      const who = await caller(world.stores);
      const reserved = await running(who, start, { reservedMicroUsd: null });
      await settle(reserved, start, { chargedMicroUsd: 5, costMicroUsd: 5 });
      expect(await record(who, reserved.opening.id)).toMatchObject({ overshoot: false });
    });

    it("keep what a lost call reserved", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      await running(who, start);
      expect(value(await world.stores.ledger.sweep(start + leaseMs))).toBe(1);
      expect(told(await admit(who, start + leaseMs, { microUsd: 1 }))).toContain("refused");
    });

    it("are settled once by a batch that is sent twice", async () => {
      const who = await caller(world.stores, { tenantLimits: { usdPerDay: 1, usdPerMonth: 1 } });
      const reserved = await running(who, start);
      const { ledger } = twice();
      expect(value(await ledger.settle(settlement(reserved, start)))).toBe(true);
      expect(await counted(who.tenantId, "usd_day")).toBe(500);
      expect(await counted(who.tenantId, "usd_month")).toBe(500);
    });

    describe("of a server", () => {
      const cases: { limits: Limits; by: string }[] = [
        { limits: { requestsPerMinute: 2 }, by: "requests" },
        { limits: { tokensPerMinute: 250 }, by: "tokens" },
        { limits: { concurrent: 2 }, by: "concurrent" },
        { limits: { usdPerDay: 0.002 }, by: "usd_day" },
        { limits: { usdPerMonth: 0.002 }, by: "usd_month" },
      ];
      it.each(cases)(
        "count all keys together, and no other server: $limits",
        async ({ limits, by }) => {
          const who = await caller(world.stores);
          const sibling = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
          const fields: ReservationFields = { ...fresh, server: { id: "srv_1", limits } };
          expect(told(await admit(who, start, fields))).toBe("admitted");
          expect(told(await admit(sibling, start, fields))).toBe("admitted");
          for (const its of [who, sibling])
            expect(told(await admit(its, start, fields))).toBe(`refused by server ${by}`);
          const other = { ...fresh, server: { id: "srv_2", limits } };
          expect(told(await admit(who, start, other))).toBe("admitted");
          expect(told(await admit(who, start, fresh))).toBe("admitted");
        },
      );

      it("free a place when a call of that server ends", async () => {
        const who = await caller(world.stores);
        const server = { id: "srv_1", limits: { concurrent: 1 } };
        const reserved = await running(who, start, { server });
        expect(told(await admit(who, start, { server }))).toBe("refused by server concurrent");
        await settle(reserved, start);
        expect(told(await admit(who, start, { server }))).toBe("admitted");
      });
    });

    it("are pruned with their windows, each resource at its own age, a batch at a time", async () => {
      const limits = { requestsPerMinute: 9, tokensPerMinute: 900, usdPerDay: 9, usdPerMonth: 9 };
      const who = await caller(world.stores, { keyLimits: limits });
      await admit(who, start);
      const left = async () => {
        const amounts: Record<string, number> = {};
        for (const resource of ["requests", "tokens", "usd_day", "usd_month"] as const)
          amounts[resource] = await counted(who.keyId, resource);
        return amounts;
      };
      const prune = async (after: number) => value(await world.stores.ledger.prune(start + after));
      expect(await prune(120 * second)).toBe(0);
      expect(await prune(121 * second)).toBe(2);
      expect(await left()).toEqual({ requests: 0, tokens: 0, usd_day: 1_000, usd_month: 1_000 });
      // Corrections reach back further than the windows do.
      expect(await prune(39 * dayMs)).toBe(0);
      expect(await prune(41 * dayMs)).toBe(1);
      expect(await left()).toMatchObject({ usd_day: 0, usd_month: 1_000 });
      expect(await prune(55 * dayMs)).toBe(0);
      expect(await prune(71 * dayMs)).toBe(1);
    });
  });
};
