/** Hosted clients: they find the metadata, register, send a person to the consent page, and call with a token. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationFull,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { request as requestByHttp } from "node:http";
import type { Browser } from "playwright-core";
import { startBrowser } from "../fakes/browser.ts";
import { runAuthorizationSuite } from "../fakes/conformance-suite.ts";
import { onOneHost } from "../setup/on-both-hosts.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  authorizeUrl,
  cookiesIn,
  formRequest,
  pkce,
  redirectUri,
  registration,
  registrationRequest,
} from "../fakes/oauth-client.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";
import { accountSuite } from "./oauth-account.ts";
import { peopleSuite } from "./oauth-people.ts";
import { patient } from "../setup/patience.ts";

let router: Router;
let url: string;
let key: string;
let otherKey: string;

const admin = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const answer = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${router.adminToken}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as T;
};

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

const call = (path: string, token: string | null, change: RequestInit = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(initialize),
    ...change,
  });

const notes = "/mcp/acme/notes";
const resource = (): string => `${url}${notes}`;

async function registered(change: object = {}): Promise<string> {
  const answer = await fetch(registrationRequest(url, change));
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { client_id: string }).client_id;
}

let known: Promise<string> | undefined;
/** One client for all tests that no other client's grants or name would disturb: registrations are rationed. */
const knownClient = (): Promise<string> => (known ??= registered());

interface Page {
  cookie: string;
  handle: string;
  text: string;
  response: Response;
}

/** As a browser: it keeps the page's cookie and follows nothing. */
async function opened(at: string): Promise<Page> {
  const response = await fetch(at, { redirect: "manual" });
  const text = await response.text();
  const handle = /name="handle" value="([^"]+)"/.exec(text)?.[1] ?? "";
  return { cookie: cookiesIn(response.headers), handle, text, response };
}

const decide = (
  { cookie, handle }: Pick<Page, "cookie" | "handle">,
  fields: Record<string, string>,
): Promise<Response> => {
  const request = formRequest(`${url}/oauth/authorize`, { handle, ...fields });
  request.headers.set("Cookie", cookie);
  return fetch(new Request(request, { redirect: "manual" }));
};

const allow = { decision: "allow" };
const locationOf = (answer: Response): URL => new URL(answer.headers.get("Location") ?? "");

async function exchanged(fields: Record<string, string>) {
  const answer = await fetch(formRequest(`${url}/oauth/token`, fields));
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, body };
}

async function givenCode(change: Record<string, string> = {}, by = key) {
  const clientId = await registered();
  const { verifier, challenge } = pkce();
  const page = await opened(
    authorizeUrl(url, { clientId, resource: resource(), challenge, ...change }),
  );
  const answer = await decide(page, { ...allow, key: by });
  expect(answer.status).toBe(302);
  return { clientId, verifier, code: locationOf(answer).searchParams.get("code") ?? "" };
}

const codeFields = (given: { clientId: string; verifier: string; code: string }) => ({
  grant_type: "authorization_code",
  client_id: given.clientId,
  code: given.code,
  code_verifier: given.verifier,
  redirect_uri: redirectUri,
});

async function givenToken(): Promise<{ access: string; refresh: string; clientId: string }> {
  const given = await givenCode();
  const { status, body } = await exchanged(codeFields(given));
  expect(status).toBe(200);
  return {
    access: body["access_token"] ?? "",
    refresh: body["refresh_token"] ?? "",
    clientId: given.clientId,
  };
}

/** Where the person's browser goes on, once the person has allowed it. */
type Consent = (page: URL) => Promise<URL>;
const consentByForm: Consent = async (page) =>
  locationOf(await decide(await opened(page.href), { ...allow, key }));

type Discovery = Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];

/** A client of the SDK with nothing but the URL, whose person has the key and allows. */
function person(
  consent: Consent = consentByForm,
): OAuthClientProvider & { code: () => string; answer: () => URLSearchParams } {
  let information: OAuthClientInformationFull | undefined;
  let kept: OAuthTokens | undefined;
  let verifier = "";
  let discovery: Discovery | undefined;
  let answer = new URLSearchParams();
  return {
    redirectUrl: redirectUri,
    clientMetadata: registration,
    clientInformation: () => information,
    saveClientInformation: (given) => void (information = given as OAuthClientInformationFull),
    tokens: () => kept,
    saveTokens: (given) => void (kept = given),
    saveDiscoveryState: (given) => void (discovery = given),
    discoveryState: () => discovery,
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    async redirectToAuthorization(to) {
      answer = (await consent(to)).searchParams;
    },
    code: () => answer.get("code") ?? "",
    answer: () => answer,
  };
}

let upstream: { url: string; stop: () => Promise<void> };

beforeAll(async () => {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  router = await startRouter({
    env: {
      PORT: port,
      PUBLIC_URL: url,
      ALLOW_PRIVATE_UPSTREAMS: "true",
      TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  upstream = await startEverything();
  for (const slug of ["acme", "other"]) await admin("POST", "/tenants", { slug, name: slug });
  const server = { url: upstream.url, sampling: "router" };
  for (const [tenant, slug, more] of [
    ["acme", "notes", {}],
    ["acme", "second", {}],
    ["acme", "keys-alone", { auth: "keys" }],
    ["acme", "oauth-alone", { auth: "oauth" }],
    ["other", "notes", {}],
  ] as const)
    await admin("POST", `/tenants/${tenant}/servers`, { slug, ...server, ...more });
  const made = (tenant: string) =>
    admin<{ key: string }>("POST", `/tenants/${tenant}/keys`, { name: "k", scopes: ["proxy"] });
  key = (await made("acme")).key;
  otherKey = (await made("other")).key;
}, 120_000);
afterAll(async () => {
  await router?.stop();
  await upstream?.stop();
});

const challengeOf = (answer: Response): string => answer.headers.get("WWW-Authenticate") ?? "";

/** @returns how many tools the client sees */
async function connectedV1(provider: ReturnType<typeof person>): Promise<number> {
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(resource()), { authProvider: provider });
  const first = transport();
  await expect(new Client({ name: "v1", version: "1" }).connect(first)).rejects.toThrow();
  await first.finishAuth(provider.code());
  const client = new Client({ name: "v1", version: "1" });
  await client.connect(transport());
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

async function connectedV2(
  provider: ReturnType<typeof person>,
  answer = () => provider.answer(),
): Promise<number> {
  const transport = (): TransportV2 =>
    new TransportV2(new URL(resource()), { authProvider: provider });
  const first = transport();
  await expect(new ClientV2({ name: "v2", version: "1" }).connect(first)).rejects.toThrow();
  await first.finishAuth(answer());
  const client = new ClientV2({ name: "v2", version: "1" });
  await client.connect(transport());
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

describe("a person's browser", () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()), 60_000);
  afterAll(() => browser?.close());

  it("shows what was let in by a key, and ends one of it", async () => {
    await givenToken();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}/oauth/account?tenant=acme`);
    await page.getByLabel("The API key").fill(key);
    await page.getByRole("button", { name: "Go on" }).click();
    const end = page.getByRole("button", { name: "End the access of" });
    await end.first().waitFor();
    const before = await end.count();
    await end.first().click();
    await expect.poll(() => end.count()).toBe(before - 1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("The API key").waitFor();
    await context.close();
  });

  /** Nobody listens where the browser goes on: the address is what counts. */
  const consent: Consent = async (to) => {
    const page = await browser.newPage();
    await page.goto(to.href);
    await page.locator("#key").fill(key);
    const left = page.waitForRequest((asked) => asked.url().startsWith(redirectUri));
    await page.getByRole("button", { name: "Allow" }).click({ noWaitAfter: true });
    const back = new URL((await left).url());
    await page.close();
    return back;
  };

  it("lets in clients of SDK v1 and v2 that have nothing but the URL", async () => {
    expect(await connectedV1(person(consent))).toBeGreaterThan(0);
    expect(await connectedV2(person(consent))).toBeGreaterThan(0);
  });

  it("shows no consent page in a frame", async () => {
    const page = await browser.newPage();
    const refused = page.waitForEvent("console", {
      predicate: (message) => message.text().includes("frame-ancestors"),
    });
    const of = { clientId: await knownClient(), resource: resource(), ...pkce() };
    await page.setContent("<h1>Win a prize</h1><iframe></iframe>");
    await page.locator("iframe").evaluate(
      (frame: HTMLIFrameElement, to) => {
        frame.src = to;
      },
      authorizeUrl(url, of),
    );
    await refused;
    expect(await page.frames()[1]?.locator("form").count()).toBe(0);
    await page.close();
  });
});

onOneHost(() => {
  describe("the official conformance suite", () => {
    it("finds an authorization server that keeps its rules", async () => {
      const results = await runAuthorizationSuite({
        url,
        clientId: await knownClient(),
        resource: resource(),
        port: await freePort(),
        consent: (page) => consentByForm(new URL(page)),
      });
      expect([...results.keys()].toSorted()).toEqual([
        "authorization-code-grant",
        "authorization-server-metadata-endpoint",
      ]);
      const checks = [...results.values()].flat();
      const failed = checks.filter(({ status }) => status !== "SUCCESS");
      expect([checks.length, failed]).toEqual([3, []]);
    });
  });
});

describe("a client that has nothing but the URL", () => {
  it("of SDK v1 connects through the consent page", async () => {
    expect(await connectedV1(person())).toBeGreaterThan(0);
  });

  it("is told where to go, and finds the same for servers that nobody has", async () => {
    for (const path of [notes, "/mcp/acme/nothing", "/mcp/nobody/nothing"]) {
      const answer = await call(path, null);
      expect(answer.status).toBe(401);
      const metadata = `${url}/.well-known/oauth-protected-resource${path}`;
      expect(challengeOf(answer)).toBe(`Bearer resource_metadata="${metadata}", scope="proxy"`);
      expect(await (await fetch(metadata)).json()).toMatchObject({
        resource: `${url}${path}`,
        authorization_servers: [url],
        scopes_supported: ["proxy"],
      });
    }
  });

  it("finds one issuer, whatever Host it names", async () => {
    const at = `${url}/.well-known/oauth-authorization-server`;
    const answer = await fetch(at, { headers: { "X-Forwarded-Host": "evil.test" } });
    const metadata = (await answer.json()) as Record<string, unknown>;
    expect(metadata).toMatchObject({
      issuer: url,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ["S256"],
    });
    expect(metadata).not.toHaveProperty("protected_resources");
  });

  it("reads the documents from a page of any origin", async () => {
    const Origin = "https://inspector.test";
    const asked = { Origin, "Access-Control-Request-Method": "GET" };
    for (const path of [`oauth-protected-resource${notes}`, "oauth-authorization-server"]) {
      const at = `${url}/.well-known/${path}`;
      const headers = { ...asked, "Access-Control-Request-Headers": "mcp-protocol-version" };
      const preflight = await fetch(at, { method: "OPTIONS", headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("mcp-protocol-version");
      const answer = await fetch(at, { headers: { Origin } });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
        200,
        "*",
      ]);
    }
  });

  it("finds nothing at a server for keys alone", async () => {
    const answer = await call("/mcp/acme/keys-alone", null);
    expect(challengeOf(answer)).not.toContain("resource_metadata");
    const metadata = `${url}/.well-known/oauth-protected-resource/mcp/acme/keys-alone`;
    expect((await fetch(metadata)).status).toBe(404);
  });
});

describe("a client of SDK v2", () => {
  it("connects through the consent page with nothing but the URL", async () => {
    expect(await connectedV2(person())).toBeGreaterThan(0);
  });

  it("takes no code that came in the name of another authorization server", async () => {
    const provider = person();
    const mixedUp = (): URLSearchParams => {
      const answer = new URLSearchParams(provider.answer());
      expect(answer.get("iss")).toBe(url);
      answer.set("iss", "https://other.test");
      return answer;
    };
    await expect(connectedV2(provider, mixedUp)).rejects.toThrow(/iss/i);
    expect(provider.tokens()).toBeUndefined();
  });
});

/** As an attacker who can choose what `Host` says, in the way that a proxy or a name of the attacker's own can. */
const underHost = (path: string, host: string) =>
  new Promise<{ status: number; said: string }>((resolve, reject) => {
    const headers = { Host: host, "X-Forwarded-Host": host, "X-Forwarded-Proto": "https" };
    const asked = requestByHttp(`${url}${path}`, { headers }, (answer) => {
      let text = "";
      answer.on("data", (part: Buffer) => (text += part.toString()));
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, said: JSON.stringify(answer.headers) + text }),
      );
    });
    asked.once("error", reject).end();
  });

describe("a forged Host", () => {
  it("is in no metadata, challenge, page or redirect", async () => {
    const page = authorizeUrl(url, {
      clientId: await knownClient(),
      resource: resource(),
      challenge: pkce().challenge,
    });
    const elsewhere = page.replace(encodeURIComponent(resource()), "https%3A%2F%2Fother.test");
    const places: [string, string][] = [
      ["/.well-known/oauth-authorization-server", `"issuer":"${url}"`],
      [`/.well-known/oauth-protected-resource${notes}`, `"resource":"${resource()}"`],
      [notes, `resource_metadata=\\"${url}/.well-known/`],
      [page.slice(url.length), "Authorize A client?"],
      [elsewhere.slice(url.length), `iss=${encodeURIComponent(url)}`],
    ];
    for (const [path, expected] of places) {
      const { said } = await underHost(path, "evil.test");
      expect([path, said]).toEqual([path, expect.stringContaining(expected)]);
      expect(said).not.toContain("evil.test");
    }
  });

  it("makes no token good for a resource of its own", async () => {
    const given = await givenCode();
    const fields = { ...codeFields(given), resource: `https://evil.test${notes}` };
    expect((await exchanged(fields)).body["error"]).toBe("invalid_target");
  });
});

describe("a tenant's policy about programs", () => {
  it("lets in no program of a domain that it denies, and no page opens", async () => {
    const put = (oauthClients: object) => admin("PUT", "/tenants/acme/policy", { oauthClients });
    const at = authorizeUrl(url, {
      clientId: await knownClient(),
      resource: resource(),
      challenge: pkce().challenge,
    });
    for (const refused of [{ deniedDomains: ["localhost"] }, { allowedDomains: ["claude.ai"] }]) {
      await put(refused);
      const { response, text } = await opened(at);
      expect([response.status, response.headers.get("Location")]).toEqual([400, null]);
      expect(text).toContain("authorize programs from localhost");
    }
    await put({ allowedDomains: ["localhost"] });
    expect((await opened(at)).response.status).toBe(200);
    await admin("PUT", "/tenants/acme/policy", {});
  });
});

describe("keys beside tokens", () => {
  it("go on working, and a wrong one opens no browser", async () => {
    expect((await call(notes, key)).status).toBe(200);
    const answer = await call(notes, `${key.slice(0, -3)}abc`);
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toBe('Bearer error="invalid_token"');
  });

  it("are refused by a server for tokens alone", async () => {
    expect((await call("/mcp/acme/oauth-alone", key)).status).toBe(401);
  });
});

describe("an access token", () => {
  it("opens its own server, and no other tenant's, server's or surface", async () => {
    const { access } = await givenToken();
    expect((await call(notes, access)).status).toBe(200);
    const elsewhere = [
      "/mcp/acme/second",
      "/mcp/acme/keys-alone",
      "/mcp/other/notes",
      "/v1/sampling",
    ];
    for (const path of elsewhere) expect((await call(path, access)).status).toBe(401);
    const refused = await call(notes, `${access}x`);
    expect(challengeOf(refused)).toContain('error="invalid_token", resource_metadata=');
    const onAdmin = await fetch(`${url}/admin/v1/tenants/acme/keys`, {
      headers: { Authorization: `Bearer ${access}` },
    });
    expect(onAdmin.status).toBe(401);
  });

  it("is refreshed, while the first one goes on", async () => {
    const { access, refresh, clientId } = await givenToken();
    const again = await exchanged({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refresh,
    });
    expect(again.status).toBe(200);
    expect((await call(notes, again.body["access_token"] ?? "")).status).toBe(200);
    expect((await call(notes, access)).status).toBe(200);
  });
});

describe("a grant", () => {
  it("ends with the server's entry, though the entry is made again under its slug", async () => {
    const path = "/tenants/acme/servers";
    const entry = { slug: "again", url: upstream.url, sampling: "router", auth: "both" };
    await admin("POST", path, entry);
    const given = await givenCode({ resource: `${url}/mcp/acme/again` });
    const { body } = await exchanged(codeFields(given));
    const access = body["access_token"] ?? "";
    expect((await call("/mcp/acme/again", access)).status).toBe(200);
    await admin("DELETE", `${path}/again`);
    await admin("POST", path, entry);
    // A process looks a token up again after some seconds.
    const status = async () => (await call("/mcp/acme/again", access)).status;
    await expect.poll(status, { timeout: patient(20_000) }).toBe(401);
    const refreshed = await exchanged({
      grant_type: "refresh_token",
      client_id: given.clientId,
      refresh_token: body["refresh_token"] ?? "",
    });
    expect(refreshed.status).toBe(400);
    const { data } = await admin<{ data: { resource: string }[] }>("GET", "/tenants/acme/grants");
    expect(data.filter((grant) => grant.resource.endsWith("/again"))).toEqual([]);
    await admin("DELETE", `${path}/again`);
  });
});

describe("sampling of a tenant", () => {
  it("is let in by a token for its own path, and by its keys", async () => {
    const samples = async (tenant: string): Promise<string> => {
      const about = { name: "samples", scopes: ["sampling"] };
      return (await admin<{ key: string }>("POST", `/tenants/${tenant}/keys`, about)).key;
    };
    const [own, foreign] = [await samples("acme"), await samples("other")];
    const path = "/v1/sampling/acme";
    const metadata = `${url}/.well-known/oauth-protected-resource${path}`;
    const unknown = await call(path, null);
    expect(unknown.status).toBe(401);
    expect(challengeOf(unknown)).toBe(`Bearer resource_metadata="${metadata}", scope="sampling"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${url}${path}` });

    const given = await givenCode({ resource: `${url}${path}` }, own);
    const { body } = await exchanged(codeFields(given));
    const access = body["access_token"] ?? "";
    const statusAt = async (at: string, token: string): Promise<number> =>
      (await call(at, token)).status;
    expect([await statusAt(path, access), await statusAt(path, own)]).toEqual([200, 200]);
    for (const elsewhere of ["/v1/sampling", "/v1/sampling/other", notes])
      expect([elsewhere, await statusAt(elsewhere, access)]).toEqual([elsewhere, 401]);
    // A tenant that is not the key's and one that nobody has look alike.
    for (const elsewhere of [path, "/v1/sampling/nobody"])
      expect([elsewhere, await statusAt(elsewhere, foreign)]).toEqual([elsewhere, 404]);
  });

  it("goes on in its session", async () => {
    const own = { name: "sessions", scopes: ["sampling"] };
    const made = await admin<{ key: string }>("POST", "/tenants/acme/keys", own);
    const begun = await call("/v1/sampling/acme", made.key);
    const headers = {
      "Content-Type": "application/json",
      Authorization: `Bearer ${made.key}`,
      "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") ?? "",
    };
    const at = (tenant: string): string => `${url}/v1/sampling/${tenant}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
    const ping = (tenant: string) => fetch(at(tenant), { method: "POST", headers, body });
    expect([(await ping("acme")).status, (await ping("other")).status]).toEqual([200, 404]);
    const end = (tenant: string) => fetch(at(tenant), { method: "DELETE", headers });
    expect([(await end("other")).status, (await end("acme")).status]).toEqual([404, 204]);
  });
});

describe("model endpoints of a tenant", () => {
  it("are opened by a token for their own path alone", async () => {
    const about = { name: "models", scopes: ["models"] };
    const own = (await admin<{ key: string }>("POST", "/tenants/acme/keys", about)).key;
    const path = "/t/acme/v1";
    const metadata = `${url}/.well-known/oauth-protected-resource${path}`;
    const list = async (token: string | null, at = path) =>
      fetch(`${url}${at}/models`, { headers: token === null ? {} : { "x-api-key": token } });
    const unknown = await list(null);
    expect([unknown.status, challengeOf(unknown)]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}", scope="models"`,
    ]);
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${url}${path}` });
    const given = await givenCode({ resource: `${url}${path}` }, own);
    const { body } = await exchanged(codeFields(given));
    expect(body["scope"]).toContain("models");
    const access = body["access_token"] ?? "";
    expect((await list(access)).status).toBe(200);
    await admin("POST", "/tenants/acme/credentials", { provider: "demo", name: "d", apiKey: "" });
    const messages = [{ role: "user", content: "Hello." }];
    const requests = {
      "/chat/completions": { messages },
      "/messages": { messages, max_tokens: 50 },
      "/messages/count_tokens": { messages },
      "/responses": { input: "Hello." },
    };
    for (const [endpoint, asked] of Object.entries(requests))
      for (const stream of [false, true]) {
        const request = {
          body: JSON.stringify({ model: "auto", ...asked, ...(stream && { stream }) }),
        };
        const answer = await call(`${path}${endpoint}`, access, request);
        await answer.text();
        const elsewhere = await call(`/t/other/v1${endpoint}`, access, request);
        expect([endpoint, stream, answer.status, elsewhere.status]).toEqual([
          endpoint,
          stream,
          200,
          401,
        ]);
      }
    const one = await fetch(`${url}${path}/models/auto`, {
      headers: { Authorization: `Bearer ${access}` },
    });
    expect(one.status).toBe(200);
    for (const elsewhere of ["/v1", "/t/other/v1"])
      expect([elsewhere, (await list(access, elsewhere)).status]).toEqual([elsewhere, 401]);
    expect((await call("/v1/sampling/acme", access)).status).toBe(401);
  });
});

interface GrantRow {
  id: string;
  clientId: string;
  resource: string;
  scopes: string[];
  keyId: string;
}
const grantsOf = (tenant: string, query = "limit=200") =>
  admin<{ data: GrantRow[]; nextCursor: string | null }>(
    "GET",
    `/tenants/${tenant}/grants?${query}`,
  );

describe("a grant", () => {
  it("is seen and ended by its own tenant alone, and its tokens end with it", async () => {
    const { access, refresh, clientId } = await givenToken();
    const grant = (await grantsOf("acme")).data.find((each) => each.clientId === clientId);
    expect(grant).toMatchObject({ resource: resource(), scopes: ["proxy"] });
    expect(key).toContain(grant?.keyId.replace("key_", "srk_"));
    const at = (tenant: string): string => `/admin/v1/tenants/${tenant}/grants/${grant?.id}`;

    const strange = { name: "administrator", scopes: ["tenant-admin"] };
    const stranger = await admin<{ key: string }>("POST", "/tenants/other/keys", strange);
    expect((await grantsOf("other")).data.map(({ id }) => id)).not.toContain(grant?.id);
    for (const tenant of ["acme", "other"]) {
      const headers = { Authorization: `Bearer ${stranger.key}` };
      const answer = await fetch(`${url}${at(tenant)}`, { method: "DELETE", headers });
      expect(answer.status).toBe(404);
    }

    await admin("DELETE", `/tenants/acme/grants/${grant?.id}`);
    expect((await call(notes, access)).status).toBe(401);
    const refreshed = await exchanged({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refresh,
    });
    expect([refreshed.status, refreshed.body["error"]]).toEqual([400, "invalid_grant"]);
    // The tenant's own log: the operator's has it a moment later, where each tenant has a database.
    const own = { name: "administrator", scopes: ["tenant-admin"] };
    const administrator = await admin<{ key: string }>("POST", "/tenants/acme/keys", own);
    const log = await fetch(`${url}/admin/v1/events?limit=200`, {
      headers: { Authorization: `Bearer ${administrator.key}` },
    });
    const events = (await log.json()) as { data: object[] };
    const noted = { action: "grant.revoke", target: grant?.id, detail: { clientId } };
    expect(events.data).toContainEqual(
      expect.objectContaining({ ...noted, detail: expect.objectContaining(noted.detail) }),
    );
  });

  it("is on one page of the list", async () => {
    for (let count = 0; count < 3; count += 1) await givenToken();
    const whole = (await grantsOf("acme")).data.map(({ id }) => id);
    const walked: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await grantsOf("acme", `limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      walked.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(whole.length).toBeGreaterThanOrEqual(3);
    expect(walked).toEqual(whole);
  });
});

describe("the consent page", () => {
  const page = async (change: Record<string, string> = {}, client?: object): Promise<Page> =>
    opened(
      authorizeUrl(url, {
        clientId: await (client === undefined ? knownClient() : registered(client)),
        resource: resource(),
        challenge: pkce().challenge,
        ...change,
      }),
    );

  it("names the program, the server and where it leads, and can't be framed", async () => {
    const { text, response } = await page({}, { client_name: "<b>Eve</b>" });
    for (const said of ["&#60;b&#62;Eve", "acme", "notes", "127.0.0.1", "your own computer"])
      expect(text).toContain(said);
    expect(text).not.toContain("<b>Eve");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    expect(response.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
  });

  it("counts once, and in its own browser alone", async () => {
    const shown = await page();
    const stolen = await decide({ ...shown, cookie: "" }, { ...allow, key });
    expect(stolen.status).toBe(400);
    expect((await decide(shown, { ...allow, key })).status).toBe(302);
    expect((await decide(shown, { ...allow, key })).status).toBe(400);
  });

  it("shows itself again for a key that does not open the server", async () => {
    for (const wrong of ["", "srk_wrong", otherKey]) {
      const answer = await decide(await page(), { ...allow, key: wrong });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('role="alert"');
    }
  });

  it("sends a refusal back to the program, with issuer and state", async () => {
    const to = locationOf(await decide(await page(), { decision: "deny" }));
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      error: "access_denied",
      iss: url,
      state: "a-state",
    });
  });

  it("sends nobody to an address that the program did not register", async () => {
    const answers = [
      await page({ redirect_uri: "https://evil.test/" }),
      await page({ client_id: "nobody" }),
    ];
    for (const { response } of answers) {
      expect(response.status).toBe(400);
      expect(response.headers.get("Location")).toBeNull();
    }
  });

  it("is not shown for another router's server, or without PKCE", async () => {
    for (const change of [{ resource: "https://other.test/mcp/a/b" }, { code_challenge: "" }]) {
      const { response } = await page(change);
      expect(response.status).toBe(302);
      expect(locationOf(response).searchParams.get("iss")).toBe(url);
      expect(locationOf(response).searchParams.get("code")).toBeNull();
    }
  });
});

describe("a stolen code", () => {
  it("is worth nothing to another client, verifier, address or server", async () => {
    const wrong = [
      async () => ({ client_id: await registered() }),
      async () => ({ code_verifier: pkce().verifier }),
      async () => ({ redirect_uri: "http://127.0.0.1:7777/other" }),
      async () => ({ resource: `${url}/mcp/acme/second` }),
    ];
    for (const change of wrong) {
      const given = await givenCode();
      const { status, body } = await exchanged({ ...codeFields(given), ...(await change()) });
      expect(status).toBe(400);
      expect(body["access_token"]).toBeUndefined();
    }
  });

  it("ends the tokens that it gave before", async () => {
    const given = await givenCode();
    const first = await exchanged(codeFields(given));
    expect((await exchanged(codeFields(given))).body["error"]).toBe("invalid_grant");
    const refresh = {
      grant_type: "refresh_token",
      refresh_token: first.body["refresh_token"] ?? "",
    };
    expect((await exchanged({ ...refresh, client_id: given.clientId })).status).toBe(400);
  });
});

peopleSuite(() => ({ router, upstream }));
accountSuite(() => ({ router, upstream }));
