import { describe, expect, it } from "vitest";
import type { AdminEvent, EventFilter } from "../../../src/domain/admin-event.ts";
import type { Page } from "../../../src/domain/ports/stores.ts";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { createEventStore } from "../../../src/store/events.ts";
import { event, start, tenant } from "./fixtures.ts";
import { randomBytesOf } from "./sealing-anew.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const eventsSuite = (backend: Backend): void => {
  describe("events", () => {
    const world = givenWorld(backend);

    it("list a tenant's own page by page, and all tenants' for the operator", async () => {
      const { tenants, events } = world.stores;
      const [its, other] = [tenant(), tenant()];
      const created = event(its.id, "tenant.create");
      value(await tenants.create(its, created));
      const made = [created.id];
      while (made.length < 5) {
        const change = event(its.id, "tenant.update");
        value(await tenants.update(its.id, { name: `Name ${made.length}` }, change));
        made.push(change.id);
      }
      await expectPages((page) => events.list(its.id, page), made);
      await expectPages((page) => events.list(null, page), made);
      const last = event(other.id, "tenant.create");
      value(await tenants.create(other, last));
      await expectPages((page) => events.list(its.id, page), made);
      const page = await events.list(null, { cursor: null, limit: 1 });
      expect(value(page).data).toEqual([last]);
    });

    it("are found by each member, within a tenant and in all", async () => {
      const { events } = world.stores;
      const minute = 60_000;
      const made = (at: number, members: object) => {
        const ids = createIds({ now: () => start + at, randomBytesOf });
        return {
          ...event("ten_1", "key.create"),
          at: start + at,
          id: ids.next("event"),
          ...members,
        };
      };
      const all = [
        made(0, { actor: "key_1", target: "key_2", detail: { name: "100%_Alt" } }),
        made(minute, { actor: "operator", action: "key.revoke" }),
        made(2 * minute, { actor: "operator", action: "policy.replace" }),
        made(3 * minute, { actor: "key_1", tenantId: "ten_2" }),
      ];
      for (const each of all) value(await events.append(each));
      const found = async (filter: EventFilter, tenantId: string | null = "ten_1") =>
        value(await events.list(tenantId, { cursor: null, limit: 9, filter })).data.map(({ id }) =>
          all.findIndex((each) => each.id === id),
        );
      expect(await found({})).toEqual([2, 1, 0]);
      expect(await found({ actor: "key_1" })).toEqual([0]);
      expect(await found({ actor: "key_1" }, null)).toEqual([3, 0]);
      expect(await found({ actor: "key_1", tenant: "ten_2" }, null)).toEqual([3]);
      expect(await found({ tenant: "ten_2" })).toEqual([]);
      expect(await found({ action: "key." })).toEqual([1, 0]);
      expect(await found({ action: "key_" })).toEqual([]);
      expect(await found({ action: "!key.c" })).not.toContain(0);
      expect(await found({ action: "!key.c" })).toContain(1);
      expect(await found({ target: "key_2" })).toEqual([0]);
      expect(await found({ text: "%_aLT" })).toEqual([0]);
      expect(await found({ text: "policy" })).toEqual([2]);
      expect(await found({ from: start + minute, to: start + 2 * minute })).toEqual([1]);
    });

    it("are searched up to a bound in one page, and the next page goes on there", async () => {
      const events = createEventStore(world.db, 3);
      const ids = createIds({ now: () => start, randomBytesOf });
      const made = ["a", "b", "b", "b", "b", "b", "a"].map((target) => ({
        ...event("ten_1", "key.create"),
        id: ids.next("event"),
        target,
      }));
      for (const each of made) value(await events.append(each));
      const sorted = made.toSorted((one, other) => (one.id < other.id ? 1 : -1));
      const found: string[] = [];
      let pages = 0;
      for (
        let cursor: string | null = null, isFirst = true;
        isFirst || cursor !== null;
        pages += 1
      ) {
        isFirst = false;
        const filter = { target: "a" };
        const page: Page<AdminEvent> = value(
          await events.list("ten_1", { cursor, limit: 9, filter }),
        );
        found.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(sorted.filter(({ target }) => target === "a").map(({ id }) => id));
      expect(pages).toBe(3);
    });

    it("are appended once in a time, where that is asked for", async () => {
      const { events } = world.stores;
      const ids = createIds({ now: () => start, randomBytesOf });
      const found = (target: string, tenantId: string | null = null, id = ids.next("event")) => ({
        ...event("ten_1", "row.rejected"),
        id,
        tenantId,
        target,
      });
      const first = found("api_keys key_1");
      expect(value(await events.appendOnce(first, start))).toBe(true);
      expect(value(await events.appendOnce(first, start))).toBe(true);
      expect(value(await events.appendOnce(found("api_keys key_1"), start))).toBe(false);
      expect(value(await events.appendOnce(found("api_keys key_2"), start))).toBe(true);
      expect(value(await events.appendOnce(found("api_keys key_1", "ten_1"), start))).toBe(true);
      // Those of before do not count.
      expect(value(await events.appendOnce(found("api_keys key_1"), start + 1))).toBe(true);
      expect(value(await events.list(null, { cursor: null, limit: 9 })).data).toHaveLength(4);
    });
  });
};
