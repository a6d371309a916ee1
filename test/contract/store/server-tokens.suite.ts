import { ownerNamed } from "./fixtures.ts";
import { describe, expect, it } from "vitest";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { authorization, event, server, start, tenant, tokens } from "./fixtures.ts";
import { givenWorld, storesOn, value, type Backend } from "./open.ts";

const leaseMs = 30_000;

export const serverTokensSuite = (backend: Backend): void => {
  describe.each(["the tenant's", "a person's"])("tokens of servers, %s", (whose) => {
    const world = givenWorld(backend);
    const tokensOf = ({ serverTokens, userTokens }: Stores) =>
      whose === "the tenant's" ? serverTokens : userTokens.of(ownerNamed("usr_1"));
    const someServer = async (): Promise<[string, string]> => {
      const owner = tenant();
      value(await world.stores.tenants.create(owner, event(owner.id)));
      const its = server(owner.id);
      value(await world.stores.servers.create(its, event(owner.id)));
      return [owner.id, its.id];
    };
    const claim = async (
      its: [string, string],
      lease: string,
      now = start,
      from: string | null = null,
    ) =>
      value(
        await tokensOf(world.stores).claim(...its, {
          from,
          lease,
          now,
          leaseUntil: now + leaseMs,
        }),
      );

    it("are asked for by one caller, until it is done or its lease ends", async () => {
      const its = await someServer();
      expect(value(await tokensOf(world.stores).get(...its))).toBeNull();
      const first = await claim(its, "one");
      expect(first).toMatchObject({ sealed: null, expiresAt: null, fault: null });
      expect(first?.leaseUntil).toBe(start + leaseMs);
      expect(await claim(its, "two")).toBeNull();
      // The same batch sent again finds the lease that it wrote itself.
      expect(await claim(its, "one")).toEqual(first);
      const after = await claim(its, "two", start + leaseMs);
      expect(after?.generation).toBe(first?.generation);
    });

    it("are asked for by one of many that come at once", async () => {
      const its = await someServer();
      const others = [world.stores, storesOn(await world.again())];
      const claims = await Promise.all(
        Array.from({ length: 8 }, async (_, at) =>
          value(
            await tokensOf(others[at % 2] ?? world.stores).claim(...its, {
              from: null,
              lease: `lease-${at}`,
              now: start,
              leaseUntil: start + leaseMs,
            }),
          ),
        ),
      );
      expect(claims.filter((each) => each !== null)).toHaveLength(1);
    });

    it("are not stored for a server that is gone", async () => {
      const [tenantId] = await someServer();
      expect(await claim([tenantId, "srv_gone"], "one")).toBeNull();
      expect(value(await tokensOf(world.stores).get(tenantId, "srv_gone"))).toBeNull();
    });

    it("are stored once for each generation, and a late caller's are dropped", async () => {
      const its = await someServer();
      const serverTokens = tokensOf(world.stores);
      const first = await claim(its, "slow");
      const second = await claim(its, "fast", start + leaseMs);
      const from = first?.generation ?? "";
      expect(second?.generation).toBe(from);
      const fast = { from, generation: "fast", sealed: "v1.fast", expiresAt: 5 };
      expect(value(await serverTokens.save(...its, fast))).toBe(true);
      // The same batch sent again gives the same answer.
      expect(value(await serverTokens.save(...its, fast))).toBe(true);
      const slow = { from, generation: "slow", sealed: "v1.slow", expiresAt: 6 };
      expect(value(await serverTokens.save(...its, slow))).toBe(false);
      value(await serverTokens.fail(...its, { from, fault: "invalid_grant", leaseUntil: 9e12 }));
      expect(value(await serverTokens.get(...its))).toMatchObject({
        generation: "fast",
        sealed: "v1.fast",
        expiresAt: 5,
        leaseUntil: 0,
        fault: null,
      });
    });

    it("are not asked for by a caller that read an older generation", async () => {
      const its = await someServer();
      const serverTokens = tokensOf(world.stores);
      const from = (await claim(its, "one"))?.generation ?? "";
      const fresh = { from, generation: "fresh", sealed: "v1.fresh", expiresAt: 5 };
      value(await serverTokens.save(...its, fresh));
      expect(await claim(its, "two", start, from)).toBeNull();
      expect(await claim(its, "two", start, null)).toBeNull();
      expect(await claim(its, "two", start, "fresh")).toMatchObject({ generation: "fresh" });
    });

    it("are stored by a caller whose lease has ended, if nobody else has stored any", async () => {
      const its = await someServer();
      const first = await claim(its, "slow");
      await claim(its, "next", start + leaseMs);
      const from = first?.generation ?? "";
      const late = { from, generation: "late", sealed: "v1.late", expiresAt: null };
      // Else a refresh token that was spent for this one would be lost.
      expect(value(await tokensOf(world.stores).save(...its, late))).toBe(true);
    });

    it("are asked for again some time after a fault", async () => {
      const its = await someServer();
      const serverTokens = tokensOf(world.stores);
      const first = await claim(its, "one");
      const from = first?.generation ?? "";
      const until = start + 60_000;
      value(await serverTokens.fail(...its, { from, fault: "invalid_grant", leaseUntil: until }));
      expect(await claim(its, "two", until - 1)).toBeNull();
      expect(value(await serverTokens.get(...its))?.fault).toBe("invalid_grant");
      expect(await claim(its, "two", until)).not.toBeNull();
    });

    it("are expired and replaced, with an event, and the server active if they are the tenant's", async () => {
      const its = await someServer();
      const [tenantId, serverId] = its;
      const { events, servers } = world.stores;
      const serverTokens = tokensOf(world.stores);
      value(
        await servers.setStatus(tenantId, serverId, "failing", {
          event: event(tenantId),
          now: start,
        }),
      );
      const granted = tokens(tenantId, serverId, { generation: "granted" });
      const about = { event: event(tenantId, "server.authorized"), now: start };
      value(await serverTokens.replace(granted, about));
      expect(value(await serverTokens.get(...its))).toEqual(granted);
      expect(value(await servers.byId(...its))?.status).toBe(
        whose === "the tenant's" ? "active" : "failing",
      );
      const [newest] = value(await events.list(tenantId, { cursor: null, limit: 1 })).data;
      expect(newest?.action).toBe("server.authorized");
      value(await serverTokens.expire(...its, "another"));
      expect(value(await serverTokens.get(...its))).toEqual(granted);
      value(await serverTokens.expire(...its, "granted"));
      expect(value(await serverTokens.get(...its))).toEqual({ ...granted, expiresAt: 0 });
    });

    it("come with a state that is good once, and not for long", async () => {
      const its = await someServer();
      const { authorizations } = world.stores;
      const [once, late] = [authorization(...its), authorization(...its)];
      for (const each of [once, late]) value(await authorizations.create(each, event(its[0])));
      const taken = await Promise.all(
        Array.from({ length: 4 }, () => authorizations.take(once.id, start)),
      );
      expect(taken.map(value).filter((each) => each !== null)).toEqual([once]);
      expect(value(await authorizations.take(late.id, late.expiresAt))).toBeNull();
      expect(value(await authorizations.prune(late.expiresAt - 1))).toBe(0);
      expect(value(await authorizations.prune(late.expiresAt))).toBe(1);
    });
  });

  describe("tokens of people", () => {
    const world = givenWorld(backend);

    it("are each person's own, beside the tenant's, and are forgotten with what is pending", async () => {
      const { servers, tenants, serverTokens, userTokens, authorizations } = world.stores;
      const owner = tenant();
      value(await tenants.create(owner, event(owner.id)));
      const its = server(owner.id);
      value(await servers.create(its, event(owner.id)));
      const about = () => ({ event: event(owner.id), now: start });
      const grant = (generation: string) => tokens(owner.id, its.id, { generation });
      value(await serverTokens.replace(grant("shared"), about()));
      value(await userTokens.of(ownerNamed("usr_1")).replace(grant("one"), about()));
      value(await userTokens.of(ownerNamed("usr_2")).replace(grant("two"), about()));
      const one = { ...authorization(owner.id, its.id), owner: ownerNamed("usr_1") };
      const two = { ...authorization(owner.id, its.id), owner: ownerNamed("usr_2") };
      for (const each of [one, two])
        value(await authorizations.create(each, event(owner.id, "server.authorize")));
      const generations = async () =>
        Promise.all(
          [
            serverTokens,
            userTokens.of(ownerNamed("usr_1")),
            userTokens.of(ownerNamed("usr_2")),
          ].map(async (store) => value(await store.get(owner.id, its.id))?.generation),
        );
      expect(await generations()).toEqual(["shared", "one", "two"]);
      value(await userTokens.of(ownerNamed("usr_1")).expire(owner.id, its.id, "two"));
      expect(value(await userTokens.of(ownerNamed("usr_2")).get(owner.id, its.id))).toEqual(
        grant("two"),
      );
      const accounts = async (userId: string) =>
        value(await userTokens.accountsOf(owner.id, ownerNamed(userId)));
      const account = { serverId: its.id, server: its.slug, works: true };
      expect(await accounts("usr_1")).toEqual([account]);
      expect(await accounts("usr_3")).toEqual([]);
      expect(value(await userTokens.accountsOf("ten_other", ownerNamed("usr_1")))).toEqual([]);
      value(await userTokens.of(ownerNamed("usr_3")).replace(grant("three"), about()));
      const three = { tenantId: owner.id, owner: ownerNamed("usr_3"), serverId: its.id };
      value(await userTokens.end({ ...three, serverId: "srv_other" }, event(owner.id)));
      value(await userTokens.end({ ...three, tenantId: "ten_other" }, event(owner.id)));
      expect(await accounts("usr_3")).toEqual([account]);
      value(await userTokens.end(three, event(owner.id, "server.disconnect")));
      expect([await accounts("usr_3"), await accounts("usr_1")]).toEqual([[], [account]]);
      value(await userTokens.forget("ten_other", "usr_1"));
      expect(await generations()).toEqual(["shared", "one", "two"]);
      value(await userTokens.forget(owner.id, "usr_1"));
      expect(await generations()).toEqual(["shared", undefined, "two"]);
      expect(value(await authorizations.take(one.id, start))).toBeNull();
      expect(value(await authorizations.take(two.id, start))).toEqual(two);
      value(await servers.remove(owner.id, its.id, event(owner.id)));
      expect(await generations()).toEqual([undefined, undefined, undefined]);
    });
  });
};
