/** Nobody approves calls of their own: people are compared by issuer and subject, whatever they are called. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/crypto/hashes.ts";
import { userHash } from "../../src/crypto/keyed-hash.ts";
import { createMac } from "../../src/crypto/mac.ts";
import { createKeyTokens } from "../../src/crypto/tokens.ts";
import { createVault } from "../../src/crypto/vault.ts";
import type { AdminEvent } from "../../src/domain/admin-event.ts";
import type { ApprovalDecision, HeldCall } from "../../src/domain/ports/approvals.ts";
import type { SealedServer } from "../../src/domain/servers/server.ts";
import { ok } from "../../src/domain/result.ts";
import type { ApprovalPolicy } from "../../src/domain/sampling/approval.ts";
import type { Actor } from "../../src/domain/tenancy/access.ts";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import { createApprovalAdmin } from "../../src/pipeline/admin/approvals.ts";
import { createKeyAdmin } from "../../src/pipeline/admin/keys/keys.ts";
import { createOwnCall, subjectOf } from "../../src/pipeline/admin/access/own-calls.ts";
import { createUserAdmin } from "../../src/pipeline/admin/keys/users.ts";
import { createKeyCodes } from "../../src/pipeline/callers/key-codes.ts";
import { userNamed } from "../../src/pipeline/people/users.ts";
import { raw } from "../../src/store/db.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { event, start, tenant } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const issuer = "https://idp.test";
const ann = { issuer, subject: "u1" };
const bob = { issuer, subject: "u2" };
const operator: Actor = { kind: "operator" };
const forgedRows = 500;

describe("who decides on a held call", () => {
  const world = givenWorld(inlineBackend());
  let slug = "";
  let tenantId = "";
  let parts: Awaited<ReturnType<typeof given>>;

  async function given() {
    const rejected: string[] = [];
    const masters = { master: await sha256("master"), previous: null };
    const keyCodes = createKeyCodes({
      mac: await createMac({ ...masters, purpose: "api-key" }),
      rejected: async ({ table, id }) => void rejected.push(`${table} ${id}`),
    });
    const deps = {
      ...world.stores,
      keyCodes,
      vault: await createVault({ ...masters, randomBytesOf }),
      tokens: createKeyTokens({ randomBytesOf }),
      userHash,
      nonce: () => Buffer.from(randomBytesOf(32)).toString("base64url"),
      ids: createIds({ now: () => start, randomBytesOf }),
      now: () => start,
    };
    return { deps, rejected, keys: createKeyAdmin(deps), ownCall: createOwnCall(deps) };
  }
  beforeEach(async () => {
    const its = tenant();
    [slug, tenantId] = [its.slug, its.id];
    value(await world.stores.tenants.create(its, event(tenantId)));
    parts = await given();
  });

  const person = (identity: typeof ann, name: string): Actor => ({
    kind: "person",
    name,
    tenantId,
    role: "admin",
    identity,
  });
  const operatorsPerson = (identity: typeof ann): Actor => ({
    kind: "operator",
    person: { name: "person:ann@other.test", role: "admin", identity },
  });
  const userOf = async (identity: typeof ann): Promise<string> =>
    value(await userNamed(parts.deps, { tenantId, identity, actor: "operator" })).id;
  const made = async (by: Actor, userId: string | null = null): Promise<string> => {
    const input = { name: "Key", scopes: ["sampling" as const], limits: {}, expiresAt: null };
    return value(await parts.keys.create(by, slug, { ...input, userId })).id;
  };
  const byKey = (keyId: string): Actor => ({
    kind: "key",
    keyId,
    tenantId,
    role: "approver",
    expiresAt: null,
  });
  const isOwn = async (actor: Actor, keyId: string): Promise<boolean> =>
    value(await parts.ownCall(actor, { tenantId, keyId })) !== null;

  describe("where the policy says whether people may decide on calls of their own", () => {
    const contentHash = "ab".repeat(32);
    const own = { reason: "forbidden", action: "a person decides no request of a key of theirs" };

    /** A held call of the key, with what the policies of its tenant and of the asking server say. */
    const deciding = (
      keyId: string,
      rules: { tenant?: ApprovalPolicy; server?: ApprovalPolicy | null } = {},
    ) => {
      const decided: ApprovalDecision[] = [];
      const events: AdminEvent[] = [];
      const approval = { requestId: "req_1", tenantId, keyId, state: "waiting", stage: "request" };
      const held = { approval, serverId: rules.server === undefined ? null : "srv_1" };
      const nothing = async () => ok(null);
      const admin = createApprovalAdmin({
        ...parts.deps,
        tenants: {
          ...world.stores.tenants,
          async bySlug(asked) {
            const found = value(await world.stores.tenants.bySlug(asked));
            const { tenant: approvals } = rules;
            if (found === null || approvals === undefined) return ok(found);
            return ok({ ...found, policy: { approval: approvals } });
          },
        },
        servers: {
          byId: async () =>
            ok({ policy: rules.server ? { approval: rules.server } : {} } as SealedServer),
        },
        approvals: {
          ...world.stores.approvals,
          find: async (place) => ok(place.tenantId === tenantId ? (held as HeldCall) : null),
          async decide(decision, of) {
            decided.push(decision);
            events.push(of);
            return ok({ state: "done" });
          },
        },
        names: { of: async () => ok({}) },
        readContent: nothing,
        endHeld: nothing,
        editHeldCall: async () => ok({ edited: null }),
        slotsOf: async () => ok([]),
        sendWebhooks: () => {},
      });
      const decide = (actor: Actor, of = slug) =>
        admin.decide(actor, of, {
          id: "req_1",
          ifMatch: null,
          input: { decision: "approve", contentHash },
        });
      return { decide, decided, events };
    };
    const self = { mode: "request", approvers: "self" } as const;
    const anyone = { mode: "request" } as const;

    it("refuses them unless it says so", async () => {
      const key = await made(operator, await userOf(ann));
      for (const rules of [
        {},
        { tenant: anyone },
        { tenant: { ...self, approvers: "others" } },
      ] as const) {
        const { decide, decided } = deciding(key, rules);
        expect(await decide(person(ann, "person:ann@corp.test"))).toMatchObject({ error: own });
        expect(decided).toEqual([]);
      }
    });

    it("lets the person decide whose key asks, and says so", async () => {
      const forAnn = await made(operator, await userOf(ann));
      const givenToAnn = await made(person(ann, "person:u1"));
      for (const key of [forAnn, givenToAnn])
        for (const by of [person(ann, "person:ann@corp.test"), operatorsPerson(ann)]) {
          const { decide, decided, events } = deciding(key, { tenant: self });
          expect(await decide(by)).toMatchObject({ ok: true });
          expect(decided).toMatchObject([{ state: "approved", isOwn: true }]);
          expect(decided[0]?.bySubject).toMatch(/^[\w-]{20,}$/);
          expect(events).toMatchObject([{ detail: { isOwn: true } }]);
        }
    });

    it("marks nobody else's decision", async () => {
      const { decide, decided, events } = deciding(await made(operator, await userOf(ann)), {
        tenant: self,
      });
      for (const by of [person(bob, "person:bob@corp.test"), operator]) value(await decide(by));
      expect(decided.map(({ isOwn: marked }) => marked)).toEqual([false, false]);
      expect(events.every(({ detail }) => !("isOwn" in detail))).toBe(true);
    });

    it("never lets the key decide that asks", async () => {
      const annsId = await userOf(ann);
      const key = await made(operator, annsId);
      const { decide, decided } = deciding(key, { tenant: self });
      expect(await decide(byKey(key))).toMatchObject({
        error: { reason: "forbidden", action: "a key decides no request of its own" },
      });
      expect(decided).toEqual([]);
      // Another key of the same person, with a role of its own.
      value(await decide(byKey(await made(operator, annsId))));
      expect(decided).toMatchObject([{ isOwn: true }]);
    });

    it("asks the rule of the server, where that has one", async () => {
      const key = await made(operator, await userOf(ann));
      const by = person(ann, "person:ann@corp.test");
      const refused = deciding(key, { tenant: self, server: anyone });
      expect(await refused.decide(by)).toMatchObject({ error: own });
      value(await deciding(key, { tenant: anyone, server: self }).decide(by));
      value(await deciding(key, { tenant: self, server: null }).decide(by));
    });

    it("leaves calls of other tenants to them", async () => {
      const other = tenant();
      value(await world.stores.tenants.create(other, event(other.id)));
      const key = await made(operator, await userOf(ann));
      const { decide, decided } = deciding(key, { tenant: self });
      const stranger: Actor = {
        ...person(ann, "person:ann@corp.test"),
        tenantId: other.id,
      } as Actor;
      expect(await decide(stranger)).toMatchObject({ error: { reason: "not_found" } });
      expect(await decide(stranger, other.slug)).toMatchObject({ error: { reason: "not_found" } });
      expect(decided).toEqual([]);
    });
  });

  it("is not a person whose address changed since the key was made", async () => {
    const key = await made(person(ann, "person:ann@corp.test"));
    expect(await isOwn(person(ann, "person:ann@new.test"), key)).toBe(true);
    expect(await isOwn(person(ann, "person:u1"), key)).toBe(true);
    // Somebody else who has the address by now.
    expect(await isOwn(person(bob, "person:ann@corp.test"), key)).toBe(false);
    const elsewhere = { issuer: "https://other.test", subject: ann.subject };
    expect(await isOwn(person(elsewhere, "person:ann@corp.test"), key)).toBe(false);
  });

  it("is not a person who rotated the key", async () => {
    const key = await made(operator);
    expect(await isOwn(person(ann, "person:u1"), key)).toBe(false);
    value(await parts.keys.rotate(person(ann, "person:ann@corp.test"), slug, key));
    expect(await isOwn(person(ann, "person:u1"), key)).toBe(true);
    // A call that was asked with the secret before.
    value(await parts.keys.rotate(person(bob, "person:u2"), slug, key));
    expect(await isOwn(person(ann, "person:u1"), key)).toBe(true);
    expect(await isOwn(person(bob, "person:u2"), key)).toBe(true);
  });

  it("is not the person for whom the key is, though they never let a program in", async () => {
    const key = await made(operator, await userOf(ann));
    expect(await isOwn(person(ann, "person:ann@corp.test"), key)).toBe(true);
    expect(await isOwn(person(bob, "person:bob@corp.test"), key)).toBe(false);
  });

  it("is not the same person in the operator's name", async () => {
    const key = await made(person(ann, "person:ann@corp.test"));
    const forAnn = await made(operator, await userOf(ann));
    for (const each of [key, forAnn]) {
      expect(await isOwn(operatorsPerson(ann), each)).toBe(true);
      expect(await isOwn(operatorsPerson(bob), each)).toBe(false);
      expect(await isOwn(operator, each)).toBe(false);
    }
    const byOperators = await made(operatorsPerson(ann));
    expect(await isOwn(person(ann, "person:ann@corp.test"), byOperators)).toBe(true);
  });

  it("is no key of the same person", async () => {
    const annsId = await userOf(ann);
    const asking = await made(person(ann, "person:u1"));
    const forAnn = await made(operator, annsId);
    expect(await isOwn(byKey(asking), asking)).toBe(true);
    expect(await isOwn(byKey(forAnn), asking)).toBe(true);
    expect(await isOwn(byKey(asking), forAnn)).toBe(true);
    expect(await isOwn(byKey(await made(operator, annsId)), forAnn)).toBe(true);
    expect(await isOwn(byKey(await made(operator, await userOf(bob))), asking)).toBe(false);
    // A key that acts for Ann gives its secrets to Ann.
    expect(await isOwn(person(ann, "person:u1"), await made(byKey(forAnn)))).toBe(true);
  });

  it("has one subject, by whatever name or key", async () => {
    const subject = async (actor: Actor) => value(await subjectOf(parts.deps, actor, tenantId));
    const anns = await subject(person(ann, "person:ann@corp.test"));
    expect(anns).toMatch(/^[\w-]{20,}$/);
    const forAnn = await made(operator, await userOf(ann));
    const same = [person(ann, "person:u1"), operatorsPerson(ann), byKey(forAnn)];
    expect(await Promise.all(same.map(subject))).toEqual([anns, anns, anns]);
    expect(await subject(person(bob, "person:ann@corp.test"))).not.toBe(anns);
    expect(await subject(operator)).toBeNull();
    expect(await subject(byKey(await made(operator)))).toBeNull();
  });

  it("is listed with keys and people that the router wrote, on whole pages", async () => {
    const keys: string[] = [];
    for (let n = 0; n < 4; n += 1) keys.push(await made(operator));
    const [, , forged = "", newest = ""] = keys;
    const people = [await userOf(ann), await userOf(bob)].toSorted().toReversed();
    await world.db.write([
      raw(sql`update api_keys set scopes = '["tenant-admin"]' where id = ${forged}`),
      raw(sql`update users set key_id = ${newest} where id = ${people[0]}`),
    ]);
    const rejected: string[] = [];
    const listing = createUserAdmin({
      ...parts.deps,
      rejected: async ({ table, id }) => void rejected.push(`${table} ${id}`),
      grants: () => null,
    });
    const shown = value(await listing.list(operator, slug, { cursor: null, limit: 1 }));
    expect(shown).toMatchObject({ data: [{ id: people[1] }], nextCursor: null });
    expect(rejected).toEqual([`users ${people[0]}`]);
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = value(
        await parts.keys.list(operator, slug, { cursor: cursor ?? null, limit: 2 }),
      );
      if (page.nextCursor !== null) expect(page.data).toHaveLength(2);
      all.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(all).toEqual(expect.arrayContaining(keys.filter((key) => key !== forged)));
    expect(all).not.toContain(forged);
    expect(parts.rejected).toContain(`api_keys ${forged}`);
    expect(await parts.keys.get(operator, slug, forged)).toMatchObject({
      error: { reason: "not_found" },
    });
  });

  it("is found behind a table of forged rows, at a bounded cost for each page", async () => {
    const genuine = await made(operator);
    const columns = sql`tenant_id, name, secret_hash, scopes, limits, created_at, created_by,
      given_to, code`;
    const forge = sql`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${forgedRows})
      insert into api_keys (id, ${columns})
      select 'key_zz' || printf('%024d', n.i), ${columns} from api_keys, n where id = ${genuine}`;
    value(await world.db.write([raw(forge)]));
    let reads = 0;
    const keys = createKeyAdmin({
      ...parts.deps,
      keys: {
        ...world.stores.keys,
        list(id, page) {
          reads += 1;
          return world.stores.keys.list(id, page);
        },
      },
    });
    const readsOfPages: number[] = [];
    const shown: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      reads = 0;
      const page = value(await keys.list(operator, slug, { cursor: cursor ?? null, limit: 50 }));
      readsOfPages.push(reads);
      shown.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(shown).toEqual([genuine]);
    expect(readsOfPages).toEqual([4, 4, 3]);
  });

  it("is nobody where the rows were changed that say whose the key is", async () => {
    const key = await made(person(ann, "person:u1"));
    await world.db.write([raw(sql`update api_keys set given_to = '[]' where id = ${key}`)]);
    const decided = await parts.ownCall(person(ann, "person:u1"), { tenantId, keyId: key });
    expect(decided).toMatchObject({ ok: false, error: { reason: "unreadable" } });
  });
});
