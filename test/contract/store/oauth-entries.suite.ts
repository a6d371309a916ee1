import { sql, type SQL } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { AuthorizationServer } from "../../../src/domain/ports/authorization-server.ts";
import {
  codedEntry,
  issuersOwn,
  type OauthEntryChange,
} from "../../../src/domain/ports/oauth-entries.ts";
import type { RejectedRow } from "../../../src/domain/tenancy/rejected-row.ts";
import { createAuthorizationServer } from "../../../src/oauth/provider/server.ts";
import { loadLibrary } from "../../../src/oauth/provider/surroundings.ts";
import {
  authorizeUrl,
  cookiesIn,
  formRequest,
  pkce,
  redirectUri,
  registration,
  registrationRequest,
} from "../../fakes/oauth-client.ts";
import { assertionFields, createAsserter } from "../../fakes/asserter.ts";
import { ok } from "../../../src/domain/result.ts";
import { raw } from "../../../src/store/db.ts";
import { createOauthEntries } from "../../fakes/oauth-entries.ts";
import { start } from "./fixtures.ts";
import { givenWorld, macOf, storesOn, value, type Backend } from "./open.ts";

const issuer = "https://router.test";
const resource = `${issuer}/mcp/acme/notes`;
const holder = {
  tenantId: "ten_0000000000000000000000000a",
  keyId: "key_0000000000000000000000000a",
};
const user = { id: "u1", name: "somebody" };
const asserter = createAsserter({ issuer: "https://idp.test", audience: issuer, resource });
const library = loadLibrary({
  // The identity provider alone is asked, for its keys.
  fetch: async () => Response.json((await asserter).keys),
  fetchPublic: async () => new Response(null, { status: 404 }),
  allowPrivate: false,
  now: Date.now,
});

interface Pair {
  access_token: string;
  refresh_token: string;
}

export const oauthEntriesSuite = (backend: Backend): void => {
  describe("entries of the authorization server", () => {
    const world = givenWorld(backend);
    const change = (over: Partial<OauthEntryChange> = {}) =>
      world.stores.oauthEntries.change(
        {
          tenantId: "ten_1",
          key: "grant:a",
          value: "one",
          expiresAt: null,
          ifVersion: "absent",
          ...over,
        },
        start,
      );
    const get = async (now = start) =>
      value(await world.stores.oauthEntries.get("ten_1", ["grant:a"], now))[0];

    it("are written only if they are as they were read", async () => {
      expect(value(await change())).toBe(true);
      expect(value(await change({ value: "two" }))).toBe(false);
      const version = (await get())?.version ?? "";
      expect(value(await change({ value: "three", ifVersion: { is: version } }))).toBe(true);
      expect(value(await change({ value: "four", ifVersion: { is: version } }))).toBe(false);
      expect(value(await change({ value: null, ifVersion: { is: version } }))).toBe(false);
      expect((await get())?.value).toBe("three");
      expect(value(await change({ value: null, ifVersion: "any" }))).toBe(true);
      expect(await get()).toBeUndefined();
    });

    it("that have expired count as absent, and are pruned", async () => {
      value(await change({ expiresAt: start + 10 }));
      expect(await get(start + 10)).toBeUndefined();
      expect(value(await world.stores.oauthEntries.prune(start + 9))).toBe(0);
      expect(value(await world.stores.oauthEntries.prune(start + 10))).toBe(1);
    });

    it("make room by the one of their kind that ends first, if it ends soon enough", async () => {
      const { oauthEntries } = world.stores;
      const clients = { prefix: "client:", endsBy: start + 50 };
      for (const [key, expiresAt] of [
        ["client:expired", start],
        ["client:b", start + 20],
        ["client:a", start + 30],
        ["client:later", start + 51],
        ["client:never", null],
        ["transaction:x", start + 1],
      ] as const)
        value(await change({ key, expiresAt }));
      value(await change({ tenantId: "ten_2", key: "client:other", expiresAt: start + 1 }));
      const evicted = async () => value(await oauthEntries.evict("ten_1", clients, start));
      const left = async (): Promise<string[]> => {
        const all = { prefix: "client:", after: "", limit: 9 };
        return value(await oauthEntries.list("ten_1", all, start)).map(({ key }) => key);
      };
      expect([await evicted(), await left()]).toEqual([
        true,
        ["client:a", "client:later", "client:never"],
      ]);
      expect([await evicted(), await evicted(), await left()]).toEqual([
        true,
        false,
        ["client:later", "client:never"],
      ]);
    });

    it("count as missing where a column was changed or copied, and are reported", async () => {
      const expiresAt = start + 10;
      const rejected: RejectedRow[] = [];
      const { oauthEntries } = storesOn(world.db, undefined, undefined, (row) =>
        rejected.push(row),
      );
      const found = async (tenantId: string, key: string) => {
        const got = value(await oauthEntries.get(tenantId, [key], start));
        const all = { prefix: "", after: "", limit: 9 };
        const listed = value(await oauthEntries.list(tenantId, all, start));
        expect(listed).toEqual(got);
        return got.length;
      };
      for (const set of [
        sql`tenant_id = 'ten_2'`,
        sql`key = 'grant:b'`,
        sql`value = 'two'`,
        sql`expires_at = ${expiresAt + 1}`,
        sql`expires_at = null`,
        sql`code = ''`,
        sql`code = ${await (await macOf(8, "oauth-entry")).code(codedEntry({ tenantId: "ten_1", key: "grant:a", value: "one", expiresAt }))}`,
        sql`code = ${await (await macOf(7, "api-key")).code(codedEntry({ tenantId: "ten_1", key: "grant:a", value: "one", expiresAt }))}`,
      ]) {
        value(await change({ value: null, ifVersion: "any" }));
        value(await change({ expiresAt }));
        expect(await found("ten_1", "grant:a")).toBe(1);
        expect(rejected.splice(0)).toEqual([]);
        value(await world.db.write([raw(sql`update oauth_entries set ${set}`)]));
        expect(await found("ten_1", "grant:a")).toBe(0);
        expect(await found("ten_2", "grant:a")).toBe(0);
        expect(await found("ten_1", "grant:b")).toBe(0);
        expect(rejected.splice(0)).toContainEqual(
          expect.objectContaining({ table: "oauth_entries" }),
        );
        value(await world.db.write([raw(sql`delete from oauth_entries`)]));
      }
      // Its version says nothing, so that a write needs no other code.
      value(await change({ expiresAt }));
      value(await world.db.write([raw(sql`update oauth_entries set version = 'x'`)]));
      expect(await found("ten_1", "grant:a")).toBe(1);
    });

    it("are listed whole, however many rows between them don't count", async () => {
      for (const key of ["grant:a", "grant:b", "grant:c", "grant:d", "grant:e"])
        value(await change({ key }));
      const forged = sql`update oauth_entries set value = 'x' where key in ('grant:b', 'grant:c')`;
      value(await world.db.write([raw(forged)]));
      const keys = async (after: string) => {
        const of = { prefix: "grant:", after, limit: 2 };
        const listed = await world.stores.oauthEntries.list("ten_1", of, start);
        return value(listed).map(({ key }) => key);
      };
      expect(await keys("")).toEqual(["grant:a", "grant:d"]);
      expect(await keys("grant:d")).toEqual(["grant:e"]);
    });

    it("are listed and counted by their beginning, tenant by tenant", async () => {
      for (const key of ["grant:a", "grant:b", "token:a"]) value(await change({ key }));
      value(await change({ tenantId: "ten_2", key: "grant:c" }));
      const { oauthEntries } = world.stores;
      const listed = await oauthEntries.list(
        "ten_1",
        { prefix: "grant:", after: "grant:a", limit: 9 },
        start,
      );
      expect(value(listed).map(({ key }) => key)).toEqual(["grant:b"]);
      const counted = await oauthEntries.count("ten_1", { prefix: "grant:", max: 9 }, start);
      expect(value(counted)).toBe(2);
    });
  });

  describe("the authorization server over its entries", () => {
    const world = givenWorld(backend);
    // The library looks at the clock itself.
    let at = Date.now();
    const reused: string[] = [];
    /** A process of its own: it shares the database alone. */
    const settings = (named: string) => ({
      issuer: named,
      assertions: {
        keysOf: async () => ok((await asserter).keysAt),
        grantFor: async () => ok({ holder, user }),
      },
      library: () => library,
      entriesOf: () => world.stores.oauthEntries,
      now: () => at,
      graceMs: 120_000,
      maxClients: 100,
      maxOpenConsents: 100,
      reused: async ({ grantId }: { grantId: string }) => void reused.push(grantId),
    });
    const server = (named = issuer): AuthorizationServer =>
      createAuthorizationServer(settings(named));
    const write = async (statement: SQL) => value(await world.db.write([raw(statement)]))[0] ?? [];

    async function registered(by: AuthorizationServer): Promise<string> {
      const answer = await by.register(registrationRequest(issuer), JSON.stringify(registration));
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { client_id: string }).client_id;
    }

    async function givenCode(by = server()) {
      const clientId = await registered(by);
      const { verifier, challenge } = pkce();
      const opened = await by.open(
        new Request(authorizeUrl(issuer, { clientId, resource, challenge })),
      );
      if (!opened.ok) throw new Error(JSON.stringify(opened.error));
      const { handle, headers } = opened.value;
      const consent = new Request(`${issuer}/oauth/authorize`, {
        method: "POST",
        headers: { Cookie: cookiesIn(headers) },
      });
      const approved = value(await by.approve(consent, handle));
      const to = new URL(value(await by.complete(approved, { holder, user })));
      return { clientId, verifier, code: to.searchParams.get("code") ?? "", to };
    }

    const ask = async (fields: Record<string, string>, by = server()) => {
      const request = formRequest(`${issuer}/oauth/token`, fields);
      const answer = await by.token(request, new URLSearchParams(fields).toString());
      return { status: answer.status, body: (await answer.json()) as Pair & { error?: string } };
    };
    const redeem = (
      { clientId, code, verifier }: Awaited<ReturnType<typeof givenCode>>,
      by = server(),
    ) =>
      ask(
        {
          grant_type: "authorization_code",
          client_id: clientId,
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
        },
        by,
      );
    const refresh = (clientId: string, token: string) =>
      ask({ grant_type: "refresh_token", client_id: clientId, refresh_token: token });
    const sixteen = <T>(work: () => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: 16 }, work));
    const opens = async ({ access_token: token }: Pair): Promise<boolean> =>
      value(await server().check(token, "/mcp/acme/notes")) !== null;

    it("gives tokens for one of sixteen equal codes", async () => {
      const given = await givenCode();
      expect(given.to.searchParams.get("iss")).toBe(issuer);
      const answers = await sixteen(() => redeem(given));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(new Set(refused.map(({ body }) => body.error))).toEqual(new Set(["invalid_grant"]));
    });

    it("gives a token that opens its own resource alone, for the person who consented", async () => {
      const { body } = await redeem(await givenCode());
      const { value: rights } = (await server().check(body.access_token, "/mcp/acme/notes")) as {
        value: unknown;
      };
      expect(rights).toMatchObject({ holder, user, scopes: ["proxy"] });
      expect(value(await server().check(body.access_token, "/mcp/acme/other"))).toBeNull();
      expect(value(await server().check(`${body.access_token}x`, "/mcp/acme/notes"))).toBeNull();
    });

    it("gives no router of another issuer a token that counts there", async () => {
      const { body } = await redeem(await givenCode());
      const { access_token: token } = body;
      const other = server("https://other.test");
      expect(value(await other.check(token, "/mcp/acme/notes"))).toBeNull();
      expect(await opens(body)).toBe(true);
    });

    it("gives a token for one of sixteen equal assertions, and lists its grant", async () => {
      const secret = { token_endpoint_auth_method: "client_secret_post" };
      const answer = await server().register(
        registrationRequest(issuer, secret),
        JSON.stringify({ ...registration, ...secret }),
      );
      const client = (await answer.json()) as { client_id: string; client_secret: string };
      const { client_id, client_secret } = client;
      const assertion = await (await asserter).assertion({ client_id });
      const fields = assertionFields({ client_id, client_secret }, assertion);
      const answers = await sixteen(() => ask(fields));
      const [good, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      const errors = new Set(answers.map(({ body }) => body.error));
      expect(errors).toEqual(new Set([undefined, "invalid_grant"]));
      expect(good?.body.refresh_token).toBeUndefined();
      expect(await opens(good!.body)).toBe(true);
      const [grant] = value(await server().grantsOf(holder.tenantId));
      expect(grant).toMatchObject({ clientId: client_id, resource, scopes: ["proxy"] });
      expect(value(await server().revoke(holder.tenantId, grant!.id))).toBe(true);
      expect(await opens(good!.body)).toBe(false);
    });

    it("answers sixteen equal refreshes at once by one family, and keeps all pairs good", async () => {
      const given = await givenCode();
      const { body } = await redeem(given);
      const answers = await sixteen(() => refresh(given.clientId, body.refresh_token));
      const good = answers.filter(({ status }) => status === 200);
      // The one that replaced the token, and ten by grace.
      expect(good).toHaveLength(11);
      for (const pair of good) expect(await opens(pair.body)).toBe(true);
      at += 30_000;
      const again = await Promise.all(
        good.map((pair) => refresh(given.clientId, pair.body.refresh_token)),
      );
      expect(again.map(({ status }) => status)).toEqual(good.map(() => 200));
      expect(value(await server().grantsOf(holder.tenantId))).toHaveLength(1);
      expect(reused).toEqual([]);
    });

    it("revokes the family when a token comes that was replaced long ago", async () => {
      const given = await givenCode();
      const { body } = await redeem(given);
      const next = await refresh(given.clientId, body.refresh_token);
      expect(next.status).toBe(200);
      at += 120_000;
      expect((await refresh(given.clientId, `${body.refresh_token}x`)).status).toBe(400);
      expect(await opens(next.body)).toBe(true);
      expect((await refresh(given.clientId, body.refresh_token)).body.error).toBe("invalid_grant");
      expect(await opens(next.body)).toBe(false);
      expect((await refresh(given.clientId, next.body.refresh_token)).status).toBe(400);
      expect(reused).toHaveLength(1);
    });

    it("takes no grant and no token from rows that another master key's holder made", async () => {
      const foreign = await macOf(8, "oauth-entry");
      // The attacker runs the same program with a database of their own, and copies the rows.
      const own = createOauthEntries();
      const forger = createAuthorizationServer({ ...settings(issuer), entriesOf: () => own });
      const { body } = await redeem(await givenCode(forger), forger);
      const all = { prefix: "", after: "", limit: 100 };
      const rows = value(await own.list(holder.tenantId, all, at));
      expect(rows.map(({ key }) => key.split(":")[0])).toEqual(["grant", "token"]);
      for (const { key, value: text, version } of rows)
        await write(sql`insert into oauth_entries (tenant_id, key, value, version, code)
          values (${holder.tenantId}, ${key}, ${text}, ${version}, ${await foreign.code(codedEntry({ tenantId: holder.tenantId, key, value: text, expiresAt: null }))})`);
      expect(await opens(body)).toBe(false);
      expect(value(await server().grantsOf(holder.tenantId))).toEqual([]);
    });

    it("keeps no token, code or name as it is", async () => {
      const given = await givenCode();
      const { body } = await redeem(given);
      const { oauthEntries } = world.stores;
      const all = { prefix: "", after: "", limit: 100 };
      const rows = [
        ...value(await oauthEntries.list(holder.tenantId, all, at)),
        ...value(await oauthEntries.list(issuersOwn, all, at)),
      ];
      const text = JSON.stringify(rows);
      const secrets = [given.code, body.access_token, body.refresh_token];
      for (const secret of secrets) expect(text).not.toContain(secret.split(":")[2]);
      expect(text).not.toContain(user.name);
    });

    it("forgets a revoked grant's tokens", async () => {
      const { body } = await redeem(await givenCode());
      const [grant] = value(await server().grantsOf(holder.tenantId));
      expect(grant).toMatchObject({ clientName: "A client", resource, keyId: holder.keyId });
      expect(value(await server().revoke("ten_other", grant?.id ?? ""))).toBe(false);
      expect(value(await server().revoke(holder.tenantId, grant?.id ?? ""))).toBe(true);
      expect(await opens(body)).toBe(false);
    });
  });
};
