/** A server's authorization server that nobody prepared: the router registers itself, and asks for more when more is needed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "unprepared";
let router: SharedRouter;
let fake: AuthorizationServer;
let other: AuthorizationServer;
let key = "";

const admin = (method: string, path: string, body?: unknown) =>
  adminOf(router, router.adminToken)(method, `/tenants/${tenant}${path}`, body);

async function send(slug: string, method: string, by = key) {
  const response = await fetch(`${router.url}/mcp/${tenant}/${slug}`, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${by}`,
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params:
        method === "initialize"
          ? {
              protocolVersion: "2025-11-25",
              capabilities: {},
              clientInfo: { name: "c", version: "1" },
            }
          : {},
    }),
  });
  const text = await response.text();
  const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
  return { status: response.status, text, body: JSON.parse(event || "{}") as Answer };
}
interface Answer {
  result?: object;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** Where an administrator is sent, or why not. */
async function authorize(slug: string) {
  const begun = await admin("POST", `/servers/${slug}/authorize`);
  const url = begun.get("authorizationUrl");
  return {
    detail: String(begun.get("detail")),
    url: String(url),
    asked: typeof url === "string" ? new URL(url).searchParams : new URLSearchParams(),
  };
}
const comeBack = async (by: AuthorizationServer, url: string) =>
  (await fetch(await by.consent(url))).status;

describe("a server whose authorization server nobody prepared", () => {
  beforeAll(async () => {
    [router, fake, other] = await Promise.all([
      borrowRouter(),
      startAuthorizationServer({ registers: true }),
      startAuthorizationServer({ registers: true }),
    ]);
    await createTenant(router, tenant, { provider: "demo" });
    key = await proxyKey(router, tenant);
  }, 120_000);
  afterAll(() => Promise.all([fake.stop(), other.stop()]));

  it("is authorized by a client that registered itself, which also renews its tokens", async () => {
    const oauth = { grant: "authorization_code" };
    await register(router, tenant, { slug: "own", url: fake.mcpUrl, oauth });
    expect((await admin("GET", "/servers/own")).get("oauth.clientId")).toBeNull();
    const { url, asked } = await authorize("own");
    const clientId = asked.get("client_id") ?? "";
    expect(fake.clients.get(clientId)).toEqual({
      secret: null,
      redirectUris: [`${router.url}/oauth/callback`],
    });
    fake.options.expiresIn = 0;
    expect(await comeBack(fake, url)).toBe(200);
    expect((await send("own", "initialize")).body.result).toBeDefined();
    expect(fake.tokenCalls.at(-1)).toEqual({ grant: "refresh_token", outcome: "granted" });
    delete fake.options.expiresIn;
    expect((await authorize("own")).asked.get("client_id")).toBe(clientId);
    // What is sealed beside is not lost, and another client is.
    await admin("PATCH", "/servers/own", { headers: { "X-Own": "1" }, oauth });
    expect((await authorize("own")).asked.get("client_id")).not.toBe(clientId);
    const { text } = await admin("GET", "/events");
    expect(text).toContain(`"registered":"${clientId}"`);
  });

  it("has the router registered anew when another authorization server takes its place", async () => {
    const oauth = { grant: "authorization_code" };
    await register(router, tenant, { slug: "moved", url: fake.mcpUrl, oauth });
    const before = (await authorize("moved")).asked.get("client_id") ?? "";
    fake.options.authorizationServers = [other.url];
    const { url, asked } = await authorize("moved");
    expect(new URL(url).origin).toBe(other.url);
    expect(asked.get("client_id")).not.toBe(before);
    expect(other.clients.has(asked.get("client_id") ?? "")).toBe(true);
    delete fake.options.authorizationServers;
  });

  it("gets no client of another authorization server, and no secret, whoever it names", async () => {
    fake.clients.set("named", { secret: "named-secret", redirectUris: [] });
    const machine = {
      grant: "client_credentials",
      clientId: "named",
      clientSecret: "named-secret",
    };
    await register(router, tenant, { slug: "machine", url: fake.mcpUrl, oauth: machine });
    fake.options.expiresIn = 0;
    expect((await send("machine", "initialize")).body.result).toBeDefined();
    delete fake.options.expiresIn;
    expect((await admin("GET", "/servers/machine")).get("learned.issuer")).toBe(fake.url);
    fake.options.authorizationServers = [other.url];
    const calls = other.tokenCalls.length;
    const check = await admin("POST", "/servers/machine/check");
    expect([check.get("ok"), check.get("detail")]).toEqual([
      false,
      expect.stringContaining("names a different authorization server"),
    ]);
    expect(other.tokenCalls).toHaveLength(calls);
    expect((await admin("GET", "/servers/machine")).get("status")).toBe("failing");
    // Sent anew by an administrator, the client belongs to the server that is named now.
    other.clients.set("named", { secret: "named-secret", redirectUris: [] });
    await admin("PATCH", "/servers/machine", { oauth: machine });
    await admin("POST", "/servers/machine/check");
    expect((await admin("GET", "/servers/machine")).get("learned.issuer")).toBeUndefined();
    expect(other.tokenCalls).toHaveLength(calls + 1);
    delete fake.options.authorizationServers;
  });

  it("gives a machine the scopes that one of its requests needs, within that request", async () => {
    const oauth = {
      grant: "client_credentials",
      clientId: "named",
      clientSecret: "named-secret",
    };
    await register(router, tenant, { slug: "wide", url: fake.mcpUrl, oauth });
    await register(router, tenant, {
      slug: "pinned",
      url: fake.mcpUrl,
      oauth: { ...oauth, scope: "mcp" },
    });
    fake.options.scopeFor = { "tools/list": "list", "prompts/list": "prompts" };
    const let_in = { code: -32601 };
    expect((await send("wide", "tools/list")).body.error).toMatchObject(let_in);
    expect((await send("wide", "prompts/list")).body.error).toMatchObject(let_in);
    expect((await send("wide", "tools/list")).body.error).toMatchObject(let_in);
    expect((await admin("GET", "/servers/wide")).get("learned.scopes")).toEqual([
      "list",
      "prompts",
    ]);
    const withToken = () =>
      fake.mcpCalls.filter(({ authorization }) => authorization !== undefined);
    const sent = withToken().length;
    expect((await send("pinned", "tools/list")).status).toBe(403);
    expect(withToken()).toHaveLength(sent + 1);
    delete fake.options.scopeFor;
  });

  it("is called twice at most where the server names other scopes each time", async () => {
    const oauth = {
      grant: "client_credentials",
      clientId: "named",
      clientSecret: "named-secret",
    };
    await register(router, tenant, { slug: "greedy", url: fake.mcpUrl, oauth });
    fake.options.wantsEverMore = true;
    const before = fake.mcpCalls.length;
    expect((await send("greedy", "tools/list")).status).toBe(403);
    const calls = fake.mcpCalls.slice(before).filter(({ text }) => text.includes("tools/list"));
    expect(calls).toHaveLength(2);
    delete fake.options.wantsEverMore;
  });

  it("says which scopes an administrator has to allow, and has them asked for next", async () => {
    const oauth = { grant: "authorization_code" };
    await register(router, tenant, { slug: "asked", url: fake.mcpUrl, oauth });
    expect(await comeBack(fake, (await authorize("asked")).url)).toBe(200);
    fake.options.scopeFor = { "tools/list": "list" };
    expect((await send("asked", "tools/list")).body.error).toMatchObject({
      message: expect.stringContaining("more scopes for this: list. An administrator") as string,
      data: { reason: "server_unauthorized" },
    });
    expect((await send("asked", "prompts/list")).body.error).toMatchObject({ code: -32601 });
    const { url, asked } = await authorize("asked");
    expect(asked.get("scope")).toBe("mcp list offline_access");
    expect(await comeBack(fake, url)).toBe(200);
    expect((await send("asked", "tools/list")).body.error).toMatchObject({ code: -32601 });
    delete fake.options.scopeFor;
  });

  it("describes itself to servers that read such descriptions", async () => {
    const at = `${router.url}/oauth/client-metadata.json`;
    const response = await fetch(at);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toEqual({
      client_id: at,
      client_uri: router.url,
      client_name: "Sampling Router",
      redirect_uris: [`${router.url}/oauth/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      application_type: "native",
      token_endpoint_auth_method: "none",
    });
  });
});
