import { describe, expect, it } from "vitest";
import { shownSecret } from "../../../src/domain/tenancy/user.ts";
import {
  credential,
  event,
  id,
  key,
  oauthServer,
  ownerNamed,
  server,
  start,
  tenant,
  tokens,
} from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";
import { expectPages } from "./pages.ts";

export const keysSuite = (backend: Backend): void => {
  describe("keys", () => {
    const world = givenWorld(backend);
    const someTenant = async () => {
      const its = tenant();
      value(await world.stores.tenants.create(its, event(its.id)));
      return its.id;
    };
    const stored = async (tenantId: string, fields: Parameters<typeof key>[1] = {}) => {
      const its = key(tenantId, fields);
      value(await world.stores.keys.create(its, event(tenantId)));
      return its;
    };
    const versionOf = async (tenantId: string) =>
      value(await world.stores.tenants.byId(tenantId))?.version ?? 0;
    const hashOf = async (keyId: string) =>
      value(await world.stores.snapshots.load(keyId, null, start)).snapshot?.key.secretHash;

    it("gives back what was put in, and lists it without hash and code", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId, {
        scopes: ["sampling", "tenant-admin"],
        limits: { concurrent: 2 },
        expiresAt: start + 1,
      });
      expect(value(await world.stores.keys.get(tenantId, its.id))).toEqual(its);
      const listed = await world.stores.keys.list(tenantId, { cursor: null, limit: 5 });
      expect(value(listed).data).toEqual([its]);
      expect(value(await world.stores.keys.get(tenantId, id("key")))).toBeNull();
    });

    it("is named beside servers and credentials, revoked or not, and unknown ids are left out", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId, { name: "search" });
      const itsServer = server(tenantId, { slug: "github" });
      value(await world.stores.servers.create(itsServer, event(tenantId)));
      const [plain, second] = [
        credential(tenantId, { provider: "openai", name: "openai" }),
        credential(tenantId, { provider: "openai", name: "batch" }),
      ];
      for (const each of [plain, second])
        value(await world.stores.credentials.create(each, event(tenantId)));
      const revoked = { tenantId, id: its.id, revokedAt: start, code: "revoked" };
      value(await world.stores.keys.revoke(revoked, event(tenantId), await versionOf(tenantId)));
      const { names } = world.stores;
      const ids = [its.id, itsServer.id, plain.id, second.id, id("key"), its.id, tenantId];
      expect(value(await names.of(tenantId, ids))).toEqual({
        [tenantId]: "Tenant",
        [its.id]: "search",
        [itsServer.id]: "github",
        [plain.id]: "openai",
        [second.id]: "openai, batch",
      });
      expect(value(await names.of(tenantId, []))).toEqual({});
    });

    it("raises its tenant's version with every change", async () => {
      const tenantId = await someTenant();
      const { keys } = world.stores;
      const its = await stored(tenantId);
      expect(await versionOf(tenantId)).toBe(2);
      value(
        await keys.replaceSecret(
          { tenantId: tenantId, id: its.id, secretHash: "other", givenTo: [], code: "other" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      expect(await versionOf(tenantId)).toBe(3);
      value(
        await keys.revoke(
          { tenantId: tenantId, id: its.id, revokedAt: start, code: "revoked" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      expect(await versionOf(tenantId)).toBe(4);
    });

    it("changes a key, and only in the version of its tenant that was read", async () => {
      const tenantId = await someTenant();
      const { keys } = world.stores;
      const its = await stored(tenantId, { limits: { concurrent: 2 } });
      const changed = { ...its, name: "New", limits: {}, expiresAt: start + 5, code: "new" };
      expect(await keys.update(changed, event(tenantId), 1)).toMatchObject({
        ok: false,
        error: { reason: "precondition_failed" },
      });
      expect(value(await keys.get(tenantId, its.id))).toEqual(its);
      expect(await versionOf(tenantId)).toBe(2);
      value(await keys.update(changed, event(tenantId), 2));
      expect(value(await keys.get(tenantId, its.id))).toEqual(changed);
      expect(await versionOf(tenantId)).toBe(3);
      const revoked = { tenantId, id: its.id, revokedAt: start, code: "revoked" };
      value(await keys.revoke(revoked, event(tenantId), await versionOf(tenantId)));
      value(await keys.update(its, event(tenantId), 4));
      expect(value(await keys.get(tenantId, its.id))).toMatchObject({ name: "New", limits: {} });
    });

    it("replaces a secret and revokes, and only in the version of its tenant that was read", async () => {
      const tenantId = await someTenant();
      const { keys } = world.stores;
      const its = await stored(tenantId);
      const place = { tenantId, id: its.id, code: "new" };
      const refused = { ok: false, error: { reason: "precondition_failed" } };
      const fresh = { ...place, secretHash: "other", givenTo: [] };
      expect(await keys.replaceSecret(fresh, event(tenantId), 1)).toMatchObject(refused);
      const revoked = { ...place, revokedAt: start };
      expect(await keys.revoke(revoked, event(tenantId), 1)).toMatchObject(refused);
      expect(value(await keys.get(tenantId, its.id))).toEqual(its);
      expect(await versionOf(tenantId)).toBe(2);
    });

    it("ends the accounts that were connected with a secret, and no others", async () => {
      const tenantId = await someTenant();
      const { keys, servers, userTokens } = world.stores;
      const guarded = oauthServer(tenantId, { per: "user" });
      value(await servers.create(guarded, event(tenantId)));
      const [one, other, third] = [
        await stored(tenantId),
        await stored(tenantId),
        await stored(tenantId),
      ];
      const owners = [one, other, third].map((each) => ({
        userId: "usr_1",
        shown: shownSecret(each),
      }));
      const all = [...owners, ownerNamed("usr_1")];
      for (const owner of all)
        value(
          await userTokens
            .of(owner)
            .replace(tokens(tenantId, guarded.id), { event: event(tenantId), now: start }),
        );
      const left = async () => {
        const found = await Promise.all(
          all.map((of) => userTokens.of(of).get(tenantId, guarded.id)),
        );
        return found.map((row) => value(row) !== null);
      };
      expect(await left()).toEqual([true, true, true, true]);
      const place = { tenantId, code: "new" };
      const rotated = { ...place, id: one.id, secretHash: "other", givenTo: [] };
      value(await keys.replaceSecret(rotated, event(tenantId), await versionOf(tenantId)));
      expect(await left()).toEqual([false, true, true, true]);
      const revoked = { ...place, id: other.id, revokedAt: start };
      value(await keys.revoke(revoked, event(tenantId), await versionOf(tenantId)));
      expect(await left()).toEqual([false, false, true, true]);
    });

    it("replaces the secret", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      value(
        await world.stores.keys.replaceSecret(
          { tenantId: tenantId, id: its.id, secretHash: "other", givenTo: [], code: "other" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      expect(await hashOf(its.id)).toBe("other");
    });

    it("keeps a revoked key revoked: it gets neither a new secret nor a later date", async () => {
      const tenantId = await someTenant();
      const { keys } = world.stores;
      const its = await stored(tenantId);
      value(
        await keys.revoke(
          { tenantId: tenantId, id: its.id, revokedAt: start + 1, code: "revoked" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      value(
        await keys.revoke(
          { tenantId: tenantId, id: its.id, revokedAt: start + 2, code: "revoked" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      value(
        await keys.replaceSecret(
          { tenantId: tenantId, id: its.id, secretHash: "other", givenTo: [], code: "other" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      expect(value(await keys.get(tenantId, its.id))).toEqual({
        ...its,
        revokedAt: start + 1,
        code: "revoked",
      });
      expect(await hashOf(its.id)).toBe("hash");
    });

    it("refuses an id that is taken", async () => {
      const tenantId = await someTenant();
      const its = await stored(tenantId);
      const refused = await world.stores.keys.create(its, event(tenantId));
      expect(refused).toMatchObject({ ok: false, error: { reason: "conflict" } });
      expect(await versionOf(tenantId)).toBe(2);
    });

    it("lists page by page, revoked ones too", async () => {
      const tenantId = await someTenant();
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await stored(tenantId)).id);
      value(
        await world.stores.keys.revoke(
          { tenantId: tenantId, id: made[2] ?? "", revokedAt: start, code: "revoked" },
          event(tenantId),
          await versionOf(tenantId),
        ),
      );
      await expectPages((page) => world.stores.keys.list(tenantId, page), made);
    });
  });
};
