/** A settlement that comes after the sweep replaces `unknown` and its charge, once. */
import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/domain/audit/record.ts";
import type { Reservation } from "../../../src/domain/ports/ledger.ts";
import {
  caller,
  correction,
  event,
  leaseMs,
  reservation,
  settlement,
  start,
  type Caller,
  type ReservationFields,
} from "./fixtures.ts";
import { givenLedger, second, told } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const page = { cursor: null, limit: 100 };
const limits = { usdPerDay: 1, usdPerMonth: 1, tokensPerMinute: 1_000 };
const late = start + leaseMs + 5 * second;
/** What the call cost in truth: less than the 100 tokens and 1,000 micro-USD that were reserved. */
const used = {
  usage: { inputTokens: 10, outputTokens: 30, estimated: false },
  chargedTokens: 40,
  chargedMicroUsd: 200,
  costMicroUsd: 200,
} as const;
/** An admission whose answer was lost: no provider was called. */
const released: Partial<Settlement> = {
  outcome: "failed",
  reason: "unavailable",
  usage: null,
  chargedTokens: 0,
  chargedMicroUsd: 0,
  costMicroUsd: 0,
  model: null,
};

export const lateSettlementSuite = (backend: Backend): void => {
  describe("late settlement", () => {
    const given = givenLedger(backend);
    const { world, admit, running, settle, counted, record, usageRows, twice } = given;

    const swept = async (who: Caller, fields: ReservationFields = {}) => {
      const reserved = await running(who, start, fields);
      value(await world.stores.ledger.sweep(start + leaseMs));
      expect(await record(who, reserved.opening.id)).toMatchObject({ outcome: "unknown" });
      return reserved;
    };
    const settleLate = async (
      reserved: Reservation,
      fields: Partial<Settlement> = used,
      { ledger } = world.stores,
    ) =>
      value(
        await ledger.settleSwept(
          settlement(reserved, late, fields),
          event(reserved.opening.who.tenantId, "request.settled_late"),
        ),
      );
    const eventsOf = async (who: Caller) =>
      value(await world.stores.events.list(who.tenantId, page)).data.filter(
        ({ action }) => action === "request.settled_late",
      );
    const waiting = async ({ tenantId }: Caller) =>
      value(await world.stores.seals.countWaiting(tenantId)).waiting;
    const moneyOf = async (subject: string) => [
      await counted(subject, "usd_day"),
      await counted(subject, "usd_month"),
    ];

    it("puts the end, its charge and its usage in the place of the sweep's", async () => {
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const reserved = await swept(who);
      for (const subject of [who.tenantId, who.keyId])
        expect(await moneyOf(subject)).toEqual([1_000, 1_000]);
      expect(await settleLate(reserved)).toBe(true);
      for (const subject of [who.tenantId, who.keyId]) {
        expect(await moneyOf(subject)).toEqual([200, 200]);
        expect(await counted(subject, "tokens")).toBe(40);
      }
      expect(await record(who, reserved.opening.id)).toMatchObject({
        outcome: "succeeded",
        usage: used.usage,
        costMicroUsd: 200,
        correction: null,
        settledAt: late,
        timing: { auth: 1, choose: 1, approve: 0, admit: 2, provider: 100 },
      });
      expect(await usageRows(who.tenantId)).toMatchObject([
        { unknown: 0, succeeded: 1, inputTokens: 10, outputTokens: 30, costMicroUsd: 200 },
      ]);
      expect(await eventsOf(who)).toMatchObject([
        {
          target: "target",
          detail: {
            why: "test",
            before: { outcome: "unknown", inputTokens: 20, outputTokens: 80, costMicroUsd: 1_000 },
          },
        },
      ]);
    });

    it("charges nothing for a call that reached no provider", async () => {
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const reserved = await swept(who);
      expect(await settleLate(reserved, released)).toBe(true);
      for (const subject of [who.tenantId, who.keyId]) {
        expect(await moneyOf(subject)).toEqual([0, 0]);
        expect(await counted(subject, "tokens")).toBe(0);
      }
      expect(await record(who, reserved.opening.id)).toMatchObject({
        outcome: "failed",
        reason: "unavailable",
        usage: null,
        costMicroUsd: 0,
      });
      expect(await usageRows(who.tenantId)).toMatchObject([
        { unknown: 0, failed: 1, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
      ]);
    });

    it("has the record sealed again where it was sealed after the sweep", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      await sealAll(world.stores, who.tenantId);
      expect(await waiting(who)).toBe(0);
      expect(await settleLate(reserved)).toBe(true);
      expect(await waiting(who)).toBe(1);
      await sealAll(world.stores, who.tenantId);
      const chain = value(await world.stores.seals.read(who.tenantId, { first: 1, last: 2 }));
      expect(chain.seals).toHaveLength(2);
      expect(chain.records).toMatchObject([
        { seal: 2, record: { id: reserved.opening.id, outcome: "succeeded", costMicroUsd: 200 } },
      ]);
      expect(await moneyOf(who.keyId)).toEqual([200, 200]);
    });

    it.each([false, true])("happens once, also when sent twice; sealed: %s", async (sealed) => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      if (sealed) await sealAll(world.stores, who.tenantId);
      expect(await settleLate(reserved, { ...used, captured: "v1.sealed" }, twice())).toBe(true);
      // Another try with other figures, which knows nothing of the first.
      expect(await settleLate(reserved)).toBe(false);
      expect(await settleLate(reserved, released)).toBe(false);
      expect(await settle(reserved, late, released)).toBe(false);
      expect(await moneyOf(who.keyId)).toEqual([200, 200]);
      expect(await counted(who.keyId, "tokens")).toBe(40);
      expect(await usageRows(who.tenantId)).toMatchObject([
        { unknown: 0, succeeded: 1, failed: 0, inputTokens: 10, costMicroUsd: 200 },
      ]);
      expect(await record(who, reserved.opening.id)).toMatchObject({
        outcome: "succeeded",
        content: "v1.sealed",
      });
      expect(await eventsOf(who)).toHaveLength(1);
    });

    it("books what failover spent under the models that it was spent on", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      const attempt = {
        provider: "anthropic",
        model: "claude",
        credentialId: "cred_1",
        status: 200,
        retryable: false,
        fault: null,
        billed: "yes",
        latencyMs: 1,
        retryAfterMs: null,
        usage: used.usage,
        costMicroUsd: 200,
      } as const;
      await settleLate(reserved, { ...used, model: "anthropic/claude", attempts: [attempt] });
      const rows = (await usageRows(who.tenantId)).map(
        ({ model, unknown, succeeded, costMicroUsd }) => ({
          model,
          unknown,
          succeeded,
          costMicroUsd,
        }),
      );
      expect(rows).toEqual([
        { model: "anthropic/claude", unknown: 0, succeeded: 1, costMicroUsd: 200 },
      ]);
    });

    it("answers repetitions of the call, or frees its replay key", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const key = "ab".repeat(32);
      const idempotency = { key, expiresAt: start + 86_400_000 };
      const asked = { tenantId: who.tenantId, keyId: who.keyId, serverId: null, key };
      const find = async () => value(await world.stores.idempotency.find(asked, late));
      const first = await swept(who, { idempotency });
      await settleLate(first, { ...used, result: { parts: ["sealed"], expiresAt: late + 1 } });
      expect(await find()).toMatchObject({ outcome: "succeeded", result: "sealed" });
      value(await world.stores.idempotency.prune(late + 1));
      const another = await swept(who, { idempotency });
      await settleLate(another, { ...released, result: "free" });
      expect(await find()).toBeNull();
    });

    it("leaves a minute's counter that is gone as it is", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      value(await world.stores.ledger.prune(start + 121 * second));
      expect(await counted(who.keyId, "tokens")).toBe(0);
      expect(await settleLate(reserved)).toBe(true);
      expect(await counted(who.keyId, "tokens")).toBe(0);
      expect(await moneyOf(who.keyId)).toEqual([200, 200]);
    });

    it("charges more than was reserved, if that is what was used", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      await settleLate(reserved, { ...used, chargedMicroUsd: 1_500, costMicroUsd: 1_500 });
      expect(await moneyOf(who.keyId)).toEqual([1_500, 1_500]);
      expect(await record(who, reserved.opening.id)).toMatchObject({ overshoot: true });
    });

    it("leaves a call that an operator has corrected", async () => {
      const who = await caller(world.stores, { keyLimits: limits });
      const reserved = await swept(who);
      const its = { tenantId: who.tenantId, id: reserved.opening.id };
      const found = correction({ costMicroUsd: 300 });
      const logged = event(who.tenantId, "request.correct");
      expect(value(await world.stores.ledger.correct({ ...its, correction: found }, logged))).toBe(
        true,
      );
      expect(await settleLate(reserved)).toBe(false);
      expect(await record(who, its.id)).toMatchObject({ outcome: "unknown", correction: found });
      expect(await moneyOf(who.keyId)).toEqual([300, 300]);
    });

    it("leaves a call that has ended, was refused, is another tenant's or never existed", async () => {
      const who = await caller(world.stores, { keyLimits: { ...limits, requestsPerMinute: 1 } });
      const other = await caller(world.stores);
      const lost = await swept(other);
      const ended = await running(who, start);
      await settle(ended, start + second, { outcome: "cancelled" });
      const refused = reservation(who, start);
      expect(told(value(await world.stores.ledger.admit(refused)))).toContain("refused");
      const state = async () =>
        Promise.all(
          [who, other].map(async ({ tenantId, keyId }) => [
            await usageRows(tenantId),
            await moneyOf(tenantId),
            await moneyOf(keyId),
            value(await world.stores.requests.list(tenantId, {}, page)),
          ]),
        );
      const before = await state();
      const foreign = structuredClone(lost);
      foreign.opening.who.tenantId = who.tenantId;
      for (const each of [ended, refused, foreign, reservation(who, start)])
        expect(await settleLate(each, { ...used, captured: "content" })).toBe(false);
      expect(await state()).toEqual(before);
      expect(await eventsOf(who)).toEqual([]);
    });

    it("makes room for the next call", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      const reserved = await swept(who);
      expect(told(await admit(who, late, { microUsd: 1 }))).toContain("refused");
      await settleLate(reserved);
      expect(told(await admit(who, late, { microUsd: 801 }))).toContain("refused");
      expect(told(await admit(who, late, { microUsd: 800 }))).toBe("admitted");
    });
  });
};
