import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { raw } from "../../../src/store/db.ts";
import { event, id, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const tenantsSuite = (backend: Backend): void => {
  describe("tenants", () => {
    const world = givenWorld(backend);
    const stored = async (fields: Parameters<typeof tenant>[0] = {}) => {
      const its = tenant(fields);
      value(await world.stores.tenants.create(its, event(its.id, "tenant.create")));
      return its;
    };

    it("gives back what was put in, by id and by slug", async () => {
      const its = await stored({
        policy: { limits: { requestsPerMinute: 5 }, allowedModels: ["*/claude-*"], maxTokens: 9 },
      });
      expect(value(await world.stores.tenants.byId(its.id))).toEqual(its);
      expect(value(await world.stores.tenants.bySlug(its.slug))).toEqual(its);
    });

    it("finds no tenant that doesn't exist", async () => {
      expect(value(await world.stores.tenants.byId(id("tenant")))).toBeNull();
      expect(value(await world.stores.tenants.bySlug("nobody"))).toBeNull();
    });

    it("refuses a slug that is taken, and then writes no event either", async () => {
      const its = await stored();
      const second = tenant({ slug: its.slug });
      const refused = await world.stores.tenants.create(second, event(second.id));
      expect(refused).toMatchObject({ ok: false, error: { reason: "conflict" } });
      const log = await world.stores.events.list(second.id, { cursor: null, limit: 10 });
      expect(value(log).data).toEqual([]);
    });

    it("changes the named members, and raises the version", async () => {
      const its = await stored({ policy: { maxTokens: 5 } });
      const { tenants } = world.stores;
      value(await tenants.update(its.id, { name: "New" }, event(its.id)));
      expect(value(await tenants.byId(its.id))).toEqual({ ...its, name: "New", version: 2 });
      value(await tenants.update(its.id, { policy: {} }, event(its.id)));
      expect(value(await tenants.byId(its.id))).toEqual({
        ...its,
        name: "New",
        policy: {},
        version: 3,
      });
    });

    it("changes nothing, and writes no event, where the tenant has another version by now", async () => {
      const its = await stored();
      const { tenants, events } = world.stores;
      const first = await tenants.update(its.id, { policy: { maxTokens: 1 } }, event(its.id), 1);
      const second = await tenants.update(its.id, { policy: { maxTokens: 2 } }, event(its.id), 1);
      expect([first.ok, second]).toMatchObject([
        true,
        { ok: false, error: { reason: "precondition_failed" } },
      ]);
      expect(value(await tenants.byId(its.id))).toMatchObject({
        policy: { maxTokens: 1 },
        version: 2,
      });
      const log = value(await events.list(its.id, { cursor: null, limit: 10 }));
      expect(log.data).toHaveLength(2);
    });

    it("frees the slug of a tenant that is removed", async () => {
      const its = await stored();
      value(await world.stores.tenants.remove(its.id, event(its.id)));
      expect(value(await world.stores.tenants.byId(its.id))).toBeNull();
      await stored({ slug: its.slug, createdAt: start + 1 });
    });

    it("makes one tenant for an id, ever: no second one, and none after its removal", async () => {
      const its = await stored();
      const { tenants, events } = world.stores;
      const again = () => tenants.create(its, event(its.id, "tenant.create"));
      const refused = { ok: false, error: { reason: "conflict" } };
      expect(await again()).toMatchObject(refused);
      value(await tenants.remove(its.id, event(its.id, "tenant.delete")));
      expect(await again()).toMatchObject(refused);
      expect(value(await tenants.byId(its.id))).toBeNull();
      const log = value(await events.list(its.id, { cursor: null, limit: 9 })).data;
      expect(log.map(({ action }) => action).toSorted()).toEqual([
        "tenant.create",
        "tenant.delete",
      ]);
    });

    it("removes more records than one transaction takes, and none of another tenant", async () => {
      const [its, neighbour] = [await stored(), await stored()];
      const rows = (owner: string, count: number) =>
        raw(sql`
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
          insert into sampling_requests (id, tenant_id, key_id, created_at, content_sha256, outcome,
            overshoot, attempts, limit_checks, record_number, opening_code)
          select 'req_' || ${owner} || i, ${owner}, 'key', ${start}, '', 'succeeded', 0, '[]', '[]', i, '' from n`);
      const left = raw(sql`select tenant_id, count(*) as count from sampling_requests group by 1`);
      value(await world.db.write([rows(its.id, 4_500), rows(neighbour.id, 3)]));
      value(await world.stores.tenants.remove(its.id, event(its.id)));
      expect(value(await world.db.write([left]))[0]).toMatchObject([
        { tenant_id: neighbour.id, count: 3 },
      ]);
    });

    it("lists page by page", async () => {
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await stored()).id);
      await expectPages((page) => world.stores.placements.list(page), made);
    });
  });
};
