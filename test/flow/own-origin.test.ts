/**
 * Where the router believes itself to be: at `PUBLIC_URL`, or at a name of the own machine, and at no other
 * `Host`.
 */
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let local: SharedRouter;
let named: Router;
let fake: AuthorizationServer;
const tenant = "places";

beforeAll(async () => {
  [local, named, fake] = await Promise.all([
    borrowRouter(),
    startRouter({
      env: {
        PUBLIC_URL:
          "https://router.example, https://old.example, https://gateway.example/behind/a/",
        ALLOW_PRIVATE_UPSTREAMS: "true",
        TRUSTED_PROXIES: "127.0.0.1",
      },
    }),
    startAuthorizationServer(),
  ]);
  for (const router of [local, named]) {
    await createTenant(router, tenant, { provider: "demo" });
    const made = await adminOf(router, router.adminToken)("POST", `/tenants/${tenant}/servers`, {
      slug: "mine",
      url: fake.mcpUrl,
      sampling: "router",
      oauth: { grant: "authorization_code", clientId: "public" },
    });
    expect(made.status).toBe(201);
  }
}, 90_000);
afterAll(() => Promise.all([named?.stop(), fake?.stop()]));

interface Said {
  status: number;
  /** null: no JSON */
  body: unknown;
  text: string;
}

/** With a `Host` of the test's own, which `fetch` would overwrite. */
function said(
  router: SharedRouter | Router,
  path: string,
  about: { method?: string; headers: Record<string, string> },
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers } = about;
    const sent = httpRequest(`${router.url}${path}`, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.once("end", () => {
        const body: unknown = text.startsWith("{") ? JSON.parse(text) : null;
        resolve({ status: response.statusCode ?? 0, body, text });
      });
    });
    sent.once("error", reject);
    sent.end();
  });
}

const authorize = (router: SharedRouter | Router, headers: Record<string, string>): Promise<Said> =>
  said(router, `/admin/v1/tenants/${tenant}/servers/mine/authorize`, {
    method: "POST",
    headers: { Authorization: `Bearer ${router.adminToken}`, ...headers },
  });
const redirectOf = ({ body }: Said): string | null =>
  new URL(String(at(body, "authorizationUrl"))).searchParams.get("redirect_uri");
const serversOf = async (
  router: SharedRouter | Router,
  headers: Record<string, string>,
): Promise<unknown> =>
  at((await said(router, "/admin/v1/openapi.json", { headers })).body, "servers");
const portOf = (router: SharedRouter | Router): string => new URL(router.url).port;

describe("without PUBLIC_URL", () => {
  const surfaces = [
    "/v1/sampling",
    "/v1/route",
    "/mcp/places/mine",
    "/admin/v1/tenants",
    "/health",
  ];

  it.each(surfaces)("a page of a foreign name that leads here is refused: %s", async (path) => {
    for (const host of ["evil.example", `evil.example:${portOf(local)}`])
      for (const [scheme, more] of [
        ["http", {}],
        ["https", { "X-Forwarded-Proto": "https" }],
        ["http", { "X-Forwarded-Host": host, Forwarded: `host=${host}` }],
        ["https", { "MF-Original-URL": `https://${host}/` }],
      ] as const)
        for (const method of ["POST", "GET", "OPTIONS"]) {
          const headers = { Host: host, Origin: `${scheme}://${host}`, ...more };
          const answer = await said(local, path, { method, headers });
          expect([answer.status, at(answer.body, "reason")]).toEqual([403, "origin_not_allowed"]);
        }
  });

  it("a page of another program on this machine is refused", async () => {
    const headers = { Host: `localhost:${portOf(local)}`, Origin: "http://localhost:3000" };
    expect((await said(local, "/health", { headers })).status).toBe(403);
  });

  it.each(["127.0.0.1", "localhost", "[::1]"])(
    "a page of the router's own is let in, also over a forwarded port: %s",
    async (name) => {
      for (const host of [`${name}:${portOf(local)}`, `${name}:9000`, name]) {
        const headers = { Host: host, Origin: `http://${host}` };
        expect((await said(local, "/health", { headers })).status).toBe(200);
        expect(await serversOf(local, { Host: host })).toEqual([{ url: `http://${host}` }]);
      }
    },
  );

  it("no authorization begins that would send a person with a code to a foreign name", async () => {
    const forged = await authorize(local, { Host: "evil.example" });
    expect([forged.status, at(forged.body, "reason")]).toEqual([409, "conflict"]);
    expect(String(at(forged.body, "detail"))).toContain("set PUBLIC_URL");
    const asked = await authorize(local, { Host: "localhost:9000" });
    expect(redirectOf(asked)).toBe("http://localhost:9000/oauth/callback");
  });

  it("the description of the API names no foreign host", async () => {
    expect(await serversOf(local, { Host: "evil.example" })).toEqual([{ url: "/" }]);
  });

  it("a caller that is no page may use any name", async () => {
    const headers = { Host: "router.internal", Authorization: `Bearer ${local.adminToken}` };
    expect((await said(local, "/admin/v1/tenants", { headers })).status).toBe(200);
  });
});

describe("with PUBLIC_URL", () => {
  it("pages of the named origins are let in, whatever name a gateway asks with", async () => {
    for (const Origin of ["https://router.example", "https://old.example"])
      for (const Host of ["router.example", "gateway.internal:8080"])
        expect((await said(named, "/health", { headers: { Host, Origin } })).status).toBe(200);
    const headers = { Host: "evil.example", Origin: "http://evil.example" };
    expect((await said(named, "/health", { headers })).status).toBe(403);
  });

  it("a person comes back to a named origin: the one that was asked, or the first", async () => {
    for (const [headers, origin] of [
      [{ Host: "old.example", "X-Forwarded-Proto": "https" }, "https://old.example"],
      [{ Host: "router.example" }, "https://router.example"],
      [{ Host: "evil.example" }, "https://router.example"],
      [{ Host: "localhost:9000" }, "https://router.example"],
    ] as const) {
      expect(redirectOf(await authorize(named, headers))).toBe(`${origin}/oauth/callback`);
      expect(await serversOf(named, headers)).toEqual([{ url: origin }]);
    }
  });

  describe("with the path that a gateway puts before the router", () => {
    const url = "https://gateway.example/behind/a";
    const headers = { Host: "gateway.example", "X-Forwarded-Proto": "https" };

    it("a person comes back to the path, and servers read there who the router is", async () => {
      expect(redirectOf(await authorize(named, headers))).toBe(`${url}/oauth/callback`);
      const document = await said(named, "/oauth/client-metadata.json", { headers });
      expect(document.body).toMatchObject({
        client_id: `${url}/oauth/client-metadata.json`,
        client_uri: url,
        redirect_uris: [`${url}/oauth/callback`],
      });
    });

    it("the description of the API and what is pasted into clients have the path", async () => {
      expect(await serversOf(named, headers)).toEqual([{ url }]);
      const install = await said(named, `/admin/v1/tenants/${tenant}/servers/mine/install`, {
        headers: { Authorization: `Bearer ${named.adminToken}`, ...headers },
      });
      expect(at(install.body, "url")).toBe(`${url}/mcp/${tenant}/mine`);
    });

    it("a person's pages post to where they are, whatever stands before it", async () => {
      for (const page of [`account?tenant=${tenant}`, `connect?tenant=${tenant}&server=mine`]) {
        const { status, text } = await said(named, `/oauth/${page}`, { headers });
        expect(status).toBe(200);
        expect(text).toContain(`action="${page.replace("&", "&amp;")}"`);
      }
    });
  });
});
