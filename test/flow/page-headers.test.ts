/** Headers for browsers and caches: no secret is kept, and no page stands in another page's frame. */
import { beforeAll, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
beforeAll(async () => {
  router = await borrowRouter();
  await createTenant(router, "pages", { provider: "demo" });
});

it.each(["/console", "/admin/v1/docs", "/oauth/callback?state=x&code=y"])(
  "no other page may put %s into a frame",
  async (path) => {
    const { headers } = await fetch(`${router.url}${path}`);
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  },
);

it("a file of the console is no page of its own", async () => {
  const page = await (await fetch(`${router.url}/console`)).text();
  const files = [...page.matchAll(/console\/assets\/[\w.-]+/g)].map(([name]) => name);
  // The main script, which holds the style as a text; each page's own file is asked for by that script.
  expect(files).toHaveLength(1);
  for (const name of files) {
    const { headers } = await fetch(`${router.url}/${name}`);
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  }
});

it("no cache keeps an answer that shows a secret, nor any other of the admin API", async () => {
  const admin = adminOf(router, router.adminToken);
  const made = await admin("POST", "/tenants/pages/keys", { name: "k", scopes: ["proxy"] });
  expect(made.get("key")).toMatch(/^srk_/);
  const rotated = await admin("POST", `/tenants/pages/keys/${String(made.get("id"))}/rotate`);
  expect(rotated.get("key")).toMatch(/^srk_/);
  for (const { headers } of [
    made,
    rotated,
    await admin("GET", "/tenants/pages/keys"),
    await admin("GET", "/tenants/pages/requests/export"),
    await admin("GET", "/tenants/nobody"),
    await adminOf(router, "wrong-token-of-nobody")("GET", "/tenants"),
  ])
    expect(headers.get("Cache-Control")).toBe("no-store");
  const callback = await fetch(`${router.url}/oauth/callback?state=x&code=y`);
  expect(callback.headers.get("Cache-Control")).toBe("no-store");
});

it("a browser forgets the proof of its one try to connect an account, also where the try is refused", async () => {
  const Cookie = `sr_connect_${new URL(router.url).port}=x`;
  const answer = await fetch(`${router.url}/oauth/callback?state=x&code=y`, {
    headers: { Cookie },
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get("Set-Cookie")).toMatch(/^sr_connect_\d+=; Max-Age=0/);
});
