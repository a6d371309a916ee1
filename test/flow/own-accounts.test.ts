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
/** Its MCP server is of 2026-07-28. */
let modern: AuthorizationServer;
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

const submit = (key: string, origin = router.url, at = place) =>
  fetch(`${router.url}/oauth/connect${at}`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key }),
  });

/** Shows the key in a browser, and consents at the server. Gives where the browser is sent, and its cookie. */
async function consent(
  key: string,
  {
    by = fake,
    at = place,
    answer = "allow",
  }: { by?: AuthorizationServer; at?: string; answer?: "allow" | "deny" } = {},
) {
  const page = await submit(key, router.url, at);
  const text = await page.text();
  expect([page.status, text]).toEqual([200, text]);
  const [, href = ""] = /href="([^"]+)"/.exec(text) ?? [];
  const asked = href.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const [cookie = ""] = (page.headers.get("set-cookie") ?? "").split(";");
  return { back: await by.consent(asked, answer), cookie };
}

/** By what callers were let in; the router itself asks what a caller needs, without any. */
const bearersOf = ({ mcpCalls }: AuthorizationServer) =>
  mcpCalls.flatMap(({ authorization }) => authorization ?? []);
const bearers = () => bearersOf(fake);

describe("a server at which each person has an account of their own", () => {
  beforeAll(async () => {
    [router, fake, modern] = await Promise.all([
      borrowRouter(),
      startAuthorizationServer(),
      startAuthorizationServer({ isModern: true }),
    ]);
    for (const { clients } of [fake, modern])
      clients.set("public", { secret: null, redirectUris: [`${router.url}/oauth/callback`] });
    await createTenant(router, tenant, { provider: "demo" });
    const oauth = { grant: "authorization_code", clientId: "public", per: "user" };
    url = await register(router, tenant, { slug: "guarded", url: fake.mcpUrl, oauth });
    await register(router, tenant, { slug: "modern", url: modern.mcpUrl, oauth });
  }, 120_000);
  afterAll(() => Promise.all([fake.stop(), modern.stop()]));

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

    // An administrator who makes another key for Ada, or a new secret of hers, gets nothing that she connected.
    const second = { name: "second", scopes: ["proxy"], userId: ada.id };
    const made = await admin("POST", "/keys", second);
    expect((await initialize(String(made.get("key")))).error?.data).toMatchObject({
      reason: "authorization_needed",
    });
    const third = await admin("POST", "/keys", second);
    const own = await consent(String(third.get("key")));
    await fetch(own.back, { headers: { Cookie: own.cookie } });
    expect((await initialize(String(third.get("key")))).result).toBeDefined();
    const rotated = await admin("POST", `/keys/${String(third.get("id"))}/rotate`);
    expect((await initialize(String(rotated.get("key")))).error?.data).toMatchObject({
      reason: "authorization_needed",
    });
    expect((await initialize(ada.key)).result).toBeDefined();

    const his = await consent(bob.key);
    await fetch(his.back, { headers: { Cookie: his.cookie } });
    expect((await initialize(bob.key)).result).toBeDefined();
    expect(new Set(bearers()).size).toBe(3);
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
    const refused = await consent(key, { answer: "deny" });
    const told = await fetch(refused.back, { headers: { Cookie: refused.cookie } });
    expect([told.status, await told.text()]).toEqual([
      400,
      expect.stringContaining("access_denied"),
    ]);
  });

  /** A call of a client of 2026-07-28. */
  async function callModern(key: string, more: object = {}, elicitation: object = { url: {} }) {
    const to = url.replace(/guarded$/, "modern");
    const revision = "2026-07-28";
    const meta = {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation },
    };
    const response = await fetch(to, {
      method: "POST",
      headers: {
        Accept: "application/json, text/event-stream",
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "MCP-Protocol-Version": revision,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "look",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 7,
        method: "tools/call",
        params: { name: "look", arguments: {}, ...more, _meta: meta },
      }),
    });
    const text = await response.text();
    const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
    return JSON.parse(event) as {
      id: unknown;
      result?: { resultType: string; requestState: string; inputRequests: object; content: object };
      error?: { code: number; data: object };
    };
  }

  it("asks a client of 2026-07-28 to open the page, and goes on when the person is back", async () => {
    const mia = await person("mia");
    const at = place.replace(/guarded$/, "modern");
    const connect = `${router.url}/oauth/connect${at}`;
    const asked = await callModern(mia.key);
    const requestState = asked.result?.requestState;
    expect(asked).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {
        resultType: "input_required",
        inputRequests: {
          "sampling-router/connect": {
            method: "elicitation/create",
            params: { mode: "url", message: "Connect your own account at modern.", url: connect },
          },
        },
        requestState,
      },
    });
    const needed = { code: -403, data: { reason: "authorization_needed", url: connect } };
    expect((await callModern(mia.key, {}, { form: {} })).error).toMatchObject(needed);
    const answered = (action: string) => ({
      requestState,
      inputResponses: { "sampling-router/connect": { action } },
    });
    expect((await callModern(mia.key, answered("decline"))).error).toMatchObject(needed);
    // Another person can't go on where this one was asked.
    const other = await person("ned");
    expect((await callModern(other.key, answered("accept"))).error?.code).toBe(-32602);
    const isContinued = callModern(mia.key, answered("accept"));
    const { back, cookie } = await consent(mia.key, { by: modern, at });
    expect(bearersOf(modern)).toEqual([]);
    await fetch(back, { headers: { Cookie: cookie } });
    expect((await isContinued).result?.content).toEqual([{ type: "text", text: "let in" }]);
    for (const { text } of modern.mcpCalls) {
      expect(text).not.toContain("sampling-router/connect");
      expect(text).not.toContain("requestState");
    }
  });

  it("asks a person to allow more where a request needs more, and once", async () => {
    const zoe = await person("zoe");
    const first = await consent(zoe.key);
    await fetch(first.back, { headers: { Cookie: first.cookie } });
    fake.options.scopeFor = { initialize: "begin" };
    const asked = await initialize(zoe.key);
    expect(asked.error).toMatchObject({
      code: -403,
      message: expect.stringContaining("needs more permissions (begin): reconnect") as string,
      data: { reason: "authorization_needed", scopes: ["begin"] },
    });
    const { back, cookie } = await consent(zoe.key);
    await fetch(back, { headers: { Cookie: cookie } });
    expect((await initialize(zoe.key)).result).toBeDefined();
    expect((await admin("GET", "/servers/guarded")).get("learned.scopes")).toEqual(["begin"]);
    delete fake.options.scopeFor;
  });

  it("sends a person to connect anew whose new tokens are refused, too", async () => {
    const lou = await person("lou");
    const { back, cookie } = await consent(lou.key);
    await fetch(back, { headers: { Cookie: cookie } });
    expect((await initialize(lou.key)).result).toBeDefined();
    fake.options.refusesAll = true;
    expect((await initialize(lou.key)).error?.data).toMatchObject({
      reason: "authorization_needed",
    });
    delete fake.options.refusesAll;
    expect((await initialize(lou.key)).result).toBeDefined();
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
