/** The OAuth client before authorization servers that are hostile, broken, or at a private address. */
import { describe, expect, it } from "vitest";
import type { OauthGrant } from "../../../src/domain/servers/oauth.ts";
import {
  asking,
  client,
  issuer,
  metadata,
  metadataUrl,
  now,
  redirect,
  resource,
  tokens,
  wellKnown,
  world,
  type Answer,
} from "../../fakes/oauth-world.ts";

const usual = { [`${wellKnown}/v1/mcp`]: resource, [metadataUrl]: metadata };
const grantWith = (answers: Record<string, Answer>) =>
  world({ ...usual, ...answers }).oauth.byClientCredentials(asking);

describe("discovery", () => {
  it("goes by the path, and gets a token for the resource", async () => {
    const { oauth, asked, urls } = world({ ...usual, [`${issuer}/token`]: tokens });
    expect(await oauth.byClientCredentials(asking)).toEqual({
      ok: true,
      value: {
        accessToken: "access",
        expiresAt: now + 60_000,
        refreshToken: null,
        issuer,
        tokenEndpoint: `${issuer}/token`,
        resource: asking.url,
        authentication: "basic",
        scopes: [],
      },
    });
    expect(urls()).toEqual([asking.url, `${wellKnown}/v1/mcp`, metadataUrl, `${issuer}/token`]);
    const form = new URLSearchParams(String(asked[3]?.init.body));
    expect(form.get("resource")).toBe(asking.url);
    for (const { init } of asked) expect(init.redirect).toBe("manual");
  });

  it("reads a token answer of status 201, and null as absent", async () => {
    const lax = { ...tokens, refresh_token: null, scope: null, id_token: null };
    expect(
      await grantWith({ [`${issuer}/token`]: () => Response.json(lax, { status: 201 }) }),
    ).toMatchObject({ ok: true, value: { accessToken: "access", refreshToken: null } });
  });

  it("takes no URL that is longer than any real one, whoever names it", async () => {
    const long = `https://x${".".repeat(60_000)}y`;
    const hostile: Record<string, Answer>[] = [
      { [`${wellKnown}/v1/mcp`]: { ...resource, authorization_servers: [long] } },
      { [`${wellKnown}/v1/mcp`]: { ...resource, resource: long } },
      { [metadataUrl]: { ...metadata, token_endpoint: `${long}/token` } },
      { [metadataUrl]: { ...metadata, authorization_endpoint: `${long}/authorize` } },
    ];
    const faults = [];
    for (const answers of hostile) faults.push(await grantWith(answers));
    expect(faults.map((each) => (each.ok ? null : each.error))).toEqual([
      "malformed",
      "malformed",
      "not_allowed",
      "not_allowed",
    ]);
  });

  const challenge = (place: string) => (): Response =>
    new Response(null, {
      status: 401,
      headers: { "WWW-Authenticate": `Bearer scope="a b", resource_metadata="${place}"` },
    });

  it("goes where the server's refusal says, before the usual places, and asks for the scopes named there", async () => {
    const place = "https://mcp.example.com/elsewhere.json";
    const { oauth, asked, urls } = world({
      [asking.url]: challenge(place),
      [place]: resource,
      [metadataUrl]: metadata,
      [`${issuer}/token`]: tokens,
    });
    expect((await oauth.byClientCredentials(asking)).ok).toBe(true);
    expect(urls()).toEqual([asking.url, place, metadataUrl, `${issuer}/token`]);
    const begun = await oauth.begin(
      { ...asking, client: { ...client, grant: "authorization_code", scope: null } },
      redirect,
    );
    const sentTo = new URL(begun.ok ? begun.value.authorizationUrl : "");
    expect(sentTo.searchParams.get("scope")).toBe("a b");
    const probe = asked.find(({ url }) => url === asking.url);
    expect(probe?.init).toMatchObject({ method: "POST", redirect: "manual" });
    expect(JSON.stringify(probe?.init.headers)).not.toMatch(/authorization/i);
  });

  it("believes no refusal that names a private place, or metadata of another server", async () => {
    const place = "https://10.0.0.1/metadata.json";
    const inside = world({ [asking.url]: challenge(place) });
    expect(await inside.oauth.byClientCredentials(asking)).toEqual({
      ok: false,
      error: "not_allowed",
    });
    expect(inside.urls()).not.toContain(place);
    const other = "https://login.example.com/metadata.json";
    const elsewhere = world({
      [asking.url]: challenge(other),
      [other]: { ...resource, resource: "https://other.example.com/mcp" },
      [metadataUrl]: metadata,
    });
    expect(await elsewhere.oauth.byClientCredentials(asking)).toEqual({
      ok: false,
      error: "malformed",
    });
  });

  it("reads a server's metadata, whatever the server answers to a message without a token", async () => {
    const broken = { [asking.url]: () => new Response("no", { status: 500 }) };
    expect((await grantWith({ ...broken, [`${issuer}/token`]: tokens })).ok).toBe(true);
    // Of the first fault nothing is left.
    const undescribed = world({ ...broken, [`${wellKnown}/v1/mcp`]: resource });
    expect(await undescribed.oauth.byClientCredentials(asking)).toEqual({
      ok: false,
      error: "not_discovered",
    });
  });

  it("takes the places that all know where a server lets nobody in and describes nothing", async () => {
    const own = "https://mcp.example.com";
    const refusal = () =>
      new Response(null, { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
    const { oauth, urls } = world({ [asking.url]: refusal, [`${own}/token`]: tokens });
    expect((await oauth.byClientCredentials(asking)).ok).toBe(true);
    expect(urls().at(-1)).toBe(`${own}/token`);
    const begun = await oauth.begin(
      { ...asking, client: { ...client, grant: "authorization_code" } },
      redirect,
    );
    expect(begun.ok && begun.value.authorizationUrl).toMatch(
      /^https:\/\/mcp\.example\.com\/authorize\?.*code_challenge=/,
    );
    const open = world({ [`${own}/token`]: tokens });
    expect(await open.oauth.byClientCredentials(asking)).toEqual({
      ok: false,
      error: "not_discovered",
    });
  });

  it("goes to the root, then to the server itself, then to OpenID's place", async () => {
    const own = "https://mcp.example.com";
    const { oauth, urls } = world({
      [`${own}/.well-known/openid-configuration`]: {
        ...metadata,
        issuer: own,
        token_endpoint: `${own}/token`,
      },
      [`${own}/token`]: tokens,
    });
    expect((await oauth.byClientCredentials(asking)).ok).toBe(true);
    expect(urls()).toEqual([
      asking.url,
      `${wellKnown}/v1/mcp`,
      wellKnown,
      `${own}/.well-known/oauth-authorization-server`,
      `${own}/.well-known/openid-configuration`,
      `${own}/token`,
    ]);
  });

  it.each([
    ["a parent of it", "https://mcp.example.com/v1", true],
    ["its host", "https://mcp.example.com", true],
    ["another path", "https://mcp.example.com/v1/mc", false],
    ["another host", "https://mcp.example.org/v1/mcp", false],
    ["another scheme", "http://mcp.example.com/v1/mcp", false],
    ["no URL", "mcp", false],
  ])("believes metadata of %s or doesn't: %s", async (_, of, isOk) => {
    const answers = { [`${wellKnown}/v1/mcp`]: { ...resource, resource: of } };
    const granted = await grantWith({ ...answers, [`${issuer}/token`]: tokens });
    expect(granted.ok).toBe(isOk);
  });

  it.each([
    "https://169.254.169.254",
    "https://localhost",
    "https://[::ffff:127.0.0.1]",
    "https://2130706433",
    "http://login.example.com",
  ])("calls no authorization server at %s, whoever names it", async (where) => {
    const named = world({
      [`${wellKnown}/v1/mcp`]: { ...resource, authorization_servers: [where] },
    });
    const refused = await named.oauth.byClientCredentials(asking);
    expect(refused.ok).toBe(false);
    expect(named.urls()).toEqual([asking.url, `${wellKnown}/v1/mcp`]);
    for (const endpoint of ["token_endpoint", "authorization_endpoint"]) {
      const told = world({ ...usual, [metadataUrl]: { ...metadata, [endpoint]: `${where}/x` } });
      expect(await told.oauth.byClientCredentials(asking)).toEqual({
        ok: false,
        error: "not_allowed",
      });
      expect(told.urls()).toEqual([asking.url, `${wellKnown}/v1/mcp`, metadataUrl]);
    }
  });

  it("sends nobody to an address that is no web page", async () => {
    const { oauth } = world({
      ...usual,
      [metadataUrl]: { ...metadata, authorization_endpoint: "javascript:alert(1)" },
    });
    const begun = await oauth.begin(
      { ...asking, client: { ...client, grant: "authorization_code" } },
      redirect,
    );
    expect(begun).toEqual({ ok: false, error: "not_allowed" });
  });

  it.each<[string, Answer]>([
    ["another issuer", { ...metadata, issuer: "https://evil.example" }],
    ["no token endpoint", { issuer }],
    ["no JSON", () => new Response("<html>")],
    ["a redirect", () => new Response(null, { status: 302, headers: { Location: "https://x.y" } })],
  ])("takes no metadata with %s", async (_, answer) => {
    expect((await grantWith({ [metadataUrl]: answer, [`${issuer}/token`]: tokens })).ok).toBe(
      false,
    );
  });
});

describe("the token endpoint", () => {
  const refusing = (status: number, body: unknown, headers = {}) => ({
    [`${issuer}/token`]: () => Response.json(body, { status, headers }),
  });

  it.each<[string, Record<string, Answer>, string]>([
    ["refuses", refusing(400, { error: "invalid_scope" }), "invalid_scope"],
    ["knows no such client", refusing(401, { error: "invalid_client" }), "invalid_client"],
    ["challenges", refusing(401, {}, { "WWW-Authenticate": 'Basic realm="x"' }), "invalid_client"],
    ["says what nobody knows", refusing(400, { error: "client-secret" }), "malformed"],
    ["is down", refusing(503, {}), "unreachable: login.example.com:443: HTTP 503"],
    ["has had enough", refusing(429, {}), "unreachable: login.example.com:443: HTTP 429"],
    ["gives no token", refusing(200, { token_type: "bearer" }), "malformed"],
    ["gives a bound token", refusing(200, { ...tokens, token_type: "DPoP" }), "malformed"],
    ["redirects", refusing(307, {}, { Location: "https://127.0.0.1/" }), "malformed"],
    [
      "is out of reach",
      {
        [`${issuer}/token`]: () =>
          Promise.reject(
            new TypeError("connect client-secret", {
              cause: Object.assign(new Error("client-secret"), { code: "ECONNREFUSED" }),
            }),
          ),
      },
      "unreachable: login.example.com:443: the connection was refused",
    ],
    [
      "never ends",
      { [`${issuer}/token`]: () => Response.json({ ...tokens, pad: "x".repeat(300_000) }) },
      "malformed",
    ],
  ])("that %s is a fault of a closed list", async (_, answers, error) => {
    expect(await grantWith(answers)).toEqual({ ok: false, error });
  });
});

describe("a refresh", () => {
  const grant: OauthGrant = {
    accessToken: "old",
    expiresAt: now,
    refreshToken: "refresh",
    issuer,
    tokenEndpoint: `${issuer}/token`,
    resource: asking.url,
    authentication: "post",
    scopes: [],
  };

  it("goes to the server that granted it, and keeps the refresh token where no new one comes", async () => {
    const { oauth, asked, urls } = world({ [`${issuer}/token`]: tokens });
    const refreshed = await oauth.refresh(asking, grant);
    expect(refreshed).toMatchObject({
      ok: true,
      value: { accessToken: "access", refreshToken: "refresh", expiresAt: now + 60_000 },
    });
    expect(urls()).toEqual([`${issuer}/token`]);
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.init.body)))).toEqual({
      grant_type: "refresh_token",
      refresh_token: "refresh",
      resource: asking.url,
      client_id: "client",
      client_secret: "secret",
    });
  });

  it("takes the new refresh token, and has no end where the server names none", async () => {
    const { oauth } = world({
      [`${issuer}/token`]: { access_token: "a", token_type: "Bearer", refresh_token: "next" },
    });
    expect(await oauth.refresh(asking, grant)).toMatchObject({
      value: { refreshToken: "next", expiresAt: null },
    });
  });

  it.each([1e13, 2 ** 53, 1e300])(
    "believes no end beyond what a clock can hold: %s s",
    async (life) => {
      const { oauth } = world({ [`${issuer}/token`]: { ...tokens, expires_in: life } });
      const refreshed = await oauth.refresh(asking, grant);
      expect(refreshed.ok && refreshed.value.expiresAt).toBe(now + 10 * 366 * 86_400_000);
    },
  );

  it("needs a refresh token, and calls nobody without", async () => {
    const { oauth, urls } = world({});
    expect(await oauth.refresh(asking, { ...grant, refreshToken: null })).toEqual({
      ok: false,
      error: "no_refresh_token",
    });
    expect(urls()).toEqual([]);
  });
});
