/** Sessions of the console: a cookie stands for a key, and for nobody who has not shown the key. */
import { request as httpRequest } from "node:http";
import { createClient } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, at, createTenant } from "../fakes/caller.ts";
import { databaseFilesIn, startRouter, type Router } from "../fakes/router.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let named: Router;
beforeAll(async () => {
  [router, named] = await Promise.all([
    borrowRouter(),
    startRouter({
      env: {
        PUBLIC_URL: "https://router.example, http://plain.example",
        TRUSTED_PROXIES: "127.0.0.1",
      },
    }),
  ]);
}, 90_000);
afterAll(() => named?.stop());

interface Said {
  status: number;
  body: unknown;
  headers: Record<string, string | string[] | undefined>;
  cookies: string[];
}

interface Saying {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** With `Host`, `Origin` and `Cookie` of the test's own, which `fetch` would overwrite. */
function said(to: SharedRouter, path: string, about: Saying = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = about;
    const json = body === undefined ? {} : { "Content-Type": "application/json" };
    const options = { method, headers: { ...json, ...headers } };
    const sent = httpRequest(`${to.url}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text.startsWith("{") ? (JSON.parse(text) as unknown) : null,
          headers: response.headers,
          cookies: response.headers["set-cookie"] ?? [],
        }),
      );
    });
    sent.once("error", reject);
    sent.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
  });
}

const reasonOf = ({ status, body }: Said): [number, unknown] => [status, at(body, "reason")];

interface SignedIn {
  cookie: string;
  csrf: string;
  answer: Said;
}

async function signIn(key: string, more: Saying = {}, to = router): Promise<SignedIn> {
  const answer = await said(to, "/console/session", {
    method: "POST",
    ...more,
    headers: { Origin: to.url, ...more.headers },
    body: { key },
  });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  const cookie = answer.cookies[0]?.split(";")[0] ?? "";
  return { cookie, csrf: String(at(answer.body, "csrf")), answer };
}

const shown = (cookie: string): Promise<Said> =>
  said(router, "/console/session", { headers: { Cookie: cookie } });

/** A change over the admin API, as the console's page makes it unless told otherwise. */
const change = (
  { cookie, csrf }: Pick<SignedIn, "cookie" | "csrf">,
  path: string,
  { method = "PATCH", headers = {}, body = { name: "Changed" } }: Saying = {},
): Promise<Said> =>
  said(router, `/admin/v1${path}`, {
    method,
    headers: { Cookie: cookie, Origin: router.url, "X-CSRF-Token": csrf, ...headers },
    body,
  });

let tenants = 0;
async function tenant(): Promise<{ slug: string; key: string; keyId: string }> {
  const slug = `signed-${(tenants += 1)}`;
  return { slug, ...(await createTenant(router, slug, { provider: "demo" })) };
}

describe("signing in", () => {
  it("with the operator's token gives a cookie that scripts can't read, and what a change needs", async () => {
    const { answer, csrf } = await signIn(router.adminToken);
    expect(answer.body).toEqual({
      csrf,
      actor: { kind: "operator", role: "admin" },
      expiresAt: expect.any(Number) as number,
    });
    expect(csrf).toMatch(/^[\w-]{43}$/);
    const hours = (Number(at(answer.body, "expiresAt")) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    const port = new URL(router.url).port;
    expect(answer.cookies[0]).toMatch(
      new RegExp(
        `^sr_session_${port}=srs_[0-9a-z]{26}_[\\w-]{43}; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax$`,
      ),
    );
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(JSON.stringify(answer.body)).not.toContain("srs_");
  });

  it("with a tenant-admin key shows its tenant, and ends with the key", async () => {
    const { slug } = await tenant();
    const expiresAt = Date.now() + 60_000;
    const made = await adminOf(router, router.adminToken)("POST", `/tenants/${slug}/keys`, {
      name: "short",
      scopes: ["tenant-admin"],
      expiresAt,
    });
    const { answer, cookie } = await signIn(String(made.get("key")));
    expect(answer.body).toMatchObject({
      actor: { kind: "key", role: "admin", name: "short", tenant: slug, id: made.get("id") },
    });
    expect(at(answer.body, "expiresAt")).toBe(expiresAt);
    expect((await shown(cookie)).body).toEqual(answer.body);
  });

  it.each([
    ["no body", "", 400, "bad_request"],
    ["no key", {}, 400, "invalid_params"],
    ["a key that is no text", { key: 7 }, 400, "invalid_params"],
    ["another member", { key: "x", role: "admin" }, 400, "invalid_params"],
    ["a wrong token", { key: "not-the-token-at-all" }, 401, "unauthorized"],
  ])("is refused with %s", async (_, body, status, reason) => {
    const answer = await said(router, "/console/session", {
      method: "POST",
      headers: { Origin: router.url, "Content-Type": "application/json" },
      body,
    });
    expect(reasonOf(answer)).toEqual([status, reason]);
    expect(answer.cookies).toEqual([]);
  });

  it("is refused to a key without a role, and to a revoked one", async () => {
    const { slug, key, keyId } = await tenant();
    const admin = adminOf(router, router.adminToken);
    const made = await admin("POST", `/tenants/${slug}/keys`, { name: "s", scopes: ["sampling"] });
    const post = (shownKey: string): Promise<Said> =>
      said(router, "/console/session", { method: "POST", body: { key: shownKey } });
    expect(reasonOf(await post(String(made.get("key"))))).toEqual([403, "forbidden"]);
    await admin("DELETE", `/tenants/${slug}/keys/${keyId}`);
    expect(reasonOf(await post(key))).toEqual([401, "unauthorized"]);
  });

  it("reads no more of a stranger's body than a key needs", async () => {
    const long = await said(router, "/console/session", {
      method: "POST",
      body: { key: "k".repeat(20_000) },
    });
    expect([long.status, long.body]).toMatchObject([
      413,
      { reason: "payload_too_large", limitBytes: 8_192 },
    ]);
  });

  it("is refused to a form, and to a page of another origin", async () => {
    const form = await said(router, "/console/session", {
      method: "POST",
      headers: { Origin: router.url, "Content-Type": "application/x-www-form-urlencoded" },
      body: `key=${router.adminToken}`,
    });
    expect(reasonOf(form)).toEqual([415, "unsupported_media_type"]);
    const foreign = await said(router, "/console/session", {
      method: "POST",
      headers: { Origin: "https://evil.example" },
      body: { key: router.adminToken },
    });
    expect(reasonOf(foreign)).toEqual([403, "origin_not_allowed"]);
  });

  it("makes a new session, whatever cookie the browser had, and ends the one before", async () => {
    const { slug, key } = await tenant();
    const first = await signIn(key);
    const second = await signIn(key, { headers: { Cookie: first.cookie } });
    expect(second.cookie).not.toBe(first.cookie);
    expect(second.csrf).not.toBe(first.csrf);
    expect((await shown(first.cookie)).status).toBe(401);
    expect((await shown(second.cookie)).status).toBe(200);
    const planted = `${first.cookie.split("=")[0]}=srs_${"0".repeat(26)}_${"A".repeat(43)}`;
    const third = await signIn(key, { headers: { Cookie: planted } });
    expect(third.cookie).not.toBe(planted);
    expect((await shown(planted)).status).toBe(401);
    const log = await adminOf(router, key)("GET", "/events?limit=5");
    const events = log.get("data") as { action: string; detail: object }[];
    expect(events.map(({ action }) => action)).toContain("access.sign_out");
    // Who has a shared key is known by the address alone.
    expect(events.find(({ action }) => action === "access.sign_in")?.detail).toEqual({
      role: expect.any(String) as string,
      address: "127.0.0.1",
    });
    expect([slug, log.text]).not.toContain("srs_");
  });
});

describe("a session", () => {
  it("is shown to its browser, and ends when it signs out", async () => {
    const { key } = await tenant();
    const { cookie, csrf, answer } = await signIn(key);
    expect((await shown(cookie)).body).toEqual(answer.body);
    const leave = (headers: Record<string, string>): Promise<Said> =>
      said(router, "/console/session", {
        method: "DELETE",
        headers: { Cookie: cookie, Origin: router.url, ...headers },
      });
    expect(reasonOf(await leave({}))).toEqual([403, "forbidden"]);
    expect(reasonOf(await leave({ "X-CSRF-Token": `${csrf}x` }))).toEqual([403, "forbidden"]);
    const left = await leave({ "X-CSRF-Token": csrf });
    expect(left.status).toBe(204);
    expect(left.cookies[0]).toMatch(/^sr_session_\d+=; Max-Age=0; Path=\//);
    expect(reasonOf(await shown(cookie))).toEqual([401, "unauthorized"]);
  });

  it("ends when its key is revoked, and when the key gets another secret", async () => {
    for (const end of ["DELETE", "POST"] as const) {
      const { slug, key, keyId } = await tenant();
      const { cookie } = await signIn(key);
      const path = `/tenants/${slug}/keys/${keyId}${end === "POST" ? "/rotate" : ""}`;
      expect((await adminOf(router, router.adminToken)(end, path)).status).toBeLessThan(300);
      expect(reasonOf(await shown(cookie))).toEqual([401, "unauthorized"]);
      const listed = await said(router, "/admin/v1/tenants", { headers: { Cookie: cookie } });
      expect(reasonOf(listed)).toEqual([401, "unauthorized"]);
    }
  });

  it("ends with its tenant", async () => {
    const { slug, key } = await tenant();
    const { cookie } = await signIn(key);
    await adminOf(router, router.adminToken)("DELETE", `/tenants/${slug}`);
    expect(reasonOf(await shown(cookie))).toEqual([401, "unauthorized"]);
  });

  it("can't be made, or given more, by who writes to the database", async () => {
    const { slug, key } = await tenant();
    const { cookie } = await signIn(key);
    const id = `con_${/srs_([0-9a-z]+)_/.exec(cookie)?.[1] ?? ""}`;
    const [file = ""] = databaseFilesIn(router.stateDir);
    const client = createClient({ url: `file:${file}` });
    const set = (text: string) =>
      client.execute({ sql: `update console_sessions set ${text} where id = ?`, args: [id] });
    const { rows } = await client.execute({
      sql: "select * from console_sessions where id = ?",
      args: [id],
    });
    const secret = cookie.slice(-43);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    await set("expires_at = expires_at + 1");
    expect((await shown(cookie)).status).toBe(401);
    await set("expires_at = expires_at - 1");
    expect((await shown(cookie)).status).toBe(200);
    await set("kind = 'operator', subject = 'operator', tenant_id = null");
    expect((await shown(cookie)).status).toBe(401);
    client.close();
    // Once a row and day, however often the row is used.
    const events = await adminOf(router, router.adminToken)("GET", `/tenants/${slug}/events`);
    const found = (events.get("data") as { action: string; target: string }[]).filter(
      ({ action }) => action === "row.rejected",
    );
    expect(found.map(({ target }) => target)).toEqual([`console_sessions ${id}`]);
  });
});

describe("the admin API by a cookie", () => {
  it("reads, and changes with the session's token and the router's own origin", async () => {
    const { slug, key } = await tenant();
    const session = await signIn(key);
    const listed = await said(router, "/admin/v1/tenants", { headers: { Cookie: session.cookie } });
    expect(listed.status).toBe(200);
    expect(at(listed.body, "data.0.slug")).toBe(slug);
    const changed = await change(session, `/tenants/${slug}`);
    expect([changed.status, at(changed.body, "name")]).toEqual([200, "Changed"]);
  });

  it.each([
    ["without the token", { "X-CSRF-Token": "" }, "forbidden"],
    ["with another session's token", { "X-CSRF-Token": "A".repeat(43) }, "forbidden"],
    ["from a foreign origin", { Origin: "https://evil.example" }, "origin_not_allowed"],
    ["from another port", { Origin: "http://127.0.0.1:1" }, "origin_not_allowed"],
  ])("changes nothing %s", async (_, headers, reason) => {
    const { slug, key } = await tenant();
    const session = await signIn(key);
    for (const [method, path, body] of [
      ["PATCH", `/tenants/${slug}`, { name: "Stolen" }],
      ["POST", `/tenants/${slug}/keys`, { name: "k", scopes: ["sampling"] }],
      ["PUT", `/tenants/${slug}/policy`, {}],
      ["DELETE", `/tenants/${slug}/models/demo/none`, ""],
    ] as const) {
      const answer = await change(session, path, { method, headers, body });
      expect([method, ...reasonOf(answer)]).toEqual([method, 403, reason]);
    }
    const tenantNow = await adminOf(router, router.adminToken)("GET", `/tenants/${slug}`);
    expect(tenantNow.get("name")).toBe(slug);
  });

  it("changes nothing without an Origin, which every browser sends with a change", async () => {
    const { slug, key } = await tenant();
    const { cookie, csrf } = await signIn(key);
    const answer = await said(router, `/admin/v1/tenants/${slug}`, {
      method: "PATCH",
      headers: { Cookie: cookie, "X-CSRF-Token": csrf },
      body: { name: "Changed" },
    });
    expect(reasonOf(answer)).toEqual([403, "origin_not_allowed"]);
  });

  it("hides other tenants", async () => {
    const [one, other] = [await tenant(), await tenant()];
    const session = await signIn(one.key);
    expect((await change(session, `/tenants/${other.slug}`)).status).toBe(404);
    const read = await said(router, `/admin/v1/tenants/${other.slug}/requests`, {
      headers: { Cookie: session.cookie },
    });
    expect(reasonOf(read)).toEqual([404, "not_found"]);
  });

  it("prefers Authorization, which needs no token of a session", async () => {
    const [one, other] = [await tenant(), await tenant()];
    const { cookie } = await signIn(one.key);
    const answer = await said(router, `/admin/v1/tenants/${other.slug}`, {
      method: "PATCH",
      headers: { Cookie: cookie, Authorization: `Bearer ${other.key}` },
      body: { name: "By key" },
    });
    expect([answer.status, at(answer.body, "name")]).toEqual([200, "By key"]);
  });

  it("lets no cookie into the sampling API", async () => {
    const { key } = await tenant();
    const { cookie } = await signIn(key);
    const answer = await said(router, "/v1/route", {
      method: "POST",
      headers: { Cookie: cookie, Origin: router.url },
      body: { messages: [], maxTokens: 1 },
    });
    expect(answer.status).toBe(401);
  });
});

describe("over a network", () => {
  const post = (headers: Record<string, string>): Promise<Said> =>
    said(named, "/console/session", {
      method: "POST",
      headers,
      body: { key: named.adminToken },
    });

  it("by https the cookie is for this host alone, also where a proxy speaks http with the router", async () => {
    for (const more of [{ "X-Forwarded-Proto": "https" }, {}]) {
      const Host = "router.example";
      const signedIn = await post({ Host, Origin: "https://router.example", ...more });
      expect(signedIn.status).toBe(200);
      expect(signedIn.cookies[0]).toMatch(
        /^__Host-sr_session=srs_\S+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const Cookie = signedIn.cookies[0]?.split(";")[0] ?? "";
      const read = await said(named, "/console/session", { headers: { Host, Cookie } });
      expect(read.status).toBe(200);
      const plain = Cookie.replace("__Host-sr_session", "sr_session_80");
      const planted = await said(named, "/console/session", { headers: { Host, Cookie: plain } });
      expect(planted.status).toBe(401);
    }
  });

  it("by plain http nobody signs in, and the refusal says what to do", async () => {
    const headers = { Host: "plain.example", Origin: "http://plain.example" };
    const refused = await post(headers);
    expect(reasonOf(refused)).toEqual([403, "forbidden"]);
    expect(String(at(refused.body, "detail"))).toMatch(/https.*tunnel/);
    expect(refused.cookies).toEqual([]);
  });

  it("a caller that guesses is slowed by address, learns when to come back, and is logged", async () => {
    const guess = (from: string, key = "not-the-operators-token"): Promise<Said> =>
      said(named, "/console/session", {
        method: "POST",
        headers: { Host: "127.0.0.1", "X-Forwarded-For": `203.0.113.1, ${from}` },
        body: { key },
      });
    const statuses: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) statuses.push((await guess("192.0.2.9")).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
    const slowed = await guess("192.0.2.9", named.adminToken);
    expect(slowed.body).toMatchObject({ reason: "rate_limited", limit: "signIn.failures" });
    expect(Number(slowed.headers["retry-after"])).toBeGreaterThan(0);
    expect((await guess("192.0.2.10", named.adminToken)).status).toBe(200);
    const log = await adminOf(named, named.adminToken)("GET", "/events?limit=10");
    const failed = (log.get("data") as { action: string; detail: unknown }[]).filter(
      ({ action }) => action === "sign_in.fail",
    );
    expect(failed.map(({ detail }) => detail)).toEqual(
      [4, 2, 1].map((failures) => ({ address: "192.0.2.9", failures })),
    );
    expect(named.output()).toContain('"event":"sign_in.fail"');
    expect(named.output()).not.toContain("not-the-operators-token");
  });
});
