/** The fake authorization server, asked by another client than ours: the official SDK's. */
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  refreshAuthorization,
  startAuthorization,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../fakes/authorization-server.ts";

let fake: AuthorizationServer;
beforeEach(async () => {
  fake = await startAuthorizationServer();
  fake.clients.set("client", { secret, redirectUris: [redirectUrl] });
});
afterEach(() => fake.stop());

// The SDK puts it into the Basic header as it is; RFC 6749 wants it form-encoded. Of this, both are one.
const secret = "s3cret-of_the.client";
const redirectUrl = "https://router.test/oauth/callback";
const clientInformation = { client_id: "client", client_secret: secret };

async function authorized(more: { resource?: URL; verifier?: string } = {}) {
  const resourceMetadata = await discoverOAuthProtectedResourceMetadata(fake.mcpUrl);
  const metadata = await discoverAuthorizationServerMetadata(
    resourceMetadata.authorization_servers?.[0] ?? "",
  );
  if (metadata === undefined) throw new Error("no metadata");
  const resource = more.resource ?? new URL(resourceMetadata.resource);
  const about = { metadata, clientInformation, resource };
  const { authorizationUrl, codeVerifier } = await startAuthorization(fake.url, {
    ...about,
    redirectUrl,
    scope: "mcp",
    state: "state",
  });
  const back = new URL(await fake.consent(authorizationUrl.href));
  const exchange = () =>
    exchangeAuthorization(fake.url, {
      ...about,
      authorizationCode: back.searchParams.get("code") ?? "",
      codeVerifier: more.verifier ?? codeVerifier,
      redirectUri: redirectUrl,
    });
  const refresh = (refreshToken: string) =>
    refreshAuthorization(fake.url, { ...about, refreshToken });
  return { back, exchange, refresh };
}

const callWith = (token: string | undefined) =>
  fetch(fake.mcpUrl, {
    method: "POST",
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });

describe("the fake authorization server", () => {
  it("lets the SDK's client in: discovery, PKCE, resource, Basic, refresh with rotation", async () => {
    const { back, exchange, refresh } = await authorized();
    expect(back.searchParams.get("state")).toBe("state");
    expect(back.searchParams.get("iss")).toBe(fake.url);
    const first = await exchange();
    expect((await callWith(first.access_token)).status).toBe(200);
    const second = await refresh(first.refresh_token ?? "");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await callWith(second.access_token)).status).toBe(200);
    // A refresh token that comes again ends everything that came of it.
    await expect(refresh(first.refresh_token ?? "")).rejects.toThrow();
    expect((await callWith(second.access_token)).status).toBe(401);
    await expect(refresh(second.refresh_token ?? "")).rejects.toThrow();
  });

  it("accepts a code once", async () => {
    const { exchange } = await authorized();
    await exchange();
    await expect(exchange()).rejects.toThrow();
  });

  it("accepts no code with another verifier", async () => {
    const { exchange } = await authorized({ verifier: "v".repeat(43) });
    await expect(exchange()).rejects.toThrow();
    expect(fake.tokenCalls).toEqual([{ grant: "authorization_code", outcome: "invalid_grant" }]);
  });

  it("gives no code for another resource", async () => {
    const { back } = await authorized({ resource: new URL("https://elsewhere.test/mcp") });
    expect(back.searchParams.get("error")).toBe("invalid_target");
  });

  it("refuses a client with a wrong secret, and a redirect that isn't registered", async () => {
    const answer = await fetch(`${fake.url}/token`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa("client:wrong")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource: fake.mcpUrl }),
    });
    expect(answer.status).toBe(401);
    const asked = new URL(`${fake.url}/authorize`);
    asked.searchParams.set("client_id", "client");
    asked.searchParams.set("redirect_uri", `${redirectUrl}/x`);
    expect(await fake.consent(asked.href)).toMatch(/^refused/);
    expect((await callWith(undefined)).status).toBe(401);
  });
});
