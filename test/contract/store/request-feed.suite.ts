import { describe, expect, it } from "vitest";
import { longestStreamMs } from "../../../src/domain/leases.ts";
import type { FeedState } from "../../../src/domain/ports/request-feed.ts";
import { minIdAt } from "../../../src/domain/tenancy/ids.ts";
import { caller, opening, reservation, settlement, start, type Caller } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

export const requestFeedSuite = (backend: Backend): void => {
  describe("the feed of records", () => {
    const world = givenWorld(backend);
    const admitted = async (who: Caller, at = start) => {
      const its = reservation(who, at);
      expect(value(await world.stores.ledger.admit(its)).state).toBe("admitted");
      return its;
    };
    /** Ids with their outcomes, and the state after them. */
    const read = async (tenantId: string, state: FeedState) => {
      const { records, last } = value(await world.stores.requestFeed.changes(tenantId, state));
      return { last, seen: records.map(({ id, outcome }) => [id, outcome]) };
    };

    it("begins with what runs, and tells nothing of what was before", async () => {
      const { requestFeed, ledger } = world.stores;
      const who = await caller(world.stores);
      expect(value(await requestFeed.state(who.tenantId))).toEqual({ open: [], last: 0 });
      const [ended, running] = [await admitted(who), await admitted(who)];
      value(await ledger.settle(settlement(ended, start)));
      const state = value(await requestFeed.state(who.tenantId));
      expect(state).toEqual({ open: [running.opening.id], last: 2 });
      expect(await read(who.tenantId, state)).toEqual({ last: 2, seen: [] });
    });

    it("tells of each record when it begins, and when it ends", async () => {
      const { requestFeed, ledger } = world.stores;
      const who = await caller(world.stores);
      const state = value(await requestFeed.state(who.tenantId));
      const slow = await admitted(who);
      const quick = await admitted(who);
      value(await ledger.settle(settlement(quick, start)));
      const refused = opening(who);
      value(await ledger.refuse(refused, "internal", null, null));
      const first = await read(who.tenantId, state);
      expect(first).toEqual({
        last: 3,
        seen: [
          [slow.opening.id, "admitted"],
          [quick.opening.id, "succeeded"],
          [refused.id, "refused"],
        ],
      });
      const open = [slow.opening.id];
      expect(await read(who.tenantId, { open, last: 3 })).toEqual({ last: 3, seen: [] });
      value(await ledger.settle(settlement(slow, start)));
      expect(await read(who.tenantId, { open, last: 3 })).toEqual({
        last: 3,
        seen: [[slow.opening.id, "succeeded"]],
      });
    });

    it("gives who comes back what began or ended meanwhile, also what was sealed or is a long stream", async () => {
      const { requestFeed, ledger } = world.stores;
      const who = await caller(world.stores);
      const longAgo = start - longestStreamMs;
      const stream = async (name: string, settledAt: number): Promise<string> => {
        const its = reservation(who, longAgo);
        its.opening.id = `${minIdAt("request", longAgo)}${name.padEnd(16, "x")}`;
        expect(value(await ledger.admit(its)).state).toBe("admitted");
        value(await ledger.settle(settlement(its, settledAt)));
        return its.opening.id;
      };
      await stream("before", start - 50_000);
      const long = await stream("long", start);
      const fresh = await admitted(who, start);
      await sealAll(world.stores, who.tenantId);
      const unsealed = await stream("unsealed", start);
      const since = value(await requestFeed.since(who.tenantId, start - 10_000));
      expect(since?.map(({ id }) => id).toSorted()).toEqual(
        [long, fresh.opening.id, unsealed].toSorted(),
      );
      expect(value(await requestFeed.since(who.tenantId, start + 1))).toEqual([]);
    });

    it("reads no more at once than it says", async () => {
      const { requestFeed, ledger } = world.stores;
      const who = await caller(world.stores);
      const refuse = async () => value(await ledger.refuse(opening(who), "internal", null, null));
      await refuse();
      for (let made = 1; made < 501; made += 100)
        await Promise.all(Array.from({ length: 100 }, refuse));
      const changes = value(await requestFeed.changes(who.tenantId, { open: [], last: 0 }));
      expect([changes.isTooMuch, changes.records.length]).toEqual([true, 500]);
      const rest = value(await requestFeed.changes(who.tenantId, { open: [], last: changes.last }));
      expect([rest.isTooMuch, rest.records.length]).toEqual([false, 1]);
    });
  });
};
