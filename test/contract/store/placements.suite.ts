import { describe, expect, it } from "vitest";
import type { Placement } from "../../../src/domain/ports/placements.ts";
import { event, id, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

const placement = (fields: Partial<Placement> = {}): Placement => ({
  slug: "acme",
  tenantId: id("tenant"),
  database: "eu",
  residency: null,
  ...fields,
});

export const placementsSuite = (backend: Backend): void => {
  describe("placements", () => {
    const world = givenWorld(backend);

    it("give a slug to the first tenant that claims it, and name that tenant to the others", async () => {
      const { placements } = world.stores;
      expect(value(await placements.bySlug("acme"))).toBeNull();
      const all = Array.from({ length: 16 }, () => placement());
      const told = await Promise.all(all.map((each) => placements.claim(each)));
      const { state, ...standing } = value(await placements.bySlug("acme")) ?? { state: null };
      expect(state).toBe("creating");
      expect(all).toContainEqual(standing);
      expect(told.map(value)).toEqual(all.map(() => standing));
    });

    it("gives away no slug of a tenant without a placement", async () => {
      const { placements, tenants } = world.stores;
      const its = tenant({ slug: "acme" });
      value(await tenants.create(its, event(its.id)));
      expect(value(await placements.claim(placement()))).toBeNull();
      expect(value(await placements.bySlug("acme"))).toBeNull();
    });

    it("keeps a claimed slug for the tenant it is claimed for", async () => {
      const { placements, tenants, events } = world.stores;
      const claimed = placement({ database: "home" });
      value(await placements.claim(claimed));
      const other = tenant({ slug: "acme" });
      expect(await tenants.create(other, event(other.id))).toMatchObject({
        ok: false,
        error: { reason: "conflict" },
      });
      expect(value(await events.list(other.id, { cursor: null, limit: 1 })).data).toEqual([]);
      const its = tenant({ slug: "acme", id: claimed.tenantId });
      value(await tenants.create(its, event(its.id)));
      expect(value(await placements.claim(placement()))).toEqual(claimed);
    });

    it("replaces one that stands, once", async () => {
      const { placements } = world.stores;
      const [first, second, third] = [placement(), placement(), placement({ database: "us" })];
      value(await placements.claim(first));
      expect(value(await placements.replace(first, second))).toEqual(second);
      expect(value(await placements.replace(first, third))).toEqual(second);
      expect(value(await placements.replace(second, third))).toEqual(third);
    });

    it("releases the very one that is named", async () => {
      const { placements } = world.stores;
      const claimed = placement();
      value(await placements.claim(claimed));
      value(await placements.release(placement()));
      value(await placements.release({ ...claimed, database: "us" }));
      expect(value(await placements.bySlug("acme"))).toMatchObject(claimed);
      value(await placements.release(claimed));
      expect(value(await placements.bySlug("acme"))).toBeNull();
    });

    it("keep where the tenant's data was asked to live", async () => {
      const { placements } = world.stores;
      const claimed = placement({ residency: { region: "weur", jurisdiction: "eu" } });
      expect(value(await placements.claim(claimed))).toEqual(claimed);
      expect(value(await placements.claim(placement()))).toEqual(claimed);
      expect(value(await placements.bySlug("acme"))).toMatchObject(claimed);
      value(await placements.confirm(claimed, { name: "Acme", createdAt: start }));
      expect(value(await placements.list({ cursor: null, limit: 9 })).data).toMatchObject([
        { residency: { region: "weur", jurisdiction: "eu" } },
      ]);
    });

    it("list a tenant once it is there, and say where its deletion began", async () => {
      const { placements } = world.stores;
      const claimed = placement();
      const listed = async () => value(await placements.list({ cursor: null, limit: 9 })).data;
      value(await placements.claim(claimed));
      expect(await listed()).toEqual([]);
      value(await placements.confirm(claimed, { name: "Acme", createdAt: start }));
      const entry = {
        id: claimed.tenantId,
        slug: "acme",
        name: "Acme",
        database: "eu",
        createdAt: start,
        residency: null,
        state: "active",
      };
      expect(await listed()).toEqual([entry]);
      value(await placements.beginDeletion(claimed));
      // The creation's own confirmation, which comes late.
      value(await placements.confirm(claimed, { name: "Acme", createdAt: start }));
      expect(await listed()).toEqual([{ ...entry, state: "deleting" }]);
      value(await placements.release(claimed));
      expect(await listed()).toEqual([]);
    });

    it("list the tenants of all databases page by page", async () => {
      const { placements, tenants } = world.stores;
      const made: string[] = [];
      for (const database of ["eu", "home", "us", "home", "eu"]) {
        const its = tenant();
        made.push(its.id);
        const claimed = placement({ slug: its.slug, tenantId: its.id, database });
        value(await placements.claim(claimed));
        if (database === "home") value(await tenants.create(its, event(its.id)));
        value(await placements.confirm(claimed, its));
      }
      await expectPages((page) => placements.list(page), made);
    });

    it("name the tenants of all databases, and none that is gone", async () => {
      const { placements, tenants } = world.stores;
      const [here, far, claimedAlone] = [
        tenant({ name: "Here" }),
        tenant({ name: "Far" }),
        tenant(),
      ];
      value(await tenants.create(here, event(here.id)));
      const at = placement({ slug: far.slug, tenantId: far.id, database: "eu" });
      value(await placements.claim(at));
      value(await placements.confirm(at, far));
      const { slug, id: tenantId } = claimedAlone;
      value(await placements.claim(placement({ slug, tenantId, database: "eu" })));
      const named = () => placements.namesOf([here.id, far.id, far.id, tenantId, "ten_nobody"]);
      expect(value(await named())).toEqual({ [here.id]: "Here", [far.id]: "Far" });
      value(await placements.release(at));
      expect(value(await named())).toEqual({ [here.id]: "Here" });
      expect(value(await placements.namesOf([]))).toEqual({});
    });
  });
};
