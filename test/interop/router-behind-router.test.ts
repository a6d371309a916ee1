/** The router as an OAuth client of an authorization server that others wrote: the library in another router. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import { cookiesIn } from "../fakes/oauth-client.ts";
import { connectThrough, proxyKey, register } from "../fakes/proxied.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "behind-another";
let router: SharedRouter;
let remote: Router;
let everything: Awaited<ReturnType<typeof startEverything>>;

/** As a person at the remote router's consent page, who shows an API key. */
async function consent(authorizationUrl: string): Promise<string> {
  const page = await fetch(authorizationUrl);
  const [, handle = ""] = /name="handle" value="([^"]+)"/.exec(await page.text()) ?? [];
  const decided = await fetch(`${remote.url}/oauth/authorize`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: remote.url, Cookie: cookiesIn(page.headers) },
    body: new URLSearchParams({ handle, decision: "allow", key: remote.demoKey }),
  });
  return decided.headers.get("Location") ?? "";
}

describe("a server behind an authorization server of the Workers library", () => {
  beforeAll(async () => {
    const port = String(await freePort());
    const env = {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOW_PRIVATE_UPSTREAMS: "true",
    };
    [router, remote, everything] = await Promise.all([
      borrowRouter(),
      startRouter({ env }),
      startEverything(),
    ]);
    await createTenant(router, tenant, { provider: "demo" });
    await adminOf(remote, remote.adminToken)("POST", "/tenants/demo/servers", {
      slug: "every",
      url: everything.url,
      sampling: "router",
    });
  });
  afterAll(() => Promise.all([remote.stop(), everything.stop()]));

  it("is reached once a person has allowed it, though nobody registered the router there", async () => {
    const admin = adminOf(router, router.adminToken);
    const url = await register(router, tenant, {
      slug: "remote",
      url: `${remote.url}/mcp/demo/every`,
      oauth: { grant: "authorization_code" },
    });
    const one = `/tenants/${tenant}/servers/remote`;
    expect((await admin("POST", `${one}/check`)).get("detail")).toContain("authorize it");
    const begun = await admin("POST", `${one}/authorize`);
    const back = await consent(String(begun.get("authorizationUrl")));
    expect((await fetch(back)).status).toBe(200);
    const client = await connectThrough(url, await proxyKey(router, tenant));
    const echoed = await client.client.callTool({ name: "echo", arguments: { message: "hello" } });
    expect(echoed.content).toEqual([{ type: "text", text: "Echo: hello" }]);
    await client.client.close();
    const clients = await adminOf(remote, remote.adminToken)("GET", "/tenants/demo/grants");
    expect(clients.text).toContain("Sampling Router");
  });
});
