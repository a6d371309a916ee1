import { describe, expect, it } from "vitest";
import { credential, event, id, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const credentialsSuite = (backend: Backend): void => {
  describe("credentials", () => {
    const world = givenWorld(backend);
    const someTenant = async () => {
      const its = tenant();
      value(await world.stores.tenants.create(its, event(its.id)));
      return its.id;
    };
    const stored = async (tenantId: string, fields: Parameters<typeof credential>[1] = {}) => {
      const its = credential(tenantId, fields);
      value(await world.stores.credentials.create(its, event(tenantId)));
      return its;
    };
    const versionOf = async (tenantId: string) =>
      value(await world.stores.tenants.byId(tenantId))?.version;

    it("gives back what was put in", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId, {
        baseUrl: "https://models.test/v1",
        models: [{ id: "local", tools: true, aliases: ["l"] }],
      });
      expect(value(await world.stores.credentials.get(tenantId, its.id))).toEqual(its);
      expect(value(await world.stores.credentials.get(tenantId, id("credential")))).toBeNull();
    });

    it("lists page by page, and never the sealed key", async () => {
      const tenantId = await someTenant();
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await stored(tenantId)).id);
      await expectPages((page) => world.stores.credentials.list(tenantId, page), made);
      const page = await world.stores.credentials.list(tenantId, { cursor: null, limit: 5 });
      expect(JSON.stringify(page)).not.toContain("sealed");
    });

    it("changes the named members, and nothing else", async () => {
      const tenantId = await someTenant();
      const { credentials } = world.stores;
      const its = await stored(tenantId, { models: [{ id: "local" }] });
      const later = start + 5;
      value(
        await credentials.update(tenantId, its.id, { status: "failing" }, later, event(tenantId)),
      );
      const failing = { ...its, status: "failing", updatedAt: later };
      expect(value(await credentials.get(tenantId, its.id))).toEqual(failing);
      const change = { models: null, name: "New", sealed: "v1.b.c.d", baseUrl: "https://b.test" };
      value(await credentials.update(tenantId, its.id, change, later, event(tenantId)));
      expect(value(await credentials.get(tenantId, its.id))).toEqual({ ...failing, ...change });
      expect(await versionOf(tenantId)).toBe(4);
    });

    it("keeps the provider's list as it was read, and makes prepared choices stale", async () => {
      const tenantId = await someTenant();
      const { credentials } = world.stores;
      const its = await stored(tenantId);
      const read = { tenantId, id: its.id, readAt: its.updatedAt };
      const listing = { at: start, ids: ["gpt-5", "gpt-5-mini"] };
      value(await credentials.keepListing({ ...read, readAt: its.updatedAt - 1 }, listing));
      expect(value(await credentials.get(tenantId, its.id))).toEqual(its);
      expect(await versionOf(tenantId)).toBe(2);
      value(await credentials.keepListing(read, listing));
      expect(value(await credentials.get(tenantId, its.id))).toEqual({ ...its, listing });
      expect(await versionOf(tenantId)).toBe(3);
    });

    it("gives the turn to read the list to one, and to others of no tenant but its own", async () => {
      const tenantId = await someTenant();
      const { credentials } = world.stores;
      const its = await stored(tenantId);
      const read = { tenantId, id: its.id, readAt: its.updatedAt };
      const slot = { now: start, until: start + 100 };
      const claim = async (now: number, of = read) =>
        value(await credentials.claimListing(of, { ...slot, now }));
      expect(await claim(start, { ...read, tenantId: await someTenant() })).toBe(false);
      expect(await claim(start, { ...read, readAt: its.updatedAt - 1 })).toBe(false);
      const leases = await Promise.all([claim(start), claim(start), claim(start)]);
      expect(leases.filter(Boolean)).toEqual([true]);
      expect(await claim(start + 99)).toBe(false);
      expect(await claim(start + 100)).toBe(true);
    });

    it("forgets the list of a key that is replaced", async () => {
      const tenantId = await someTenant();
      const { credentials } = world.stores;
      const its = await stored(tenantId, {
        listing: { at: start, ids: ["a"] },
        listingDueAt: start + 1,
      });
      const named = { name: "New" };
      value(await credentials.update(tenantId, its.id, named, start, event(tenantId)));
      expect(value(await credentials.get(tenantId, its.id))?.listing).not.toBeNull();
      const change = { sealed: "v1.b.c.d" };
      value(await credentials.update(tenantId, its.id, change, start, event(tenantId)));
      const again = value(await credentials.get(tenantId, its.id));
      expect(again).toMatchObject({ listing: null, listingDueAt: 0, lastCheck: null });
    });

    it("keeps a check and the state that follows as it was read, with an event and a new version", async () => {
      const tenantId = await someTenant();
      const { credentials, events } = world.stores;
      const its = await stored(tenantId, { status: "failing" });
      const check = async (readAt: number, now: number) =>
        value(
          await credentials.keepCheck(
            { tenantId, id: its.id, readAt },
            {
              lastCheck: { at: now, ok: true, fault: null },
              status: "active",
              event: { ...event(tenantId, "credential.active"), at: now },
            },
          ),
        );
      const told = async () =>
        value(await events.list(tenantId, { cursor: null, limit: 50 })).data.filter(
          ({ action }) => action === "credential.active",
        );
      // Somebody changed the credential since it was read.
      await check(its.updatedAt - 1, start + 5);
      expect(value(await credentials.get(tenantId, its.id))).toEqual(its);
      expect(await told()).toEqual([]);
      await check(its.updatedAt, start + 5);
      const active = { ...its, status: "active", updatedAt: start + 5 };
      const checkedAt = (at: number) => ({ ...active, lastCheck: { at, ok: true, fault: null } });
      expect(value(await credentials.get(tenantId, its.id))).toEqual(checkedAt(start + 5));
      await check(start + 5, start + 9);
      expect(value(await credentials.get(tenantId, its.id))).toEqual(checkedAt(start + 9));
      expect(await told()).toHaveLength(1);
      expect(await versionOf(tenantId)).toBe(3);
    });

    it("is gone when it is removed", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      value(await world.stores.credentials.remove(tenantId, its.id, event(tenantId)));
      expect(value(await world.stores.credentials.get(tenantId, its.id))).toBeNull();
      expect(await versionOf(tenantId)).toBe(3);
    });
  });
};
