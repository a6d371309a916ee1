import { describe, expect, it } from "vitest";
import { event, server, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const serversSuite = (backend: Backend): void => {
  describe("servers", () => {
    const world = givenWorld(backend);
    const someTenant = async () => {
      const its = tenant();
      value(await world.stores.tenants.create(its, event(its.id)));
      return its.id;
    };
    const stored = async (tenantId: string, fields: Parameters<typeof server>[1] = {}) => {
      const its = server(tenantId, fields);
      value(await world.stores.servers.create(its, event(tenantId)));
      return its;
    };

    it("gives back what was put in", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId, { slug: "files", sampling: "client-then-router" });
      expect(value(await world.stores.servers.bySlug(tenantId, "files"))).toEqual(its);
      expect(value(await world.stores.servers.bySlug(tenantId, "other"))).toBeNull();
    });

    it("refuses a slug that its tenant uses already", async () => {
      const tenantId = await someTenant();
      const { slug } = await stored(tenantId);
      const refused = await world.stores.servers.create(
        server(tenantId, { slug }),
        event(tenantId),
      );
      expect(refused).toMatchObject({ ok: false, error: { reason: "conflict" } });
    });

    it("is gone when it is removed, and its slug is free", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      value(await world.stores.servers.remove(tenantId, its.id, event(tenantId)));
      expect(value(await world.stores.servers.bySlug(tenantId, its.slug))).toBeNull();
      await stored(tenantId);
    });

    it("lists page by page", async () => {
      const tenantId = await someTenant();
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1)
        made.push((await stored(tenantId, { slug: `s${count}` })).id);
      await expectPages((page) => world.stores.servers.list(tenantId, page), made);
    });
  });
};
