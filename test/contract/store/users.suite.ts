/** People: made once, charged by the keys that are theirs, and forgotten without a trace. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { StoredUser } from "../../../src/domain/tenancy/user.ts";
import { raw } from "../../../src/store/db.ts";
import { consoleSession, event, id, key, opening, start, tenant } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

export const usersSuite = (backend: Backend): void => {
  describe("people", () => {
    const world = givenWorld(backend);
    async function given() {
      const its = tenant();
      value(await world.stores.tenants.create(its, event(its.id)));
      const user: StoredUser = {
        id: `usr_${its.id}`,
        tenantId: its.id,
        finder: "canary-finder",
        name: "Canary",
        keyId: id("key"),
        sealed: "canary-sealed",
        createdAt: start,
        role: null,
        signedInAt: null,
      };
      return { user, tenantId: its.id };
    }
    const keyOf = ({ id: userId, tenantId, keyId }: StoredUser, fields: object = {}) =>
      key(tenantId, { id: keyId, userId, ...fields });
    const made = (user: StoredUser) =>
      world.stores.users.create(user, keyOf(user), event(user.tenantId));

    it("are made once, also where two begin at once", async () => {
      const { user, tenantId } = await given();
      const other = { ...user, id: `${user.id}_2`, keyId: id("key") };
      const both = await Promise.all([made(user), made(other)]);
      expect(both.map(value).toSorted()).toEqual([false, true]);
      const found = value(await world.stores.users.byFinder(tenantId, "canary-finder"));
      const listed = value(await world.stores.keys.list(tenantId, { cursor: null, limit: 9 }));
      expect(listed.data.map((each) => [each.id, each.userId])).toEqual([
        [found?.keyId, found?.id],
      ]);
    });

    it("name the key of their sign-in, and not the other keys that act for them", async () => {
      const { user, tenantId } = await given();
      value(await made(user));
      const own = key(tenantId, { id: id("key"), userId: user.id, name: "laptop" });
      value(await world.stores.keys.create(own, event(tenantId)));
      expect(value(await world.stores.names.of(tenantId, [user.keyId, own.id]))).toEqual({
        [user.keyId]: "Canary’s sign-in",
        [own.id]: "laptop",
      });
    });

    it("keep the first of two keys by which they are found", async () => {
      const { tenantId } = await given();
      const { users } = world.stores;
      for (const sealed of ["v1.first", "v1.second"])
        value(await users.keepFinderKey({ tenantId, sealed, createdAt: start }));
      expect(value(await users.finderKey(tenantId))).toBe("v1.first");
      expect(value(await users.list(tenantId, { cursor: null, limit: 9 })).data).toEqual([]);
    });

    it("stand in records by their ids, also of calls that nobody could read", async () => {
      const { user, tenantId } = await given();
      value(await made(user));
      const { requests, ledger } = world.stores;
      const who = { tenantId, keyId: user.keyId };
      const decoded = { ...opening(who) };
      decoded.who = { ...decoded.who, user: user.id };
      const broken = { ...opening(who), asked: null };
      broken.who = { ...broken.who, user: user.id };
      const stranger = opening({ tenantId, keyId: id("key") });
      for (const each of [decoded, broken, stranger])
        value(await ledger.refuse(each, "internal", null, null));
      const page = { cursor: null, limit: 9 };
      const listed = value(await requests.list(tenantId, { user: user.id }, page)).data;
      expect(listed.map((each) => [each.id, each.who.user, each.asked])).toEqual(
        [broken, decoded].map((each) => [each.id, user.id, each.asked]),
      );
      const all = value(await requests.list(tenantId, {}, page)).data;
      expect(all.find((each) => each.id === stranger.id)?.who).not.toHaveProperty("user");
    });

    it("are forgotten in every table, while their keys are revoked", async () => {
      const { user, tenantId } = await given();
      value(await made(user));
      const signedIn = { kind: "person", name: "Canary", userId: user.id } as const;
      const session = consoleSession(tenantId, "canary-subject", signedIn);
      value(await world.stores.consoleSessions.create(session, event(tenantId)));
      const second = keyOf(user, { id: id("key"), name: "Canary laptop" });
      value(await world.stores.keys.create(second, event(tenantId)));
      const keys = value(await world.stores.users.keysOf(tenantId, user.id)).map((each) => ({
        id: each.id,
        name: "Forgotten",
        code: "c",
        revokedAt: start + 1,
      }));
      expect(keys).toHaveLength(2);
      const of = { tenantId, id: user.id, keys };
      value(await world.stores.users.forget(of, event(tenantId)));
      expect(value(await world.stores.users.get(tenantId, user.id))).toBeNull();
      const listed = value(await world.stores.keys.list(tenantId, { cursor: null, limit: 9 }));
      expect(listed.data.map((each) => each.revokedAt)).toEqual([start + 1, start + 1]);
      const tables = value(
        await world.db.write([raw(sql`select name from sqlite_master where type = 'table'`)]),
      )[0]?.map((row) => String(row["name"]));
      for (const table of tables?.filter((name) => !name.startsWith("_cf")) ?? []) {
        const rows = value(
          await world.db.write([raw(sql`select * from ${sql.identifier(table)}`)]),
        );
        expect([table, JSON.stringify(rows).toLowerCase().includes("canary")]).toEqual([
          table,
          false,
        ]);
      }
    });
  });
};
