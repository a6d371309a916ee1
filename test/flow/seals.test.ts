/**
 * Somebody can write to the database and does not have MASTER_KEY. No stored secret may be sent to an address
 * from such a write, and no such row may be an API key.
 */
import { createClient, type Client, type InArgs } from "@libsql/client/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAttacker, type Attacker } from "../fakes/attacker.ts";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";
import { adminOf, asking, callOnce, createTenant } from "../fakes/caller.ts";
import { startRecordingProvider, type RecordingProvider } from "../fakes/recording-provider.ts";
import { borrowPair } from "../fakes/shared-pair.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";

const providerKey = "CANARY-provider-key-5b1d";
const headerSecret = "CANARY-header-9f31c7d2";
const clientSecret = "CANARY-client-secret-77aa";

let database: Client;
let router: SharedRouter;
let provider: RecordingProvider;
let authorization: AuthorizationServer;
let attacker: Attacker;

beforeAll(async () => {
  const [pair, ...fakes] = await Promise.all([
    borrowPair("processes on a libSQL server"),
    startRecordingProvider(),
    startAuthorizationServer(),
    startAttacker(),
  ]);
  [provider, authorization, attacker] = fakes;
  authorization.clients.set("confidential", { secret: clientSecret, redirectUris: [] });
  database = createClient({ url: pair.sqldUrl ?? "" });
  [router] = pair.routers;
}, 90_000);
afterAll(async () => {
  database?.close();
  await Promise.all([provider?.stop(), authorization?.stop(), attacker?.stop()]);
});

const admin = (method: string, path: string, body?: unknown) =>
  adminOf(router, router.adminToken)(method, path, body);

/** As the attacker: a statement, and every tenant's version, so that all memories are stale. */
async function write(sql: string, args: InArgs): Promise<void> {
  const { rowsAffected } = await database.execute({ sql, args });
  expect(rowsAffected).toBeGreaterThan(0);
  await database.execute("update tenants set version = version + 1");
}

const models = [{ id: "model", outputModalities: ["text"] }];
const given = (slug: string, more: object = {}) =>
  createTenant(router, slug, {
    provider: "custom",
    apiKey: providerKey,
    baseUrl: provider.url("custom"),
    models,
    ...more,
  });

describe("a provider's key", () => {
  it("goes to no base URL that was written into its row", async () => {
    const { key, credentialId } = await given("moved");
    expect((await callOnce(router, key, asking("hello"))).get("result.role")).toBe("assistant");
    for (const baseUrl of [`${attacker.url}/v1`, `${new URL(provider.url("x")).origin}/v2`]) {
      await write("update credentials set base_url = ? where id = ?", [baseUrl, credentialId]);
      const refused = await callOnce(router, key, asking("hello again"));
      expect(refused.get("error.data.reason")).toBe("provider_failed");
      expect(refused.get("error.message")).toContain("can't be decrypted");
    }
    expect(attacker.heard()).toBe("");
  });

  it("goes to no other row: another provider's, tenant's or credential's", async () => {
    const { key, credentialId } = await given("renamed");
    const other = await given("renamed-too", { apiKey: "CANARY-other-tenant" });
    await write("update credentials set provider = 'other' where id = ?", [credentialId]);
    const renamed = await callOnce(router, key, asking("hello"));
    expect(renamed.text).not.toContain('"result"');
    await write("update credentials set provider = 'custom' where id = ?", [credentialId]);
    provider.says({});
    await write(
      "update credentials set sealed = (select sealed from credentials where id = ?) where id = ?",
      [other.credentialId, credentialId],
    );
    expect((await callOnce(router, key, asking("hello"))).get("error.data.reason")).toBe(
      "provider_failed",
    );
    expect(provider.sent()).toEqual([]);
  });

  it("is sent nowhere else by a model's override", async () => {
    const { key } = await given("override");
    await admin("PUT", "/tenants/override/models/custom/model", { contextTokens: 9_000 });
    await write("update model_overrides set change = ? where model = 'model'", [
      JSON.stringify({ baseUrl: attacker.url, provider: "x", id: `${attacker.url}/x` }),
    ]);
    await callOnce(router, key, asking("hello"));
    expect(attacker.heard()).toBe("");
  });

  it("is needed anew with another origin, and kept with another path", async () => {
    const { key, credentialId } = await given("changed");
    const path = `/tenants/changed/credentials/${credentialId}`;
    const refused = await admin("PATCH", path, { baseUrl: `${attacker.url}/v1` });
    expect([refused.status, refused.get("reason"), refused.get("path")]).toEqual([
      400,
      "invalid_params",
      "apiKey",
    ]);
    const { origin } = new URL(provider.url("custom"));
    expect((await admin("PATCH", path, { baseUrl: `${origin}/v1/` })).status).toBe(200);
    expect((await callOnce(router, key, asking("hello"))).get("result.role")).toBe("assistant");
    const moved = { baseUrl: `${attacker.url}/v1`, apiKey: "given-anew" };
    expect((await admin("PATCH", path, moved)).status).toBe(200);
  });
});

describe("a registered server's secrets", () => {
  const register = async (slug: string, entry: object) => {
    await admin("POST", "/tenants", { slug, name: slug });
    const body = { slug: "mine", url: authorization.mcpUrl, sampling: "deny", ...entry };
    const made = await admin("POST", `/tenants/${slug}/servers`, body);
    expect([made.status, made.text]).toEqual([201, made.text]);
    return { path: `/tenants/${slug}/servers/mine`, id: String(made.get("id")) };
  };
  const tokenEndpoint = () => `${authorization.url}/token`;
  const oauth = () => ({
    grant: "client_credentials",
    clientId: "confidential",
    clientSecret,
    tokenEndpoint: tokenEndpoint(),
  });
  const askAll = async (path: string, why: string) => {
    const checked = await admin("POST", `${path}/check`);
    expect([checked.get("ok"), checked.get("detail")]).toEqual([
      false,
      expect.stringContaining(why) as string,
    ]);
  };

  it("go to no URL that was written into the row", async () => {
    const { path, id } = await register("headers", { headers: { "X-Api-Key": headerSecret } });
    const { origin } = new URL(authorization.mcpUrl);
    for (const url of [`${attacker.url}/mcp`, `${origin}/another`]) {
      await write("update servers set url = ? where id = ?", [url, id]);
      await askAll(path, "can't be opened");
    }
    expect(attacker.heard()).not.toContain(headerSecret);
  });

  it("go to no token endpoint that was written into the row", async () => {
    const { path, id } = await register("tokens", { oauth: oauth() });
    const change = "update servers set oauth = json_set(oauth, ?, ?) where id = ?";
    for (const name of ["tokenEndpoint", "authorizationEndpoint"]) {
      await write(change, [`$.${name}`, `${attacker.url}/steal`, id]);
      await askAll(path, "can't be opened");
      const back = name === "tokenEndpoint" ? tokenEndpoint() : null;
      await write(change, [`$.${name}`, back, id]);
    }
    expect(attacker.heard()).not.toContain(clientSecret);
    expect(attacker.heard()).not.toContain(btoa(`confidential:${clientSecret}`));
    // The row is as it was, and so are its rights.
    await admin("POST", `${path}/check`);
    expect(authorization.tokenCalls.at(-1)?.outcome).toBe("granted");
  });

  it("leave no granted token at another URL", async () => {
    const { path, id } = await register("granted", { oauth: oauth() });
    await admin("POST", `${path}/check`);
    const token = authorization.given.at(-1) ?? "none";
    await write("update servers set url = ? where id = ?", [`${attacker.url}/mcp`, id]);
    await admin("POST", `${path}/check`);
    expect(attacker.heard()).not.toContain(token);
  });

  it("are needed anew with another origin or endpoint, and tokens go", async () => {
    const { path, id } = await register("endpoints", { oauth: oauth() });
    await admin("POST", `${path}/check`);
    const tokens = async () =>
      (
        await database.execute({
          sql: "select 1 from server_tokens where server_id = ?",
          args: [id],
        })
      ).rows.length;
    expect(await tokens()).toBe(1);
    const elsewhere = await admin("PATCH", path, { url: `${attacker.url}/mcp` });
    expect([elsewhere.status, elsewhere.get("path")]).toEqual([400, "oauth"]);
    const { clientSecret: _, ...withoutSecret } = { ...oauth(), grant: "authorization_code" };
    const endpoints = { tokenEndpoint: `${attacker.url}/t`, authorizationEndpoint: attacker.url };
    const kept = await admin("PATCH", path, { oauth: { ...withoutSecret, ...endpoints } });
    expect([kept.status, kept.get("path")]).toEqual([400, "oauth.clientSecret"]);
    expect(await tokens()).toBe(1);
    const anew = { ...oauth(), tokenEndpoint: `${attacker.url}/t`, clientSecret: "given-anew" };
    expect((await admin("PATCH", path, { oauth: anew })).status).toBe(200);
    expect(await tokens()).toBe(0);
  });
});

describe("a row of an API key", () => {
  it("is no key without the router's code", async () => {
    const { key, keyId } = await given("inserted");
    const columns = "tenant_id, name, secret_hash, scopes, limits, created_at, created_by, code";
    const id = `${keyId.slice(0, -1)}${keyId.endsWith("0") ? "1" : "0"}`;
    await write(
      `insert into api_keys (id, ${columns}) select ?, ${columns} from api_keys where id = ?`,
      [id, keyId],
    );
    const forged = key.replace(keyId.slice(4), id.slice(4));
    const refused = await callOnce(router, forged, asking("hello"));
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining("Unknown API key"),
    ]);
    expect((await callOnce(router, key, asking("hello"))).status).toBe(200);
    const { rows } = await database.execute(
      "select target from admin_events where action = 'row.rejected' and target like 'api_keys %'",
    );
    expect(rows.map(({ target }) => target)).toEqual([`api_keys ${id}`]);
  });

  it.each([
    ["scopes", JSON.stringify(["sampling", "tenant-admin", "proxy"])],
    ["limits", JSON.stringify({ concurrent: 900 })],
    ["expires_at", 9_999_999_999_999],
    ["secret_hash", "0".repeat(64)],
    ["tenant_id", "ten_other"],
    ["code", ""],
  ])("is unknown once its %s was changed", async (column, value) => {
    const slug = `changed-${column.replaceAll("_", "-")}`;
    const { key, keyId } = await given(slug);
    expect((await callOnce(router, key, asking("hello"))).status).toBe(200);
    await write(`update api_keys set ${column} = ? where id = ?`, [value, keyId]);
    const refused = await callOnce(router, key, asking("hello"));
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining("Unknown API key"),
    ]);
    // An administrator's new secret does not make somebody else's row good.
    if (column !== "tenant_id")
      expect((await admin("POST", `/tenants/${slug}/keys/${keyId}/rotate`)).status).toBe(404);
  });

  it("stays revoked, though the date was taken away", async () => {
    const { key, keyId } = await given("revived");
    expect((await admin("DELETE", `/tenants/revived/keys/${keyId}`)).status).toBe(204);
    await write("update api_keys set revoked_at = null where id = ?", [keyId]);
    expect((await callOnce(router, key, asking("hello"))).status).toBe(401);
  });

  it("is good again with a new secret that an administrator asked for", async () => {
    const { keyId } = await given("rotated");
    const rotated = await admin("POST", `/tenants/rotated/keys/${keyId}/rotate`);
    expect((await callOnce(router, String(rotated.get("key")), asking("hello"))).status).toBe(200);
  });
});
