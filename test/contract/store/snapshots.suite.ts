import { describe, expect, it } from "vitest";
import { createSnapshots } from "../../../src/store/tenants/snapshots.ts";
import {
  anotherKey,
  caller,
  credential,
  event,
  id,
  revokeKey,
  server,
  session,
  start,
} from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const snapshotsSuite = (backend: Backend): void => {
  describe("snapshots", () => {
    const world = givenWorld(backend);

    it("holds all that a call needs to know, read in one round trip", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { requestsPerMinute: 5 },
        keyLimits: { concurrent: 1 },
        policy: { maxTokens: 7 },
      });
      const { tenantId, keyId } = who;
      const { stores } = world;
      const [first, second] = [credential(tenantId), credential(tenantId, { status: "failing" })];
      for (const its of [second, first])
        value(await stores.credentials.create(its, event(tenantId)));
      const override = { provider: "openai", id: "gpt", change: { tools: false } };
      value(await stores.overrides.put(tenantId, override, start, event(tenantId)));
      const its = session(tenantId, keyId);
      value(await stores.sessions.create(its));

      const trips: string[] = [];
      const db = await world.again({ onRoundTrip: (kind) => trips.push(kind) });
      const loaded = value(await createSnapshots(db).load(keyId, its.id, start));
      expect(trips).toEqual(["read"]);
      const key = value(await stores.keys.get(tenantId, keyId));
      expect(loaded).toEqual({
        server: null,
        snapshot: {
          tenant: value(await stores.tenants.byId(tenantId)),
          key,
          credentials: [first, second],
          overrides: [override],
          health: [],
          circuits: [],
        },
        session: its,
      });
    });

    it("finds a server by its slug, and its session by the server's own id", async () => {
      const { tenantId, keyId } = await caller(world.stores);
      const { servers, sessions, snapshots } = world.stores;
      const [its, other] = [server(tenantId), server(tenantId, { slug: "other" })];
      for (const each of [its, other]) value(await servers.create(each, event(tenantId)));
      const through = session(tenantId, keyId, {
        serverId: its.id,
        upstreamId: "abc",
        advertisedCapabilities: {},
      });
      value(await sessions.create(through));
      const load = async (sessionId: string, slug?: string, key = keyId) =>
        value(await snapshots.load(key, sessionId, start, slug));
      expect(await load("abc", its.slug)).toMatchObject({ session: through, server: its });
      expect(await load("abc", other.slug)).toMatchObject({ session: null, server: other });
      expect(await load("abc", "none")).toMatchObject({ session: null, server: null });
      // The router's own id of the session finds nothing, on either surface.
      expect(await load(through.id, its.slug)).toMatchObject({ session: null });
      expect(await load(through.id)).toMatchObject({ session: null, server: null });
      expect(await load("abc")).toMatchObject({ session: null });
      const sibling = await anotherKey(world.stores, tenantId);
      expect(await load("abc", its.slug, sibling)).toMatchObject({ session: null, server: its });
    });

    it("is null for a key that isn't there", async () => {
      expect(value(await world.stores.snapshots.load(id("key"), null, start))).toEqual({
        snapshot: null,
        session: null,
        server: null,
      });
    });

    it("shows a revoked key as revoked", async () => {
      const { tenantId, keyId } = await caller(world.stores);
      await revokeKey(world.stores, { tenantId, keyId });
      const { snapshot } = value(await world.stores.snapshots.load(keyId, null, start));
      expect(snapshot?.key.revokedAt).toBe(start);
    });

    it("hold no session that was not asked for, has expired, or is another key's", async () => {
      const who = await caller(world.stores);
      const stranger = await caller(world.stores);
      const its = session(who.tenantId, who.keyId, { expiresAt: start + 1 });
      value(await world.stores.sessions.create(its));
      const load = async (keyId: string, sessionId: string | null, now: number) =>
        value(await world.stores.snapshots.load(keyId, sessionId, now)).session;
      expect(await load(who.keyId, its.id, start)).toEqual(its);
      expect(await load(who.keyId, null, start)).toBeNull();
      expect(await load(who.keyId, "", start)).toBeNull();
      expect(await load(who.keyId, its.id, start + 1)).toBeNull();
      expect(await load(stranger.keyId, its.id, start)).toBeNull();
      const sibling = await anotherKey(world.stores, who.tenantId);
      expect(await load(sibling, its.id, start)).toBeNull();
    });
  });
};
