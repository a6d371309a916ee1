/** Who spent most: sums by group in order of cost, and groups and tags from sealed records. */
import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/domain/audit/record.ts";
import type { ModelEndpointName } from "../../../src/domain/model-endpoint.ts";
import type { TopUsageQuery } from "../../../src/domain/ports/top-usage.ts";
import { createLatencyJob } from "../../../src/pipeline/scheduled/latencies.ts";
import {
  anotherKey,
  caller,
  correction,
  event,
  key,
  named,
  reservation,
  server,
  settlement,
  start,
  type Caller,
} from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const hourMs = 3_600_000;
const hour = Math.floor(start / hourMs) * hourMs;

export const topUsageSuite = (backend: Backend): void => {
  describe("who spent most", () => {
    const world = givenWorld(backend);
    const call = async (
      who: Pick<Caller, "tenantId" | "keyId">,
      {
        at = start,
        groups,
        tag,
        endpoint,
        tenantVersion = 2,
        ...fields
      }: Partial<Settlement> & {
        at?: number;
        tenantVersion?: number;
        groups?: string[];
        tag?: string;
        endpoint?: ModelEndpointName;
      } = {},
    ) => {
      const names = {
        ...(groups && { groups }),
        ...(tag !== undefined && { tag }),
        ...(endpoint !== undefined && { endpoint }),
      };
      const reserved = named(reservation(who as Caller, at, { tenantVersion }), names);
      value(await world.stores.ledger.admit(reserved));
      value(await world.stores.ledger.settle(settlement(reserved, at, fields)));
      return reserved.opening.id;
    };
    const top = async (who: Caller, fields: Partial<TopUsageQuery> = {}) =>
      value(
        await world.stores.topUsage.top(who.tenantId, {
          by: "key",
          from: hour,
          to: hour + hourMs,
          limit: 10,
          ...fields,
        }),
      );
    const countAll = async (who: Caller) => {
      await sealAll(world.stores, who.tenantId);
      value(await createLatencyJob({ latencies: world.stores.latencies, now: () => start })());
    };

    it("sorts by cost, and counts the groups beyond the limit in the total", async () => {
      const who = await caller(world.stores);
      const keyId = await anotherKey(world.stores, who.tenantId);
      await call(who, { costMicroUsd: 100, tenantVersion: 3 });
      await call({ ...who, keyId }, { costMicroUsd: 300, tenantVersion: 3 });
      const found = await top(who, { limit: 1 });
      expect(found.rows).toMatchObject([{ group: keyId, costMicroUsd: 300, requests: 1 }]);
      expect(found).toMatchObject({ groups: 2, total: { costMicroUsd: 400, requests: 2 } });
      expect(found.uncountedSince).toBeNull();
    });

    it("compares with the period of the same length before, and says when it was last used", async () => {
      const who = await caller(world.stores);
      await call(who, { at: start - hourMs, costMicroUsd: 40 });
      await call(who, { at: start - 2 * hourMs, costMicroUsd: 5 });
      await call(who, { costMicroUsd: 100 });
      expect((await top(who)).rows).toMatchObject([
        { costMicroUsd: 100, before: { requests: 1, costMicroUsd: 40 }, lastUsedAt: hour },
      ]);
      // Only used before: not in the list, but in the total.
      expect(await top(who, { from: hour + hourMs, to: hour + 2 * hourMs })).toMatchObject({
        rows: [],
        groups: 0,
        total: { requests: 0, costMicroUsd: 0, before: { requests: 1, costMicroUsd: 100 } },
      });
    });

    it("counts groups and tags once a call is sealed, and says since when it isn't", async () => {
      const who = await caller(world.stores);
      await call(who, { costMicroUsd: 70, groups: ["eng", "ops"], tag: "nightly" });
      expect(await top(who, { by: "group" })).toMatchObject({ rows: [], uncountedSince: start });
      await countAll(who);
      const { rows, uncountedSince } = await top(who, { by: "group" });
      expect(rows).toMatchObject([
        { group: "eng", costMicroUsd: 70, succeeded: 1 },
        { group: "ops", costMicroUsd: 70, succeeded: 1 },
      ]);
      expect(uncountedSince).toBeNull();
      await call(who, { costMicroUsd: 30, tag: "nightly" });
      await countAll(who);
      await countAll(who);
      expect((await top(who, { by: "tag" })).rows).toMatchObject([
        { group: "nightly", costMicroUsd: 100, requests: 2 },
      ]);
    });

    it("separates model endpoints from sampling, with their latencies", async () => {
      const who = await caller(world.stores);
      await call(who, { costMicroUsd: 70, endpoint: "messages" });
      await call(who, { costMicroUsd: 20, endpoint: "chat.completions" });
      await call(who, { costMicroUsd: 5 });
      await countAll(who);
      const { rows } = await top(who, { by: "endpoint" });
      expect(rows.map(({ group, costMicroUsd }) => [group, costMicroUsd])).toEqual([
        ["messages", 70],
        ["chat.completions", 20],
        ["sampling", 5],
      ]);
      const range = { from: hour, to: hour + hourMs, bucket: "hour", by: "endpoint" } as const;
      const page = { ...range, limit: 2 };
      const first = value(await world.stores.usage.read(who.tenantId, page));
      expect(first).toMatchObject([
        { at: hour, group: "chat.completions", requests: 1, costMicroUsd: 20 },
        { at: hour, group: "messages", requests: 1, costMicroUsd: 70 },
      ]);
      const after = { at: hour, group: "messages" };
      expect(value(await world.stores.usage.read(who.tenantId, { ...page, after }))).toMatchObject([
        { group: "sampling", costMicroUsd: 5 },
      ]);
      const timed = value(await world.stores.latencies.read(who.tenantId, range));
      expect(timed.map(({ group }) => group).toSorted()).toEqual(
        rows.map(({ group }) => group).toSorted(),
      );
    });

    it("counts a call with an unknown outcome by tag once it is corrected", async () => {
      const who = await caller(world.stores);
      const lost = named(reservation(who, start - hourMs), { tag: "nightly" });
      value(await world.stores.ledger.admit(lost));
      value(await world.stores.ledger.sweep(start));
      await countAll(who);
      const range = { by: "tag", from: hour - hourMs, to: hour + hourMs } as const;
      expect((await top(who, range)).rows).toEqual([]);
      const corrected = correction({ costMicroUsd: 9, outcome: "succeeded" });
      const ids = { tenantId: who.tenantId, id: lost.opening.id };
      value(
        await world.stores.ledger.correct({ ...ids, correction: corrected }, event(who.tenantId)),
      );
      await countAll(who);
      expect((await top(who, range)).rows).toMatchObject([
        { group: "nightly", costMicroUsd: 9, succeeded: 1, unknown: 0 },
      ]);
    });

    it("reads the limits of keys and servers, and the people of keys", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 3 } });
      const limited = server(who.tenantId, { policy: { limits: { usdPerMonth: 5 } } });
      value(await world.stores.servers.create(limited, event(who.tenantId)));
      const laptop = key(who.tenantId, { userId: "usr_1" });
      value(await world.stores.keys.create(laptop, event(who.tenantId)));
      const ids = [who.keyId, limited.id, laptop.id, "key_unknown"];
      expect(value(await world.stores.topUsage.limitsOf(who.tenantId, ids))).toEqual({
        [who.keyId]: { limits: { usdPerDay: 3 }, userId: null },
        [limited.id]: { limits: { usdPerMonth: 5 }, userId: null },
        [laptop.id]: { limits: {}, userId: "usr_1" },
      });
    });

    it("sums months in UTC", async () => {
      const who = await caller(world.stores);
      // 2027-01-15, and 2026-12-31 at 23:30
      await call(who, { costMicroUsd: 1 });
      await call(who, { at: Date.UTC(2026, 11, 31, 23, 30), costMicroUsd: 2 });
      await call(who, { at: Date.UTC(2026, 11, 1), costMicroUsd: 4 });
      const found = await world.stores.usage.read(who.tenantId, {
        from: Date.UTC(2026, 10, 1),
        to: start + 1,
        bucket: "month",
        by: "all",
        limit: 9,
      });
      expect(value(found).map(({ at, costMicroUsd }) => [at, costMicroUsd])).toEqual([
        [Date.UTC(2026, 11, 1), 6],
        [Date.UTC(2027, 0, 1), 1],
      ]);
    });
  });
};
