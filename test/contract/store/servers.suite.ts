import { describe, expect, it } from "vitest";
import { authorization, event, server, start, tenant, tokens } from "./fixtures.ts";
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
      const its = await stored(tenantId, {
        slug: "files",
        sampling: "client-then-router",
        forwardAuthorization: true,
        supportedModalities: true,
        learned: { era: "modern" },
        oauth: {
          grant: "client_credentials",
          clientId: "client",
          hasSecret: true,
          tokenEndpoint: null,
          authorizationEndpoint: null,
          scope: null,
          resource: null,
        },
      });
      expect(value(await world.stores.servers.bySlug(tenantId, "files"))).toEqual(its);
      expect(value(await world.stores.servers.byId(tenantId, its.id))).toEqual(its);
      const { sealed: _, ...shown } = its;
      const page = { cursor: null, limit: 10 };
      expect(value(await world.stores.servers.list(tenantId, page)).data).toEqual([shown]);
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

    const versionOf = async (tenantId: string): Promise<number> =>
      value(await world.stores.tenants.byId(tenantId))?.version ?? 0;
    const newestEvent = async (tenantId: string): Promise<string | undefined> =>
      value(await world.stores.events.list(tenantId, { cursor: null, limit: 1 })).data[0]?.action;
    /** Gives the server a granted token and a pending authorization. */
    const granted = async (tenantId: string, serverId: string) => {
      const about = { event: event(tenantId), now: start };
      value(await world.stores.serverTokens.replace(tokens(tenantId, serverId), about));
      const waiting = authorization(tenantId, serverId);
      value(await world.stores.authorizations.create(waiting, event(tenantId)));
      return async () => [
        value(await world.stores.serverTokens.get(tenantId, serverId)) !== null,
        value(await world.stores.authorizations.take(waiting.id, start)) !== null,
      ];
    };

    it.each(["keep", "forget"] as const)(
      "is changed, one event and the tenant's next version with it; its tokens: %s",
      async (what) => {
        const tenantId = await someTenant();
        const its = await stored(tenantId);
        const left = await granted(tenantId, its.id);
        const before = await versionOf(tenantId);
        const change = { url: "https://other.test", policy: { disabled: true }, sealed: null };
        value(
          await world.stores.servers.update(tenantId, its.id, change, {
            event: event(tenantId, "server.changed"),
            now: start + 5,
            tokens: what,
          }),
        );
        expect(value(await world.stores.servers.byId(tenantId, its.id))).toEqual({
          ...its,
          ...change,
          updatedAt: start + 5,
        });
        expect(await versionOf(tenantId)).toBe(before + 1);
        expect(await newestEvent(tenantId)).toBe("server.changed");
        expect(await left()).toEqual(what === "keep" ? [true, true] : [false, false]);
      },
    );

    it("become failing with one event, and active again with one", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      const set = async (status: "active" | "failing", action: string) =>
        value(
          await world.stores.servers.setStatus(tenantId, its.id, status, {
            event: event(tenantId, action),
            now: start + 9,
          }),
        );
      await set("failing", "one");
      await set("failing", "two");
      expect(await newestEvent(tenantId)).toBe("one");
      expect(value(await world.stores.servers.byId(tenantId, its.id))?.status).toBe("failing");
      await set("active", "three");
      await set("active", "four");
      expect(await newestEvent(tenantId)).toBe("three");
      expect(value(await world.stores.servers.byId(tenantId, its.id))?.status).toBe("active");
    });

    it("adds what is learned to what is known, and tells nobody", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId, { learned: { era: "legacy" } });
      const before = [await versionOf(tenantId), await newestEvent(tenantId)];
      value(await world.stores.servers.learn(tenantId, its.id, { bareCapabilities: true }));
      expect(value(await world.stores.servers.byId(tenantId, its.id))).toEqual({
        ...its,
        learned: { era: "legacy", bareCapabilities: true },
      });
      expect([await versionOf(tenantId), await newestEvent(tenantId)]).toEqual(before);
    });

    it.each([null, "sealed before"])(
      "replaces sealed secrets that are still those that were read: %s",
      async (sealed) => {
        const tenantId = await someTenant();
        const its = await stored(tenantId, { sealed });
        const replace = (from: string | null, to: string) =>
          world.stores.servers.replaceSealed(tenantId, its.id, { from, to });
        expect(value(await replace("others", "lost"))).toBe(false);
        expect(value(await replace(sealed, "sealed now"))).toBe(true);
        expect(value(await replace(sealed, "late"))).toBe(false);
        expect(value(await world.stores.servers.byId(tenantId, its.id))).toEqual({
          ...its,
          sealed: "sealed now",
        });
      },
    );

    it("takes its tokens with it when it goes", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      const left = await granted(tenantId, its.id);
      value(await world.stores.servers.remove(tenantId, its.id, event(tenantId)));
      expect(await left()).toEqual([false, false]);
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
