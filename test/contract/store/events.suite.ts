import { describe, expect, it } from "vitest";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
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
