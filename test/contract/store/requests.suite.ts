import { describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { defaultRetentionDays } from "../../../src/domain/choice/policy.ts";
import type { ListFilter } from "../../../src/domain/audit/record.ts";
import type { Session } from "../../../src/domain/tenancy/session.ts";
import type { Page } from "../../../src/domain/ports/pages.ts";
import { createRequestStore } from "../../../src/store/records/requests.ts";
import { caller, decision, opening, reservation, session, settlement, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";
import { sealAll, retain } from "./sealing.ts";

const dayMs = 86_400_000;
const idOf = (moment: number): string =>
  createIds({
    now: () => moment,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
  }).next("request");

export const requestsSuite = (backend: Backend): void => {
  describe("requests", () => {
    const world = givenWorld(backend);
    const refused = async (who: { tenantId: string; keyId: string }, at = start) => {
      const its = opening(who, at);
      value(await world.stores.ledger.refuse(its, "forbidden", null, null));
      return its.id;
    };

    it("lists page by page, and a filter keeps to its pages", async () => {
      const who = await caller(world.stores);
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        made.push(await refused(who));
        value(await world.stores.ledger.admit(reservation(who, start)));
      }
      await expectPages(
        (page) => world.stores.requests.list(who.tenantId, { outcome: "refused" }, page),
        made,
      );
    });

    it("counts the newest of each session", async () => {
      const who = await caller(world.stores);
      const [one, other] = [1, 2].map(() =>
        session(who.tenantId, who.keyId, { createdAt: start }),
      ) as [Session, Session];
      for (const [each, at] of [
        [one, start + 1],
        [one, start + 2],
        [other, start + 3],
      ] as const) {
        const its = opening(who, at);
        const made = { ...its, id: idOf(at), who: { ...its.who, sessionId: each.id } };
        value(await world.stores.ledger.refuse(made, "forbidden", null, null));
      }
      const countedOf = async (maxSearched: number, ...asked: Session[]) => {
        const note = async () => undefined;
        const requests = createRequestStore({ db: world.db, note, maxSearched });
        return Object.fromEntries(value(await requests.countBySession(who.tenantId, asked)));
      };
      expect(await countedOf(9, one, other)).toEqual({ [one.id]: 2, [other.id]: 1 });
      expect(await countedOf(9, other)).toEqual({ [other.id]: 1 });
      expect(await countedOf(2, one, other)).toEqual({ [one.id]: 1, [other.id]: 1 });
      expect(await countedOf(9)).toEqual({});
      const another = await caller(world.stores);
      const foreign = world.stores.requests.countBySession(another.tenantId, [one, other]);
      expect(value(await foreign).size).toBe(0);
    });

    it("looks at so many records for one page, and goes on with the next one", async () => {
      const who = await caller(world.stores);
      const oldest = await refused(who, start);
      for (let at = 1; at < 8; at += 1)
        value(await world.stores.ledger.admit(reservation(who, start + at)));
      const requests = createRequestStore({
        db: world.db,
        note: async () => undefined,
        maxSearched: 3,
      });
      const filter: ListFilter = { outcome: "refused" };
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const page: Page<{ id: string }> = value(
          await requests.list(who.tenantId, filter, { cursor, limit: 9 }),
        );
        pages.push(page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(pages).toEqual([[], [], [oldest]]);
      const all = value(await requests.list(who.tenantId, {}, { cursor: null, limit: 9 }));
      expect([all.data.length, all.nextCursor]).toEqual([8, null]);
    });

    it("finds by time, outcome, model, key, server, session, id and approval", async () => {
      const who = await caller(world.stores);
      const its = session(who.tenantId, who.keyId);
      value(await world.stores.sessions.create(its));
      const { ledger } = world.stores;
      const early = await refused(who, start - 1);
      const plain = reservation(who, start);
      const inSession = reservation(who, start + 1, {
        sessionId: its.id,
        server: { id: "srv_1", limits: {} },
        decision: decision({ provider: "anthropic", model: "claude" }),
      });
      for (const each of [plain, inSession]) value(await ledger.admit(each));
      value(await ledger.settle(settlement(plain, start + 2)));

      const found = async (filter: ListFilter) =>
        value(
          await world.stores.requests.list(who.tenantId, filter, { cursor: null, limit: 9 }),
        ).data.map(({ id }) => id);
      const [a, b] = [plain.opening.id, inSession.opening.id];
      expect(await found({})).toEqual([b, a, early]);
      expect(await found({ from: start })).toEqual([b, a]);
      expect(await found({ to: start })).toEqual([early]);
      expect(await found({ from: start, to: start + 1 })).toEqual([a]);
      expect(await found({ outcome: "succeeded" })).toEqual([a]);
      expect(await found({ outcome: "admitted" })).toEqual([b]);
      expect(await found({ outcome: "succeeded,refused" })).toEqual([a, early]);
      expect(await found({ model: "anthropic/claude" })).toEqual([b]);
      expect(await found({ key: who.keyId })).toEqual([b, a, early]);
      expect(await found({ key: "key_other" })).toEqual([]);
      expect(await found({ server: "srv_1" })).toEqual([b]);
      expect(await found({ server: "srv_2" })).toEqual([]);
      expect(await found({ session: its.id, from: start })).toEqual([b]);
      expect(await found({ id: a })).toEqual([a]);
      expect(await found({ id: b.slice(-6) })).toEqual([b]);
      expect(await found({ id: b.slice(-6, -1) })).toEqual([]);
      const held = reservation(who, start + 3, { leaseUntil: null });
      value(await ledger.admit(held));
      expect(await found({ held: true })).toEqual([held.opening.id]);
      expect(await found({ held: false })).toEqual([b]);
    });

    it("prunes by each tenant's retention", async () => {
      const short = await caller(world.stores, { policy: { retentionDays: 2 } });
      const long = await caller(world.stores);
      const kept = async () => {
        const lists = [short, long].map(({ tenantId }) =>
          world.stores.requests.list(tenantId, {}, { cursor: null, limit: 9 }),
        );
        return (await Promise.all(lists)).map((list) => value(list).data.length);
      };
      for (const who of [short, long]) {
        await refused(who, start);
        await refused(who, start + dayMs);
        await sealAll(world.stores, who.tenantId);
      }
      expect(value(await retain(world.stores, start + 2 * dayMs))).toBe(0);
      expect(value(await retain(world.stores, start + 2 * dayMs + 1))).toBe(1);
      expect(await kept()).toEqual([1, 2]);
      expect(value(await retain(world.stores, start + defaultRetentionDays * dayMs + 1))).toBe(2);
      expect(await kept()).toEqual([0, 1]);
    });

    it("prunes no call that is still running, and none that is not sealed", async () => {
      const who = await caller(world.stores, { policy: { retentionDays: 1 } });
      const running = reservation(who, start);
      value(await world.stores.ledger.admit(running));
      const { ledger } = world.stores;
      expect(value(await retain(world.stores, start + 10 * dayMs))).toBe(0);
      value(await ledger.sweep(start + 10 * dayMs));
      expect(value(await retain(world.stores, start + 10 * dayMs))).toBe(0);
      await sealAll(world.stores, who.tenantId);
      expect(value(await retain(world.stores, start + 10 * dayMs))).toBe(1);
    });

    it("prunes content before its record, by each tenant's own rule", async () => {
      const { requests, ledger } = world.stores;
      const policies = [{ contentRetentionDays: 2 }, {}, { contentRetentionDays: 9 }];
      const ids: string[] = [];
      const tenants: string[] = [];
      for (const policy of policies) {
        const who = await caller(world.stores, { policy: { ...policy, retentionDays: 5 } });
        const its = reservation(who, start);
        // Contents are deleted by the time in their request's id.
        its.opening.id = idOf(start);
        value(await ledger.admit(its));
        value(await ledger.settle(settlement(its, start, { captured: "v1.content" })));
        await sealAll(world.stores, who.tenantId);
        ids.push(its.opening.id);
        tenants.push(who.tenantId);
      }
      const contents = async () =>
        Promise.all(
          ids.map(async (id, at) => {
            const found = value(await requests.get(tenants[at] ?? "", id));
            return found === null ? "gone" : found.content;
          }),
        );
      const kept = "v1.content";
      expect(value(await retain(world.stores, start + 2 * dayMs))).toBe(0);
      expect(await contents()).toEqual([kept, kept, kept]);
      expect(value(await retain(world.stores, start + 2 * dayMs + 1))).toBe(1);
      expect(await contents()).toEqual([null, kept, kept]);
      expect(value(await retain(world.stores, start + 5 * dayMs + 1))).toBe(3);
      expect(await contents()).toEqual(["gone", "gone", "gone"]);
    });
  });
};
