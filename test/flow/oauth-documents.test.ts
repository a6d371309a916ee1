/**
 * Documents that the authorization server reads over https: those that describe clients (CIMD), and the keys of an
 * identity provider whose assertions (ID-JAG) count. On a running router, by either host's own `fetch`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertionFields, createAsserter, type Asserter } from "../fakes/asserter.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { startHttpsPages, type HttpsPages } from "../fakes/https-pages.ts";
import { startEverything } from "../fakes/mcp-servers.ts";
import {
  authorizeUrl,
  formRequest,
  pkce,
  redirectUri,
  registrationRequest,
} from "../fakes/oauth-client.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { freePort } from "../fakes/sqld.ts";

const slug = "documents";
const path = `/mcp/${slug}/notes`;
const folder = mkdtempSync(join(tmpdir(), "https-pages-"));
let url = "";
let router: Router;
let https: HttpsPages;
let upstream: { url: string; stop: () => Promise<void> };

const admin = (method: string, at: string, body?: unknown) =>
  adminOf({ url }, router.adminToken)(method, `/tenants/${slug}${at}`, body);

beforeAll(async () => {
  https = await startHttpsPages(folder);
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  const own = { PORT: port, PUBLIC_URL: url, ALLOW_PRIVATE_UPSTREAMS: "true" };
  [router, upstream] = await Promise.all([
    startRouter({ env: { ...own, ...https.env } }),
    startEverything(),
  ]);
  await createTenant({ url, adminToken: router.adminToken }, slug, { provider: "demo" });
  const server = { slug: "notes", url: upstream.url, sampling: "router" };
  expect((await admin("POST", "/servers", server)).status).toBe(201);
}, 120_000);
afterAll(async () => {
  await Promise.all([router?.stop(), https?.stop(), upstream?.stop()]);
  rmSync(folder, { recursive: true });
});

async function exchanged(fields: Record<string, string>) {
  const answer = await fetch(formRequest(`${url}/oauth/token`, fields));
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const initialize = (token: string, at = path) =>
  fetch(`${url}${at}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    }),
  });

describe("a client whose id is the address of its document", () => {
  it("is unknown where the address is private, whatever administrators may name", async () => {
    const clientId = `${https.url}/client.json`;
    https.pages.set("/client.json", {
      client_id: clientId,
      client_name: "A documented client",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    });
    const { challenge } = pkce();
    const page = await fetch(
      authorizeUrl(url, { clientId, resource: `${url}${path}`, challenge }),
      {
        redirect: "manual",
      },
    );
    const said = expect.stringContaining("the router can&#39;t read the document") as string;
    expect([page.status, await page.text()]).toEqual([400, said]);
    const fields = { grant_type: "authorization_code", client_id: clientId, code: "x" };
    expect((await exchanged(fields)).body["error"]).toBe("invalid_client");
    expect(https.asked).not.toContain("/client.json");
  });
});

describe("an identity assertion", () => {
  let trusted: Asserter;
  let client: { client_id: string; client_secret: string };

  beforeAll(async () => {
    const of = { audience: url, resource: `${url}${path}` };
    trusted = await createAsserter({ ...of, issuer: https.url });
    https.pages.set("/keys", trusted.keys);
    https.pages.set("/.well-known/openid-configuration", {
      issuer: https.url,
      authorization_endpoint: `${https.url}/authorize`,
      token_endpoint: `${https.url}/token`,
      jwks_uri: trusted.keysAt,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const secretly = { token_endpoint_auth_method: "client_secret_post" };
    const registered = await fetch(registrationRequest(url, secretly));
    client = (await registered.json()) as typeof client;
    const signIn = {
      kind: "openid-connect",
      issuer: https.url,
      clientId: "router",
      clientSecret: "a-secret",
      claim: "groups",
      roles: {},
      callers: ["team"],
    };
    const put = await admin("PUT", "/sign-in", signIn);
    expect([put.status, put.text]).toEqual([200, put.text]);
  });

  const asserted = async (change: object = {}, by = trusted) =>
    by.assertion({ client_id: client.client_id, groups: ["team"], ...change });
  const shown = (assertion: string) => {
    const { client_id, client_secret } = client;
    return exchanged(assertionFields({ client_id, client_secret }, assertion));
  };

  it("opens its resource for its person, once, without any page", async () => {
    const assertion = await asserted();
    const answers = await Promise.all([shown(assertion), shown(assertion)]);
    const statuses = answers.map(({ status }) => status);
    expect([statuses.toSorted(), (await shown(assertion)).status]).toEqual([[200, 400], 400]);
    const token = answers.find(({ status }) => status === 200)?.body["access_token"] ?? "";
    expect((await initialize(token)).status).toBe(200);
    expect((await initialize(token, `/mcp/${slug}/other`)).status).toBe(401);
    expect((await admin("GET", "/grants")).text).toContain(client.client_id);
  });

  it("opens nothing by another signer's key, another issuer's word, or without the claim", async () => {
    const of = { audience: url, resource: `${url}${path}` };
    const forger = await createAsserter({ ...of, issuer: https.url });
    const stranger = await createAsserter({ ...of, issuer: "https://stranger.test" });
    const tries = [
      asserted({}, forger),
      asserted({}, stranger),
      asserted({ groups: ["visitors"] }),
      asserted({ resource: `${url}/mcp/another/notes` }),
      asserted({ aud: "https://another.test" }),
    ];
    for (const each of tries) expect((await shown(await each)).status).toBe(400);
  });
});
