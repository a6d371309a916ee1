/** What an operator finds out about a lost call: its budgets, usage and events follow, once. */
import { describe, expect, it } from "vitest";
import type { Correction } from "../../../src/domain/audit/record.ts";
import type { AdminEvent } from "../../../src/domain/admin-event.ts";
import {
  caller,
  correction,
  event,
  leaseMs,
  reservation,
  settlement,
  start,
  type Caller,
} from "./fixtures.ts";
import { givenLedger, told } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";

const page = { cursor: null, limit: 100 };
const limits = { usdPerDay: 1, usdPerMonth: 1, tokensPerMinute: 1_000 };

export const correctionsSuite = (backend: Backend): void => {
  describe("corrections", () => {
    const given = givenLedger(backend);
    const { world, admit, running, settle, counted, record, usageRows, twice } = given;

    const lost = async (who: Caller, fields: Parameters<typeof running>[2] = {}) => {
      const reserved = await running(who, start, fields);
      value(await world.stores.ledger.sweep(start + leaseMs));
      return { tenantId: who.tenantId, id: reserved.opening.id };
    };
    const correct = async (
      its: { tenantId: string; id: string },
      fields: Partial<Correction> = {},
      logged: AdminEvent = event(its.tenantId, "request.correct"),
    ) =>
      value(await world.stores.ledger.correct({ ...its, correction: correction(fields) }, logged));
    const eventsOf = async (who: Caller) =>
      value(await world.stores.events.list(who.tenantId, page)).data.filter(
        ({ action }) => action === "request.correct",
      );
    const before = {
      outcome: "unknown",
      inputTokens: 20,
      outputTokens: 80,
      costMicroUsd: 1_000,
    };

    it("moves every budget to what it cost, and leaves the record's own figures", async () => {
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const server = { id: "srv_1", limits };
      const its = await lost(who, { server });
      expect(await correct(its, { costMicroUsd: 200 })).toBe(true);
      for (const subject of [who.tenantId, who.keyId, server.id])
        for (const resource of ["usd_day", "usd_month"] as const)
          expect(await counted(subject, resource)).toBe(200);
      // Tokens of a minute long gone.
      expect(await counted(who.keyId, "tokens")).toBe(100);
      expect(await record(who, its.id)).toMatchObject({
        outcome: "unknown",
        costMicroUsd: 1_000,
        usage: { inputTokens: 20, outputTokens: 80, estimated: true },
        correction: correction({ costMicroUsd: 200 }),
      });
      const [logged, more] = await eventsOf(who);
      expect(logged).toMatchObject({ target: "target", detail: { why: "test", before } });
      expect(more).toBeUndefined();
    });

    it("moves budgets and usage of a call whose usage was not believed", async () => {
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const reserved = await running(who, start);
      const usage = { inputTokens: 20, outputTokens: 80, estimated: true } as const;
      const charged = { chargedMicroUsd: 1_000, costMicroUsd: 1_000 };
      await settle(reserved, start, { ...charged, usage: { ...usage, implausible: true } });
      const its = { tenantId: who.tenantId, id: reserved.opening.id };
      expect(await correct(its, { costMicroUsd: 200 })).toBe(true);
      for (const subject of [who.tenantId, who.keyId])
        for (const resource of ["usd_day", "usd_month"] as const)
          expect(await counted(subject, resource)).toBe(200);
      expect(await record(who, its.id)).toMatchObject({
        outcome: "succeeded",
        costMicroUsd: 1_000,
        usage: { ...usage, implausible: true },
        correction: correction({ costMicroUsd: 200 }),
      });
      expect(await usageRows(who.tenantId)).toMatchObject([
        { succeeded: 1, unknown: 0, inputTokens: 10, outputTokens: 30, costMicroUsd: 200 },
      ]);
      // One that was believed is as the provider reported it.
      const sound = await running(who, start);
      await settle(sound, start, charged);
      expect(await correct({ tenantId: who.tenantId, id: sound.opening.id })).toBe(false);
    });

    it("frees or uses up room under the limits", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      const its = await lost(who);
      const asked = (microUsd: number) => admit(who, start + leaseMs, { microUsd });
      expect(told(await asked(1))).toContain("refused");
      await correct(its, { costMicroUsd: 700 });
      expect(told(await asked(301))).toContain("refused");
      await correct(its, { costMicroUsd: 990 });
      expect(told(await asked(11))).toContain("refused");
      expect(told(await asked(10))).toBe("admitted");
    });

    it("moves a lost call's usage from unknown to the corrected outcome", async () => {
      const who = await caller(world.stores);
      const its = await lost(who);
      await correct(its);
      const row = { unknown: 0, succeeded: 1, failed: 0, cancelled: 0, refused: 0 };
      const figures = { inputTokens: 10, outputTokens: 30, costMicroUsd: 200 };
      expect(await usageRows(who.tenantId)).toMatchObject([
        { ...row, ...figures, model: "openai/gpt" },
      ]);
    });

    it("counts a second correction from the first one", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const its = await lost(who);
      await correct(its, { costMicroUsd: 200 });
      const last = {
        outcome: "failed",
        inputTokens: 1,
        outputTokens: 0,
        costMicroUsd: 3_000,
      } as const;
      await correct(its, last);
      expect(await counted(who.keyId, "usd_day")).toBe(3_000);
      expect(await usageRows(who.tenantId)).toMatchObject([
        {
          unknown: 0,
          succeeded: 0,
          failed: 1,
          inputTokens: 1,
          outputTokens: 0,
          costMicroUsd: 3_000,
        },
      ]);
      expect(await record(who, its.id)).toMatchObject({ correction: last });
      const details = (await eventsOf(who)).map(({ detail }) => detail["before"]);
      expect(details).toEqual([
        { outcome: "succeeded", inputTokens: 10, outputTokens: 30, costMicroUsd: 200 },
        before,
      ]);
    });

    it("changes once, with one event, when its batch is sent twice", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const its = await lost(who);
      const logged = event(who.tenantId, "request.correct");
      const { ledger } = twice();
      expect(value(await ledger.correct({ ...its, correction: correction() }, logged))).toBe(true);
      expect(await counted(who.keyId, "usd_day")).toBe(200);
      expect(await usageRows(who.tenantId)).toMatchObject([{ succeeded: 1, costMicroUsd: 200 }]);
      expect(await eventsOf(who)).toMatchObject([{ detail: { before } }]);
    });

    it("adds up when two operators correct at once", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const its = await lost(who);
      const ledgers = [world.stores.ledger, storesOn(await world.again()).ledger];
      await Promise.all(
        ledgers.map(async (ledger, at) =>
          value(
            await ledger.correct(
              { ...its, correction: correction({ costMicroUsd: 100 + at }) },
              event(who.tenantId, "request.correct"),
            ),
          ),
        ),
      );
      const stands = (await record(who, its.id))?.correction?.costMicroUsd ?? 0;
      expect(await counted(who.keyId, "usd_day")).toBe(stands);
      expect(await usageRows(who.tenantId)).toMatchObject([{ succeeded: 1, costMicroUsd: stands }]);
    });

    it("gives a price to a call that had none", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const its = await lost(who, { microUsd: 0, reservedMicroUsd: null });
      expect(await usageRows(who.tenantId)).toMatchObject([{ unknown: 1, costMicroUsd: 0 }]);
      await correct(its, { costMicroUsd: 42 });
      expect(await counted(who.keyId, "usd_day")).toBe(42);
      expect(await usageRows(who.tenantId)).toMatchObject([{ unknown: 0, costMicroUsd: 42 }]);
      expect(await eventsOf(who)).toMatchObject([{ detail: { before: { costMicroUsd: null } } }]);
    });

    it("changes lost calls and no others", async () => {
      const who = await caller(world.stores, { tenantLimits: { ...limits, requestsPerMinute: 3 } });
      const open = await running(who, start);
      const settled = await running(who, start);
      await settle(settled, start);
      const done = await running(who, start);
      value(await world.stores.ledger.settle(settlement(done, start, { outcome: "failed" })));
      const refused = reservation(who, start);
      expect(told(value(await world.stores.ledger.admit(refused)))).toContain("refused");
      const state = async () => [
        await usageRows(who.tenantId),
        await counted(who.tenantId, "usd_day"),
        await eventsOf(who),
        value(await world.stores.requests.list(who.tenantId, {}, page)),
      ];
      const as = await state();
      for (const { opening } of [open, settled, done, refused])
        expect(await correct({ tenantId: who.tenantId, id: opening.id })).toBe(false);
      expect(await correct({ tenantId: who.tenantId, id: "req_none" })).toBe(false);
      expect(await state()).toEqual(as);
    });
  });
};
