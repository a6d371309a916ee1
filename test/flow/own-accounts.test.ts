/** Each person's own account at a registered server, from outside: two people, one entry, one authorization server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "own-accounts";
const place = `?tenant=${tenant}&server=guarded`;
let router: SharedRouter;
let fake: AuthorizationServer;
let url = "";

const admin = (method: string, path: string, body?: unknown) =>
  adminOf(router, router.adminToken)(method, `/tenants/${tenant}${path}`, body);

/** A person, and an API key that was issued for them. */
async function person(subject: string): Promise<{ id: string; key: string }> {
  const user = await admin("POST", "/users", { issuer: "https://people.test", subject });
  expect([user.status, user.text]).toEqual([200, user.text]);
  const id = String(user.get("id"));
  const made = await admin("POST", "/keys", { name: subject, scopes: ["proxy"], userId: id });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return { id, key: String(made.get("key")) };
}

async function initialize(key: string, capabilities = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities,
        clientInfo: { name: "c", version: "1" },
      },
    }),
  });
  return (await response.json()) as {
    result?: unknown;
    error?: { code: number; message: string; data: Record<string, unknown> };
  };
}

const submit = (key: string, origin = router.url) =>
  fetch(`${router.url}/oauth/connect${place}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key }),
  });

/** Shows the key in a browser, and consents at the server. Gives where the browser is sent, and its cookie. */
async function consent(key: string, answer: "allow" | "deny" = "allow") {
  const page = await submit(key);
  const text = await page.text();
  expect([page.status, text]).toEqual([200, text]);
  const [, href = ""] = /href="([^"]+)"/.exec(text) ?? [];
  const asked = href.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const [cookie = ""] = (page.headers.get("set-cookie") ?? "").split(";");
  return { back: await fake.consent(asked, answer), cookie };
}

const bearers = () => fake.mcpCalls.map(({ authorization }) => authorization);

describe("a server at which each person has an account of their own", () => {
  beforeAll(async () => {
    [router, fake] = await Promise.all([borrowRouter(), startAuthorizationServer()]);
    fake.clients.set("public", { secret: null, redirectUris: [`${router.url}/oauth/callback`] });
    await createTenant(router, tenant, { provider: "demo" });
    url = await register(router, tenant, {
      slug: "guarded",
      url: fake.mcpUrl,
      oauth: { grant: "authorization_code", clientId: "public", per: "user" },
    });
  }, 120_000);
  afterAll(() => fake.stop());

  it("lets each person in by their own account, once they have connected it in their browser", async () => {
    expect((await admin("GET", "/servers/guarded")).get("oauth.per")).toBe("user");
    const [ada, bob] = [await person("ada"), await person("bob")];
    const asked = await initialize(ada.key);
    const connect = `${router.url}/oauth/connect${place}`;
    expect(asked.error).toMatchObject({
      code: -403,
      data: { reason: "authorization_needed", server: "guarded", url: connect },
    });
    expect(asked.error?.message).toContain(connect);
    expect(bearers()).toEqual([]);

    const form = await fetch(connect);
    expect(form.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await form.text()).toContain("Connect your own account at guarded");
    const { back, cookie } = await consent(ada.key);
    const done = await fetch(back, { headers: { Cookie: cookie } });
    expect([done.status, await done.text()]).toEqual([
      200,
      expect.stringContaining("may now use the server <b>guarded</b>"),
    ]);
    expect((await initialize(ada.key)).result).toBeDefined();
    expect((await initialize(bob.key)).error?.data).toMatchObject({
      reason: "authorization_needed",
    });

    const his = await consent(bob.key);
    await fetch(his.back, { headers: { Cookie: his.cookie } });
    expect((await initialize(bob.key)).result).toBeDefined();
    expect(new Set(bearers()).size).toBe(2);
    for (const each of bearers()) expect(each).not.toContain("srk_");
    expect((await admin("GET", "/servers/guarded")).get("status")).toBe("active");

    expect((await admin("DELETE", `/users/${ada.id}`)).status).toBe(204);
    const again = await person("ada");
    expect((await initialize(again.key)).error?.data).toMatchObject({
      reason: "authorization_needed",
    });
    expect((await initialize(bob.key)).result).toBeDefined();
  });

  it("connects no account by another browser, by another site's form, or by a key without a person", async () => {
    const { key } = await person("eve");
    const { back } = await consent(key);
    expect((await fetch(back)).status).toBe(403);
    expect((await initialize(key)).error?.data).toMatchObject({ reason: "authorization_needed" });
    expect((await submit(key, "https://elsewhere.test")).status).toBe(403);
    const nobodys = await proxyKey(router, tenant);
    expect((await submit(nobodys)).status).toBe(403);
    expect((await submit("srk_unknown")).status).toBe(403);
    expect((await initialize(nobodys)).error?.data).toMatchObject({
      reason: "server_unauthorized",
    });
    expect((await admin("POST", "/servers/guarded/authorize")).status).toBe(409);
    const refused = await consent(key, "deny");
    const told = await fetch(refused.back, { headers: { Cookie: refused.cookie } });
    expect([told.status, await told.text()]).toEqual([
      400,
      expect.stringContaining("access_denied"),
    ]);
  });

  it("asks for a person's consent alone: other grants have no people", async () => {
    const oauth = { grant: "client_credentials", clientId: "a", clientSecret: "b", per: "user" };
    const made = await admin("POST", "/servers", {
      slug: "machine",
      url: fake.mcpUrl,
      sampling: "router",
      oauth,
    });
    expect([made.status, made.get("path")]).toEqual([400, "oauth.per"]);
  });
});
