import { describe, expect, it } from "vitest";
import { anotherKey, caller, consoleSession, event, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const dayMs = 86_400_000;

export const consoleSessionsSuite = (backend: Backend): void => {
  describe("console sessions", () => {
    const world = givenWorld(backend);

    it("are found with their key and their tenant's slug, until their time is over", async () => {
      const { consoleSessions, tenants, keys } = world.stores;
      const its = tenant();
      value(await tenants.create(its, event(its.id)));
      const keyId = await anotherKey(world.stores, its.id);
      const session = consoleSession(its.id, keyId, { expiresAt: start + 100 });
      value(await consoleSessions.create(session, event(its.id)));
      expect(value(await consoleSessions.find(session.id, start + 99))).toEqual({
        session,
        key: value(await keys.get(its.id, keyId)),
        slug: its.slug,
        signIn: null,
      });
      const signIn = { tenantId: its.id, issuer: "https://id.test", sealed: "v1.x", updatedAt: 1 };
      value(await world.stores.signIns.put(signIn, event(its.id)));
      expect(value(await consoleSessions.find(session.id, start))?.signIn).toEqual(signIn);
      expect(value(await consoleSessions.find(session.id, start + 100))).toBeNull();
      expect(value(await consoleSessions.find("con_other", start))).toBeNull();
    });

    it("of the operator have neither key nor tenant", async () => {
      const { consoleSessions } = world.stores;
      await caller(world.stores);
      const session = consoleSession(null, "operator", { kind: "operator" });
      value(await consoleSessions.create(session, event(null)));
      const found = { session, key: null, slug: null, signIn: null };
      expect(value(await consoleSessions.find(session.id, start))).toEqual(found);
      value(await consoleSessions.end(session, event(null, "ended")));
      expect(value(await consoleSessions.find(session.id, start))).toBeNull();
      const [last] = value(await world.stores.events.list(null, { cursor: null, limit: 1 })).data;
      expect(last?.action).toBe("ended");
    });

    it("of one subject are fifty at most: the oldest make room", async () => {
      const { consoleSessions } = world.stores;
      const { tenantId, keyId } = await caller(world.stores);
      const other = consoleSession(tenantId, await anotherKey(world.stores, tenantId));
      value(await consoleSessions.create(other, event(tenantId)));
      const made = Array.from({ length: 52 }, () => consoleSession(tenantId, keyId));
      for (const session of made) value(await consoleSessions.create(session, event(tenantId)));
      const left: string[] = [];
      for (const { id } of [other, ...made])
        if (value(await consoleSessions.find(id, start)) !== null) left.push(id);
      expect(left).toEqual([other.id, ...made.slice(2).map(({ id }) => id)]);
    });

    it("are pruned when their time is over", async () => {
      const { consoleSessions } = world.stores;
      const { tenantId, keyId } = await caller(world.stores);
      for (const expiresAt of [start, start + 1, start + dayMs])
        value(
          await consoleSessions.create(
            consoleSession(tenantId, keyId, { expiresAt }),
            event(tenantId),
          ),
        );
      expect(value(await consoleSessions.prune(start + 1))).toBe(2);
      expect(value(await consoleSessions.prune(start + 1))).toBe(0);
    });
  });
};
