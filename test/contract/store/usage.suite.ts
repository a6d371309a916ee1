/** Usage by the hour: whatever happens, it says what the records say. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UsageBucket, UsageBy, UsageRow } from "../../../src/domain/ports/ledger.ts";
import type { samplingRequests } from "../../../src/store/schema.ts";
import {
  anotherKey,
  caller,
  correction,
  event,
  opening,
  reservation,
  settlement,
  start,
  type Caller,
} from "./fixtures.ts";
import { givenLedger, told } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const first = Math.floor(start / dayMs) * dayMs;

type Row = typeof samplingRequests.$inferSelect;

/** What a record says now, its correction included. */
const saidBy = ({ correction: its, ...row }: Row) => ({
  outcome: its?.outcome ?? row.outcome,
  inputTokens: its?.inputTokens ?? row.inputTokens ?? 0,
  outputTokens: its?.outputTokens ?? row.outputTokens ?? 0,
  costMicroUsd: its?.costMicroUsd ?? row.costMicroUsd ?? 0,
});

const groupOf = (row: Row, by: UsageBy): string =>
  ({ model: row.model, key: row.keyId, user: null, server: row.serverId, endpoint: null, all: "" })[
    by
  ] ?? "";

/** The usage rows to which the records add up. Calls that still run are in none. */
function summed(rows: readonly Row[], bucket: UsageBucket, by: UsageBy): UsageRow[] {
  const widthMs = bucket === "hour" ? hourMs : dayMs;
  const sums = new Map<string, UsageRow>();
  for (const row of rows.filter(({ outcome }) => outcome !== "admitted")) {
    const at = Math.floor((row.admittedAt ?? row.createdAt) / widthMs) * widthMs;
    const group = groupOf(row, by);
    const sum = sums.get(`${at} ${group}`) ?? {
      at,
      group,
      requests: 0,
      succeeded: 0,
      failed: 0,
      refused: 0,
      cancelled: 0,
      unknown: 0,
      inputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
    };
    const said = saidBy(row);
    sum.requests += 1;
    if (said.outcome !== "admitted") sum[said.outcome] += 1;
    sum.inputTokens += said.inputTokens;
    sum.outputTokens += said.outputTokens;
    sum.costMicroUsd += said.costMicroUsd;
    sums.set(`${at} ${group}`, sum);
  }
  return [...sums.values()].toSorted((a, b) => a.at - b.at || (a.group < b.group ? -1 : 1));
}

export const usageSuite = (backend: Backend): void => {
  describe("usage", () => {
    const { world, running, settle, counted, record, recordRows, usageRows, twice } =
      givenLedger(backend);
    const read = async (
      who: Caller,
      fields: Partial<Parameters<typeof world.stores.usage.read>[1]> = {},
    ) =>
      value(
        await world.stores.usage.read(who.tenantId, {
          from: first,
          to: first + 40 * dayMs,
          bucket: "hour",
          by: "model",
          limit: 1_000,
          ...fields,
        }),
      );

    it("adds whole hours from the first to before the last, and days in UTC", async () => {
      const who = await caller(world.stores);
      for (const at of [0, hourMs - 1, hourMs, dayMs - 1, dayMs])
        await settle(await running(who, first + at), first + at);
      const counts = async (fields: Parameters<typeof read>[1]) =>
        (await read(who, fields)).map(({ at, requests }) => [(at - first) / hourMs, requests]);
      expect(await counts({})).toEqual([
        [0, 2],
        [1, 1],
        [23, 1],
        [24, 1],
      ]);
      expect(await counts({ bucket: "day" })).toEqual([
        [0, 4],
        [24, 1],
      ]);
      expect(await counts({ from: first + hourMs, to: first + dayMs })).toEqual([
        [1, 1],
        [23, 1],
      ]);
      // Times within an hour mean the whole hour.
      expect(await counts({ from: first + 5, to: first + 6 })).toEqual([[0, 2]]);
      expect(await counts({ limit: 2 })).toEqual([
        [0, 2],
        [1, 1],
      ]);
    });

    it("groups by model, key or server, and puts a request without one into the empty group", async () => {
      const who = await caller(world.stores);
      const sibling = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
      const fresh = { tenantVersion: 3 };
      const server = { id: "srv_1", limits: {} };
      await settle(await running(who, start, fresh), start, { model: "anthropic/claude" });
      await settle(await running(sibling, start, { ...fresh, server }), start, { model: null });
      const groups = async (by: UsageBy) => (await read(who, { by })).map(({ group }) => group);
      expect(await groups("model")).toEqual(["anthropic/claude", "openai/gpt"]);
      expect(await groups("key")).toEqual([who.keyId, sibling.keyId].toSorted());
      expect(await groups("server")).toEqual(["", "srv_1"]);
      expect(await read(who, { by: "all" })).toMatchObject([{ group: "", requests: 2 }]);
    });

    it("goes on after a row, whatever it is grouped by, and adds up the whole range as one", async () => {
      const who = await caller(world.stores);
      const keys = [who.keyId, await anotherKey(world.stores, who.tenantId)].toSorted();
      const server = { id: "srv_1", limits: {} };
      for (const [day, keyId, served] of [
        [0, keys[0], false],
        [0, keys[1], true],
        [1, keys[1], false],
        [400, keys[0], true],
        [400, keys[1], true],
      ] as const) {
        const at = first + day * dayMs;
        const asking = { tenantVersion: 3, ...(served && { server }) };
        await settle(await running({ ...who, keyId: keyId ?? "" }, at, asking), at);
      }
      const range = { from: first, to: first + 500 * dayMs };
      for (const bucket of ["hour", "day", "all"] as const)
        for (const by of ["model", "key", "user", "server", "all"] as const) {
          const whole = await read(who, { ...range, bucket, by });
          const paged: typeof whole = [];
          for (let after: (typeof whole)[0] | null = null; ;) {
            const [next] = await read(who, { ...range, bucket, by, limit: 1, after });
            if (next === undefined) break;
            paged.push(next);
            after = next;
          }
          expect([bucket, by, paged]).toEqual([bucket, by, whole]);
          expect(whole.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
        }
      const sums = await read(who, { ...range, bucket: "all", by: "key" });
      expect(sums).toMatchObject([
        { at: first, group: keys[0], requests: 2 },
        { at: first, group: keys[1], requests: 3 },
      ]);
    });

    it("of all tenants is by tenant or model, for the operator", async () => {
      const [who, other] = [await caller(world.stores), await caller(world.stores)];
      // A year in which no other test has any usage.
      const at = start + 400 * dayMs;
      await settle(await running(who, at), at, { model: "anthropic/claude" });
      await settle(await running(other, at), at, { model: "anthropic/claude" });
      await settle(await running(other, at), at, { model: "openai/gpt" });
      const all = async (by: "tenant" | "model") =>
        value(
          await world.stores.usage.readAll({
            from: at,
            to: at + 1,
            bucket: "hour",
            by,
            limit: 9,
          }),
        ).map(({ group, requests }) => [group, requests]);
      expect(await all("tenant")).toEqual(
        [
          [who.tenantId, 1],
          [other.tenantId, 2],
        ].toSorted(),
      );
      expect(await all("model")).toEqual([
        ["anthropic/claude", 2],
        ["openai/gpt", 1],
      ]);
    });

    it("books each attempt under the model that made it, and the request under the one that answered", async () => {
      const who = await caller(world.stores);
      const attempt = (provider: string, model: string, costMicroUsd: number) => ({
        provider,
        model,
        credentialId: "cred_1",
        status: 200,
        retryable: false,
        fault: null,
        billed: "yes" as const,
        latencyMs: 1,
        retryAfterMs: null,
        usage: { inputTokens: costMicroUsd, outputTokens: 1, estimated: false },
        costMicroUsd,
      });
      const attempts = [
        { ...attempt("openai", "gpt", 514), fault: "empty" as const },
        attempt("anthropic", "claude", 3),
      ];
      const ended = settlement(await running(who, start), start, {
        attempts,
        usage: { inputTokens: 517, outputTokens: 2, estimated: false },
        costMicroUsd: 517,
        model: "anthropic/claude",
      });
      for (const { ledger } of [twice(), world.stores]) value(await ledger.settle(ended));
      expect(await read(who)).toMatchObject([
        { group: "anthropic/claude", requests: 1, succeeded: 1, inputTokens: 3, costMicroUsd: 3 },
        { group: "openai/gpt", requests: 0, succeeded: 0, inputTokens: 514, costMicroUsd: 514 },
      ]);
      // All attempts failed, so the request counts under the first choice.
      const failed = { ...attempts[1], fault: "empty" as const } as (typeof attempts)[0];
      await settle(await running(who, start), start, {
        attempts: [failed],
        outcome: "failed",
        usage: failed.usage,
        costMicroUsd: 3,
        model: null,
      });
      expect(await read(who)).toMatchObject([
        { group: "anthropic/claude", requests: 1, costMicroUsd: 6 },
        { group: "openai/gpt", requests: 1, failed: 1, costMicroUsd: 514 },
      ]);
    });

    it("counts a refusal before admission once, in the hour in which it came", async () => {
      const who = await caller(world.stores);
      const refused = opening(who, first + 2 * hourMs);
      for (const { ledger } of [twice(), world.stores])
        value(await ledger.refuse(refused, "no_eligible_model", null, null));
      expect(await read(who)).toMatchObject([
        { at: first + 2 * hourMs, group: "", requests: 1, refused: 1, costMicroUsd: 0 },
      ]);
    });

    it("passes the limit of no day, where calls that came before midnight were admitted after it", async () => {
      const keyLimits = { requestsPerDay: 2, usdPerDay: 0.001 };
      const who = await caller(world.stores, { keyLimits });
      const midnight = first + dayMs;
      const came = (at: number) => opening(who, at);
      for (const [arrived, admitted] of [
        [midnight - 2, midnight - 1],
        [midnight - 2, midnight - 1],
        [midnight - 1, midnight],
        [midnight, midnight + 1],
      ] as const) {
        const asked = { opening: came(arrived), microUsd: 500 };
        const reserved = await running(who, admitted, asked);
        await settle(reserved, admitted + hourMs, { costMicroUsd: 500, chargedMicroUsd: 500 });
        expect(await record(who, reserved.opening.id)).toMatchObject({
          createdAt: arrived,
          admittedAt: admitted,
        });
      }
      const refused = came(midnight - 1);
      expect(
        told(
          value(await world.stores.ledger.admit(reservation(who, midnight, { opening: refused }))),
        ),
      ).toBe("refused by key usd_day");
      expect(await record(who, refused.id)).toMatchObject({ admittedAt: null });
      expect(await read(who, { bucket: "day" })).toMatchObject([
        { at: first, requests: 3, succeeded: 2, refused: 1, costMicroUsd: 1_000 },
        { at: midnight, requests: 2, succeeded: 2, costMicroUsd: 1_000 },
      ]);
    });

    it("counts a call in the hour in which it was admitted, whenever it ends", async () => {
      const who = await caller(world.stores);
      const late = await running(who, first + hourMs - 1);
      await settle(late, first + 3 * hourMs);
      const lost = await running(who, first + hourMs - 1);
      value(await world.stores.ledger.sweep(lost.leaseUntil ?? 0));
      expect(await read(who)).toMatchObject([
        { at: first, requests: 2, succeeded: 1, unknown: 1, costMicroUsd: 1_500 },
      ]);
    });

    it("agrees with the records and the budgets, after any history", async () => {
      const step = fc.record({
        gapMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constant(hourMs), fc.constant(dayMs)),
        waitedMs: fc.constantFrom(0, 0, 1, hourMs, dayMs),
        key: fc.integer({ min: 0, max: 1 }),
        served: fc.boolean(),
        replayed: fc.boolean(),
        microUsd: fc.constantFrom(null, 0, 700, 4_000),
        used: fc.record({ in: fc.nat(200), out: fc.nat(300), cost: fc.nat(5_000) }),
        ending: fc.constantFrom("settled", "failed", "cancelled", "refused", "swept", "running"),
        late: fc.boolean(),
        corrected: fc.array(
          fc.record({
            outcome: fc.constantFrom("succeeded", "failed", "cancelled"),
            cost: fc.nat(5_000),
          }),
          { maxLength: 2 },
        ),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
          const limits = { usdPerDay: 0.02, usdPerMonth: 0.03, requestsPerMinute: 6 };
          const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
          const keyId = await anotherKey(world.stores, who.tenantId, limits);
          const callers = [who, { ...who, keyId }];
          const server = { id: `srv_${who.tenantId}`, limits };
          let now = start;
          for (const its of steps) {
            now += its.gapMs;
            const { ledger } = its.replayed ? twice() : world.stores;
            const asking = callers[its.key] ?? who;
            if (its.ending === "refused") {
              value(await ledger.refuse(opening(asking, now), "invalid_params", null, null));
              continue;
            }
            const reserved = reservation(asking, now, {
              opening: {
                ...opening(asking, now - its.waitedMs),
                who: { ...opening(asking).who, serverId: its.served ? server.id : null },
              },
              tenantVersion: 3,
              microUsd: its.microUsd ?? 0,
              reservedMicroUsd: its.microUsd,
              leaseUntil: its.ending === "swept" ? now + 1 : now + 100 * dayMs,
              ...(its.served ? { server } : {}),
            });
            const { state } = value(await ledger.admit(reserved));
            if (state !== "admitted" || its.ending === "running") continue;
            const { in: inputTokens, out: outputTokens, cost } = its.used;
            const ended = settlement(reserved, now, {
              outcome:
                its.ending === "failed" || its.ending === "cancelled" ? its.ending : "succeeded",
              usage: { inputTokens, outputTokens, estimated: false },
              costMicroUsd: cost,
              chargedMicroUsd: cost,
              model: cost % 2 === 0 ? "anthropic/claude" : null,
            });
            if (its.ending === "swept") {
              value(await ledger.sweep(now + 1));
              for (const { outcome, cost: corrected } of its.corrected)
                value(
                  await ledger.correct(
                    {
                      tenantId: who.tenantId,
                      id: reserved.opening.id,
                      correction: correction({ outcome, costMicroUsd: corrected }),
                    },
                    event(who.tenantId),
                  ),
                );
              if (its.late)
                for (let count = 0; count < 2; count += 1)
                  value(await ledger.settleSwept(ended, event(who.tenantId)));
              continue;
            }
            value(await ledger.settle(ended));
            value(await ledger.settle(ended));
          }
          const rows = await recordRows(who.tenantId);
          for (const bucket of ["hour", "day"] as const)
            for (const by of ["model", "key", "server"] as const)
              expect(await read(who, { bucket, by })).toEqual(summed(rows, bucket, by));
          const spent = (its: readonly Row[]): number =>
            its
              .filter(({ outcome }) => outcome !== "refused")
              .reduce(
                (sum, row) =>
                  sum +
                  (row.outcome === "admitted"
                    ? (row.reservedMicroUsd ?? 0)
                    : saidBy(row).costMicroUsd),
                0,
              );
          for (const resource of ["usd_day", "usd_month"] as const) {
            expect(await counted(who.tenantId, resource)).toBe(spent(rows));
            for (const { keyId: asking } of callers)
              expect(await counted(asking, resource)).toBe(
                spent(rows.filter((row) => row.keyId === asking)),
              );
            expect(await counted(server.id, resource)).toBe(
              spent(rows.filter(({ serverId }) => serverId === server.id)),
            );
          }
          expect((await usageRows(who.tenantId)).every(({ unknown }) => unknown >= 0)).toBe(true);
        }),
        { numRuns: backend.histories },
      );
    });
  });
};
