import { describe, expect, it } from "vitest";
import { caller, event, session, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const sessionsSuite = (backend: Backend): void => {
  describe("sessions", () => {
    const world = givenWorld(backend);
    const stored = async (
      who: { tenantId: string; keyId: string },
      fields: Parameters<typeof session>[2] = {},
    ) => {
      const its = session(who.tenantId, who.keyId, fields);
      value(await world.stores.sessions.create(its));
      return its;
    };

    it("gives back what was put in, capabilities as they came off the wire", async () => {
      const who = await caller(world.stores);
      const its = await stored(who, {
        capabilities: { sampling: { supportedModalities: ["text", 7] }, experimental: { a: null } },
      });
      expect(value(await world.stores.sessions.get(who.tenantId, its.id))).toEqual(its);
    });

    it("moves the expiry of a live one, and leaves an expired one alone", async () => {
      const who = await caller(world.stores);
      const { sessions } = world.stores;
      const its = await stored(who, { expiresAt: start + 10 });
      value(await sessions.touch(who.tenantId, its.id, start + 9, start + 20));
      const touched = { ...its, lastUsedAt: start + 9, expiresAt: start + 20 };
      expect(value(await sessions.get(who.tenantId, its.id))).toEqual(touched);
      value(await sessions.touch(who.tenantId, its.id, start + 20, start + 40));
      expect(value(await sessions.get(who.tenantId, its.id))).toEqual(touched);
    });

    it("remembers who holds the server's stream", async () => {
      const who = await caller(world.stores);
      const { sessions } = world.stores;
      const its = await stored(who);
      value(await sessions.holdStream(who.tenantId, its.id, { clientStreamUntil: start + 5 }));
      value(await sessions.holdStream(who.tenantId, its.id, { routerStreamUntil: start + 6 }));
      expect(value(await sessions.get(who.tenantId, its.id))).toEqual({
        ...its,
        clientStreamUntil: start + 5,
        routerStreamUntil: start + 6,
      });
    });

    it("finds the newest live session of a bridge, for its own key, server and bridge key alone", async () => {
      const who = await caller(world.stores);
      const other = await caller(world.stores);
      const { sessions } = world.stores;
      const bridge = { to: "legacy", key: "k", initialized: { a: 1 } } as const;
      const fields = { serverId: "srv_1", bridge };
      await stored(who, { ...fields, upstreamId: "a" });
      const newest = await stored(who, { ...fields, upstreamId: "b" });
      await stored(who, { ...fields, upstreamId: "c", expiresAt: start + 1 });
      await stored(who, { serverId: "srv_1", upstreamId: "d" });
      const about = { ...who, serverId: "srv_1", bridgeKey: "k" };
      const found = async (change: Partial<typeof about> = {}) =>
        value(await sessions.bridged({ ...about, ...change }, start + 2));
      expect(await found()).toEqual(newest);
      for (const change of [
        { keyId: other.keyId },
        { tenantId: other.tenantId },
        { serverId: "srv_2" },
        { bridgeKey: "l" },
      ])
        expect(await found(change)).toBeNull();
    });

    it("keep what else of a bridge changes at the same time", async () => {
      const who = await caller(world.stores);
      const { sessions } = world.stores;
      const bridge = { to: "modern", paramHeaders: null, offers: {} } as const;
      const { id } = await stored(who, { serverId: "srv_1", upstreamId: "u", bridge });
      const wrapped = { 'a "tool"': true };
      await Promise.all([
        sessions.amendBridge(who.tenantId, id, { logLevel: "error" }),
        sessions.amendBridge(who.tenantId, id, { paramHeaders: {}, wrapped }),
        sessions.amendBridge(who.tenantId, id, { subscribed: { "made:a": true } }),
        sessions.amendBridge(who.tenantId, id, { subscribed: { 'made:"b"': true } }),
      ]);
      const gone = { subscribed: { "made:a": null }, listener: "l" } as const;
      value(await sessions.amendBridge(who.tenantId, id, gone));
      expect(value(await sessions.get(who.tenantId, id))?.bridge).toEqual({
        to: "modern",
        paramHeaders: {},
        wrapped,
        logLevel: "error",
        offers: {},
        subscribed: { 'made:"b"': true },
        listener: "l",
      });
    });

    it("begin anew when their server gives the same id again", async () => {
      const who = await caller(world.stores);
      const { sessions } = world.stores;
      const through = { serverId: "srv_1", upstreamId: "same" };
      const first = await stored(who, through);
      const second = await stored(who, through);
      const other = await stored(who, { ...through, serverId: "srv_2" });
      const { data } = value(await sessions.list(who.tenantId, { cursor: null, limit: 10 }));
      expect(data.map(({ id }) => id)).toEqual([other.id, second.id]);
      expect(value(await sessions.get(who.tenantId, first.id))).toBeNull();
    });

    it("ends once, with an event when an administrator ends it", async () => {
      const who = await caller(world.stores);
      const { sessions, events } = world.stores;
      const actions = async () =>
        value(await events.list(who.tenantId, { cursor: null, limit: 10 }))
          .data.map(({ action }) => action)
          .filter((action) => action === "session.end");
      const [own, other] = [await stored(who), await stored(who)];
      expect(value(await sessions.end(who.tenantId, own.id, null))).toBe(true);
      expect(await actions()).toEqual([]);
      const ended = event(who.tenantId, "session.end");
      expect(value(await sessions.end(who.tenantId, other.id, ended))).toBe(true);
      expect(await actions()).toEqual(["session.end"]);
      // No session was ended, so no event is written.
      const again = event(who.tenantId, "session.end");
      expect(value(await sessions.end(who.tenantId, other.id, again))).toBe(false);
      expect(await actions()).toEqual(["session.end"]);
      expect(value(await sessions.get(who.tenantId, other.id))).toBeNull();
    });

    it("prunes the expired ones", async () => {
      const who = await caller(world.stores);
      const { sessions } = world.stores;
      const expired = await stored(who, { expiresAt: start + 9 });
      const live = await stored(who, { expiresAt: start + 11 });
      expect(value(await sessions.prune(start + 10))).toBe(1);
      expect(value(await sessions.get(who.tenantId, expired.id))).toBeNull();
      expect(value(await sessions.get(who.tenantId, live.id))).toEqual(live);
    });

    it("lists page by page", async () => {
      const who = await caller(world.stores);
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await stored(who)).id);
      await expectPages((page) => world.stores.sessions.list(who.tenantId, page), made);
    });
  });
};
