/** Registered servers as their administrators see them, and what the router sends to them. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, type Answered } from "../fakes/caller.ts";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

let router: SharedRouter;
let fake: AuthorizationServer;
/** every answer and address that came out of the router here */
const seen: string[] = [];

const clientSecret = "CANARY-client:secret+/%20";
const headerSecret = "CANARY-header-9f31c7d2";

beforeAll(async () => {
  [router, fake] = await Promise.all([borrowRouter(), startAuthorizationServer()]);
  fake.clients.set("confidential", {
    secret: clientSecret,
    redirectUris: [`${router.url}/oauth/callback`],
  });
  fake.clients.set("public", { secret: null, redirectUris: [`${router.url}/oauth/callback`] });
});
afterAll(() => fake?.stop());

async function admin(method: string, path: string, body?: unknown): Promise<Answered> {
  const answer = await adminOf(router, router.adminToken)(method, path, body);
  seen.push(`${JSON.stringify([...answer.headers])} ${answer.text}`);
  return answer;
}

let made = 0;
async function tenant(): Promise<string> {
  made += 1;
  const slug = `servers-${made}`;
  expect((await admin("POST", "/tenants", { slug, name: slug })).status).toBe(201);
  return `/tenants/${slug}`;
}

const clientCredentials = { grant: "client_credentials", clientId: "confidential", clientSecret };
const byCode = { ...clientCredentials, grant: "authorization_code" };

async function register(path: string, more: object = {}): Promise<string> {
  const body = { slug: "mine", url: fake.mcpUrl, sampling: "router", ...more };
  const answer = await admin("POST", `${path}/servers`, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return `${path}/servers/mine`;
}

const actionsOf = async (): Promise<string[]> =>
  ((await admin("GET", "/events?limit=20")).get("data") as { action: string }[]).map(
    ({ action }) => action,
  );

async function comeBack(location: string): Promise<Response & { body_: string }> {
  const response = await fetch(location, { redirect: "manual" });
  const text = await response.text();
  seen.push(`${JSON.stringify([...response.headers])} ${text}`);
  return Object.assign(response, { body_: text });
}

async function authorize(server: string): Promise<{ url: string; state: string }> {
  const begun = await adminOf(router, router.adminToken)("POST", `${server}/authorize`);
  expect([begun.status, begun.text]).toEqual([200, begun.text]);
  return { url: String(begun.get("authorizationUrl")), state: String(begun.get("state")) };
}

describe("servers", () => {
  it("are registered, read, listed, changed and forgotten; secrets never come back", async () => {
    const path = await tenant();
    const created = await admin("POST", `${path}/servers`, {
      slug: "mine",
      url: fake.mcpUrl,
      sampling: "client-then-router",
      headers: { "X-Api-Key": headerSecret },
      policy: { limits: { concurrent: 2 }, toolRounds: 3 },
      oauth: clientCredentials,
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^srv_/) as string,
      tenantId: expect.stringMatching(/^ten_/) as string,
      slug: "mine",
      url: fake.mcpUrl,
      headerNames: ["X-Api-Key"],
      passHeaders: [],
      forwardAuthorization: false,
      sampling: "client-then-router",
      supportedModalities: false,
      auth: "both",
      bridge: "fallback",
      parking: false,
      policy: { limits: { concurrent: 2 }, toolRounds: 3 },
      oauth: {
        grant: "client_credentials",
        clientId: "confidential",
        hasSecret: true,
        tokenEndpoint: null,
        authorizationEndpoint: null,
        scope: null,
        resource: null,
      },
      learned: {},
      status: "active",
      createdAt: expect.any(Number) as number,
      updatedAt: expect.any(Number) as number,
    });
    const one = `${path}/servers/mine`;
    expect((await admin("GET", one)).body).toEqual(created.body);
    expect((await admin("GET", `${path}/servers`)).get("data")).toEqual([created.body]);
    expectProblem(
      await admin("POST", `${path}/servers`, {
        slug: "mine",
        url: fake.mcpUrl,
        sampling: "deny",
      }),
      409,
      "conflict",
    );
    const before = (await admin("GET", path)).get("version");
    const changed = await admin("PATCH", one, {
      sampling: "deny",
      policy: { disabled: true },
      oauth: null,
    });
    expect(changed.body).toEqual({
      ...(created.body as object),
      sampling: "deny",
      policy: { ...(created.get("policy") as object), disabled: true },
      oauth: null,
      updatedAt: changed.get("updatedAt"),
    });
    expect((await admin("GET", path)).get("version")).toBe(Number(before) + 1);
    expect((await actionsOf()).slice(0, 2)).toEqual(["server.update", "server.create"]);
    expect((await admin("DELETE", one)).status).toBe(204);
    for (const [method, suffix, body] of [
      ["GET", "", undefined],
      ["PATCH", "", {}],
      ["DELETE", "", undefined],
      ["POST", "/check", undefined],
      ["POST", "/authorize", undefined],
    ] as const)
      expectProblem(await admin(method, `${one}${suffix}`, body), 404, "not_found");
  });

  it.each([
    ["url", { url: "ftp://x.example/" }],
    ["url", { url: "https://u:p@x.example/" }],
    ["url", { url: "https://x.example/?key=1" }],
    ["headers.Host", { headers: { Host: "x" } }],
    ["headers.X-Sampling-Router-Key", { headers: { "X-Sampling-Router-Key": "x" } }],
    ["passHeaders.0", { passHeaders: ["Authorization"] }],
    ["passHeaders.1", { passHeaders: ["X-A", "Transfer-Encoding"] }],
    ["passHeaders", { passHeaders: "*" }],
    ["headers.X-A", { headers: { "X-A": "a\r\nX-B: b" } }],
    ["forwardAuthorization", { forwardAuthorization: true, oauth: clientCredentials }],
    ["oauth.surprise", { oauth: { ...clientCredentials, surprise: 1 } }],
    ["policy.capture", { policy: { capture: "full" } }],
    ["policy.limits.perDay", { policy: { limits: { perDay: 1 } } }],
    ["sampling", { sampling: "maybe" }],
    ["slug", { slug: "A B" }],
  ])("are refused where they are wrong: %s", async (at, wrong) => {
    const path = await tenant();
    const body = { slug: "mine", url: fake.mcpUrl, sampling: "router", ...wrong };
    const answer = await admin("POST", `${path}/servers`, body);
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe(at);
    expect((await admin("GET", `${path}/servers`)).get("data")).toEqual([]);
  });

  it("get their static headers, and on another host only when given anew", async () => {
    const path = await tenant();
    const one = await register(path, {
      headers: { Authorization: `Basic ${headerSecret}`, "X-Team": "blue" },
    });
    expect((await admin("POST", `${one}/check`)).body).toEqual({
      ok: false,
      status: 401,
      detail: expect.stringContaining("rejected the router's credentials") as string,
      era: null,
      name: null,
      tools: null,
    });
    expect(fake.mcpCalls.at(-1)?.authorization).toBe(`Basic ${headerSecret}`);
    expect(fake.mcpCalls.at(-1)?.headers["x-team"]).toBe("blue");
    // Another path of the same host, and back: kept.
    for (const url of [`${fake.url}/other`, fake.mcpUrl])
      expect((await admin("PATCH", one, { url })).get("url")).toBe(url);
    await admin("POST", `${one}/check`);
    expect(fake.mcpCalls.at(-1)?.authorization).toBe(`Basic ${headerSecret}`);
    const elsewhere = fake.mcpUrl.replace("127.0.0.1", "localhost");
    const refused = await admin("PATCH", one, { url: elsewhere });
    expectProblem(refused, 400, "invalid_params");
    expect(refused.get("path")).toBe("headers");
    const given = await admin("PATCH", one, { url: elsewhere, headers: {} });
    expect([given.get("url"), given.get("headerNames")]).toEqual([elsewhere, []]);
    await admin("POST", `${one}/check`);
    expect(fake.mcpCalls.at(-1)?.authorization).toBeUndefined();
  });

  it("lose the members that a patch sets to null, and keep those that it leaves out", async () => {
    const path = await tenant();
    const policy = { maxTokens: 9, toolRounds: 2, limits: { concurrent: 3, usdPerDay: 4 } };
    const one = await register(path, {
      headers: { "X-Team": "blue" },
      passHeaders: ["X-Workspace"],
      supportedModalities: true,
      policy,
      oauth: clientCredentials,
    });
    const patched = async (change: object) => {
      const answer = await admin("PATCH", one, change);
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return answer;
    };
    expect((await patched({ policy: { maxTokens: null } })).get("policy")).toEqual({
      toolRounds: 2,
      limits: policy.limits,
    });
    expect((await patched({ policy: { limits: { usdPerDay: null } } })).get("policy")).toEqual({
      toolRounds: 2,
      limits: { concurrent: 3 },
    });
    expect((await patched({ policy: { limits: null, disabled: true } })).get("policy")).toEqual({
      toolRounds: 2,
      disabled: true,
    });
    const bare = await patched({
      headers: null,
      passHeaders: null,
      forwardAuthorization: null,
      supportedModalities: null,
      policy: null,
      oauth: null,
    });
    expect(bare.body).toMatchObject({
      headerNames: [],
      passHeaders: [],
      forwardAuthorization: false,
      supportedModalities: false,
      policy: {},
      oauth: null,
    });
    // What a read gives back can be written.
    const given = { ...clientCredentials, tokenEndpoint: null, scope: null, resource: null };
    expect((await patched({ oauth: given })).get("oauth.clientId")).toBe("confidential");
    // What an entry can't be without stays required.
    for (const required of ["url", "sampling"]) {
      const refused = await admin("PATCH", one, { [required]: null });
      expectProblem(refused, 400, "invalid_params");
      expect(refused.get("path")).toBe(required);
    }
  });

  it("become failing when they answer 401, with one event, until they let the router in again", async () => {
    const path = await tenant();
    const one = await register(path, { headers: { Authorization: "Bearer nonsense" } });
    for (let count = 0; count < 3; count += 1) await admin("POST", `${one}/check`);
    expect((await admin("GET", one)).get("status")).toBe("failing");
    const failing = async () => (await admin("GET", path)).get("attention.failingServers");
    expect(await failing()).toBe(1);
    expect((await actionsOf()).slice(0, 2)).toEqual(["server.unauthorized", "server.create"]);
    await admin("PATCH", one, { headers: {}, oauth: clientCredentials });
    expect((await admin("GET", one)).get("status")).toBe("active");
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    expect(await failing()).toBe(0);
  });
});

describe("OAuth by client credentials", () => {
  it.each(["path", "root"] as const)(
    "finds its authorization server by metadata at the %s, and asks once",
    async (metadata) => {
      fake.options.metadata = metadata;
      const path = await tenant();
      const one = await register(path, { oauth: clientCredentials });
      const before = fake.tokenCalls.length;
      for (let count = 0; count < 3; count += 1)
        expect((await admin("POST", `${one}/check`)).body).toEqual({
          ok: true,
          status: 200,
          detail: 'An MCP server "guarded", revision 2025-11-25, no tools.',
          era: "legacy",
          name: "guarded",
          tools: null,
        });
      expect(fake.tokenCalls.slice(before)).toEqual([
        { grant: "client_credentials", outcome: "granted" },
      ]);
      fake.options.metadata = "path";
    },
  );

  it("takes the secret in the body where Basic isn't taken, and survives an odd id token", async () => {
    fake.options.authentication = "client_secret_post";
    fake.options.idToken = "not.a.token";
    const one = await register(await tenant(), { oauth: clientCredentials });
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    fake.options.authentication = "client_secret_basic";
    delete fake.options.idToken;
  });

  it("gets another token when the server refuses the one at hand, and is working again", async () => {
    const one = await register(await tenant(), { oauth: clientCredentials });
    await admin("POST", `${one}/check`);
    const token = fake.mcpCalls.at(-1)?.authorization?.replace("Bearer ", "") ?? "";
    fake.revokeAccess(token);
    expect((await admin("POST", `${one}/check`)).body).toMatchObject({ ok: false, status: 401 });
    expect((await admin("GET", one)).get("status")).toBe("failing");
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    expect((await admin("GET", one)).get("status")).toBe("active");
    expect((await actionsOf()).slice(0, 3)).toEqual([
      "server.working",
      "server.unauthorized",
      "server.create",
    ]);
  });

  it("with a wrong secret is reported without the secret, marks the server, and does not ask again at once", async () => {
    const one = await register(await tenant(), {
      oauth: { ...clientCredentials, clientSecret: `${clientSecret}-wrong` },
    });
    const before = fake.tokenCalls.length;
    for (let count = 0; count < 3; count += 1)
      expect((await admin("POST", `${one}/check`)).body).toEqual({
        ok: false,
        status: null,
        detail: 'Its authorization server answered "invalid_client".',
        era: null,
        name: null,
        tools: null,
      });
    expect(fake.tokenCalls.slice(before)).toEqual([
      { grant: "client_credentials", outcome: "invalid_client" },
    ]);
    expect((await admin("GET", one)).get("status")).toBe("failing");
    // A new entry is tried at once.
    await admin("PATCH", one, { oauth: clientCredentials });
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
  });

  it("is asked for by one of many calls at once", async () => {
    fake.options.tokenDelayMs = 300;
    const one = await register(await tenant(), { oauth: clientCredentials });
    const before = fake.tokenCalls.length;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => admin("POST", `${one}/check`)),
    );
    expect(answers.map((answer) => answer.get("ok"))).toEqual(Array(8).fill(true));
    expect(fake.tokenCalls.length - before).toBe(1);
    delete fake.options.tokenDelayMs;
  });
});

describe("OAuth by authorization code", () => {
  it.each(["confidential", "public"])(
    "of a %s client: a person consents, once",
    async (clientId) => {
      const path = await tenant();
      const oauth =
        clientId === "public" ? { grant: "authorization_code", clientId } : { ...byCode, clientId };
      const one = await register(path, { oauth });
      expect((await admin("POST", `${one}/check`)).get("ok")).toBe(false);
      const { url, state } = await authorize(one);
      const asked = new URL(url).searchParams;
      expect(asked.get("scope")).toBe("mcp offline_access");
      expect(asked.get("resource")).toBe(fake.mcpUrl);
      expect(asked.get("state")).toBe(state);
      const location = await fake.consent(url);
      const done = await comeBack(location);
      expect([done.status, done.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/html/),
      ]);
      expect(done.headers.get("cache-control")).toBe("no-store");
      expect(done.body_).toContain("<b>mine</b>");
      expect((await admin("GET", one)).get("status")).toBe("active");
      expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
      expect((await actionsOf()).slice(0, 2)).toEqual(["server.authorized", "server.authorize"]);
      // The same address once more, as from a browser's history.
      expect((await comeBack(location)).status).toBe(400);
      expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    },
  );

  it("rotates refresh tokens without losing one, however many callers come at once", async () => {
    // Ends within a minute, so each call finds it about to end and asks for another.
    fake.options.expiresIn = 30;
    const one = await register(await tenant(), { oauth: byCode });
    await comeBack(await fake.consent((await authorize(one)).url));
    const before = fake.tokenCalls.length;
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => admin("POST", `${one}/check`)),
      );
      expect(answers.map((answer) => answer.get("ok"))).toEqual(Array(6).fill(true));
    }
    const calls = fake.tokenCalls.slice(before);
    // A reused one would have been refused, and would have ended them all.
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(["granted"]));
    expect(calls.length).toBeGreaterThanOrEqual(3);
    delete fake.options.expiresIn;
  });

  it("says when it was withdrawn, and can be given again", async () => {
    fake.options.expiresIn = 30;
    const one = await register(await tenant(), { oauth: byCode });
    await comeBack(await fake.consent((await authorize(one)).url));
    fake.revokeAll();
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(false);
    expect((await admin("GET", one)).get("status")).toBe("failing");
    await comeBack(await fake.consent((await authorize(one)).url));
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    delete fake.options.expiresIn;
  });

  it("refuses a state that the router did not give out, another issuer, and a refusal by the person", async () => {
    const one = await register(await tenant(), { oauth: byCode });
    const callback = `${router.url}/oauth/callback`;
    for (const query of ["", "?state=", "?code=x&state=x", `?code=x&state=${"A".repeat(43)}`])
      expect((await comeBack(`${callback}${query}`)).status).toBe(400);
    const mixed = new URL(await fake.consent((await authorize(one)).url));
    mixed.searchParams.set("iss", "https://another.test");
    expect((await comeBack(mixed.href)).status).toBe(400);
    mixed.searchParams.set("iss", fake.url);
    // Used up by the attempt.
    expect((await comeBack(mixed.href)).status).toBe(400);
    const silent = new URL(await fake.consent((await authorize(one)).url));
    silent.searchParams.delete("iss");
    expect((await comeBack(silent.href)).status).toBe(400);
    const denied = await comeBack(await fake.consent((await authorize(one)).url, "deny"));
    expect([denied.status, denied.body_]).toEqual([400, expect.stringContaining("access_denied")]);
    const twisted = new URL(await fake.consent((await authorize(one)).url));
    twisted.searchParams.set("code", "code-of-somebody-else");
    expect((await comeBack(twisted.href)).status).toBe(400);
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(false);
  });

  it("ends while it is pending, if the entry is changed", async () => {
    const path = await tenant();
    const one = await register(path, { oauth: byCode });
    const location = await fake.consent((await authorize(one)).url);
    await admin("PATCH", one, { oauth: byCode });
    expect((await comeBack(location)).status).toBe(400);
    const gone = await fake.consent((await authorize(one)).url);
    await admin("DELETE", one);
    expect((await comeBack(gone)).status).toBe(400);
  });

  it("needs PKCE announced, and a server of that grant", async () => {
    fake.options.challengeMethods = ["plain"];
    const one = await register(await tenant(), { oauth: byCode });
    const begun = await admin("POST", `${one}/authorize`);
    expectProblem(begun, 502, "server_unauthorized");
    expect(begun.get("detail")).toContain("PKCE with S256");
    delete fake.options.challengeMethods;
    const other = await register(await tenant(), { oauth: clientCredentials });
    expectProblem(await admin("POST", `${other}/authorize`), 409, "conflict");
  });
});

describe("afterwards", () => {
  it("no secret, token or code is in any answer, log line or file", async () => {
    await admin("GET", "/events?limit=200");
    for (let at = 1; at <= made; at += 1)
      for (const list of ["servers", "sessions", "requests"])
        await admin("GET", `/tenants/servers-${at}/${list}`);
    expect(fake.given.length).toBeGreaterThan(20);
    expect(JSON.stringify(fake.mcpCalls)).toContain(headerSecret);
    const files = readdirSync(router.stateDir, { recursive: true, encoding: "utf8" })
      .map((name) => join(router.stateDir, name))
      .filter((file) => statSync(file).isFile());
    expect(files.some((file) => file.endsWith(".sqlite"))).toBe(true);
    const printed = await printedByRouter();
    const texts = [...seen, printed, ...files.map((file) => readFileSync(file, "latin1"))];
    for (const secret of [clientSecret, headerSecret, ...fake.given])
      expect(texts.some((text) => text.includes(secret))).toBe(false);
  });
});
