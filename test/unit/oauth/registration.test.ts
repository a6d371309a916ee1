/** As whom the router comes to an authorization server, where the entry names no client. */
import { describe, expect, it } from "vitest";
import type { OauthContext, OauthRegistration } from "../../../src/domain/servers/oauth.ts";
import {
  asking as named,
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

const asking: OauthContext = {
  ...named,
  client: { ...client, grant: "authorization_code", clientId: null, hasSecret: false },
  clientSecret: null,
};
const registrationUrl = `${issuer}/register`;
const made = { client_id: "made", redirect_uris: [redirect.redirectUri] };
const at = (more: object, answers: Record<string, Answer> = {}) =>
  world({
    [`${wellKnown}/v1/mcp`]: resource,
    [metadataUrl]: { ...metadata, registration_endpoint: registrationUrl, ...more },
    [registrationUrl]: () => Response.json(made, { status: 201 }),
    [`${issuer}/token`]: tokens,
    ...answers,
  });
const kept: OauthRegistration = {
  clientId: "kept",
  clientSecret: null,
  issuer,
  redirectUri: redirect.redirectUri,
  authentication: "none",
  at: now - 1_000,
};

async function begun(its: ReturnType<typeof world>, of: Partial<OauthContext> = {}) {
  const result = await its.oauth.begin({ ...asking, ...of }, redirect);
  if (!result.ok) return result.error;
  const { authorizationUrl, ...rest } = result.value;
  return { ...rest, clientId: new URL(authorizationUrl).searchParams.get("client_id") };
}
const registered = ({ asked }: ReturnType<typeof world>) =>
  asked
    .filter(({ url }) => url === registrationUrl)
    .map(({ init }) => JSON.parse(String(init.body)) as Record<string, unknown>);

describe("a client that the entry doesn't name", () => {
  it("is read from an answer of status 200, and null as absent", async () => {
    const lax = { ...made, client_secret: null, client_secret_expires_at: null, scope: null };
    const its = at({}, { [registrationUrl]: () => Response.json(lax, { status: 200 }) });
    expect(await begun(its)).toMatchObject({ clientId: "made" });
  });

  it("registers itself, and says what it is", async () => {
    const its = at({ token_endpoint_auth_methods_supported: ["client_secret_basic", "none"] });
    expect(await begun(its)).toMatchObject({
      clientId: "made",
      registration: {
        clientId: "made",
        clientSecret: null,
        issuer,
        authentication: "none",
        at: now,
      },
      pending: { registered: { clientId: "made", clientSecret: null }, authentication: "none" },
    });
    expect(registered(its)).toEqual([
      {
        client_name: "Sampling Router",
        redirect_uris: [redirect.redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: "web",
        token_endpoint_auth_method: "none",
      },
    ]);
  });

  it.each([
    [["client_secret_post"], "client_secret_post", undefined, "post"],
    [undefined, "client_secret_basic", undefined, "basic"],
    [
      ["client_secret_basic", "client_secret_post"],
      "client_secret_basic",
      "client_secret_post",
      "post",
    ],
  ])(
    "shows its secret as the server wants: %j, asked for %s, given %s",
    async (known, wish, given, how) => {
      const its = at(
        { ...(known !== undefined && { token_endpoint_auth_methods_supported: known }) },
        {
          [registrationUrl]: () =>
            // As many servers answer: with 200, and without the end of the secret.
            Response.json({
              ...made,
              client_secret: "own secret",
              ...(given !== undefined && { token_endpoint_auth_method: given }),
            }),
        },
      );
      const result = await its.oauth.begin(asking, redirect);
      expect(registered(its)).toMatchObject([{ token_endpoint_auth_method: wish }]);
      if (!result.ok) return expect(result.error).toBe(null);
      const { pending, registration } = result.value;
      expect(registration).toMatchObject({ clientSecret: "own secret", authentication: how });
      const query = `?code=c&state=${redirect.state}`;
      const granted = await its.oauth.finish(asking, { pending, state: redirect.state, query });
      expect(granted).toMatchObject({ ok: true, value: { registered: { clientId: "made" } } });
      if (granted.ok) await its.oauth.refresh(asking, { ...granted.value, refreshToken: "r" });
      const shown = its.asked.filter(({ url }) => url.endsWith("/token"));
      expect(shown).toHaveLength(2);
      for (const { init } of shown) {
        const form = new URLSearchParams(String(init.body));
        expect(form.get("client_secret")).toBe(how === "post" ? "own secret" : null);
        expect("authorization" in (init.headers as object)).toBe(how === "basic");
      }
    },
  );

  it("is known by the router's document, where the server reads such documents", async () => {
    const its = at({ client_id_metadata_document_supported: true });
    expect(await begun(its)).toMatchObject({ clientId: redirect.describedAt, registration: null });
    const inside = await its.oauth.begin(asking, { ...redirect, describedAt: null });
    expect(inside.ok && inside.value.registration?.clientId).toBe("made");
    expect(registered(its)).toHaveLength(1);
  });

  it.each<[string, Partial<OauthRegistration>, boolean]>([
    ["is kept for a day", { at: now - 24 * 3_600_000 + 1 }, true],
    ["is made anew after a day", { at: now - 24 * 3_600_000 }, false],
    ["is made anew at another server", { issuer: "https://other.example" }, false],
    [
      "is made anew for another address of the router",
      { redirectUri: "https://r.example/" },
      false,
    ],
  ])("has a registration that %s", async (_, change, isKept) => {
    const its = at({});
    const clientId = isKept ? "kept" : "made";
    expect(await begun(its, { registration: { ...kept, ...change } })).toMatchObject({ clientId });
    expect(registered(its)).toHaveLength(isKept ? 0 : 1);
  });

  it.each<[string, object, Record<string, Answer>, string]>([
    ["registers nobody", { registration_endpoint: undefined }, {}, "not_registered"],
    ["names a private place", { registration_endpoint: "https://10.0.0.1/r" }, {}, "not_allowed"],
    [
      "refuses",
      {},
      {
        [registrationUrl]: () => Response.json({ error: "invalid_redirect_uri" }, { status: 400 }),
      },
      "invalid_redirect_uri",
    ],
    [
      "gives no id",
      {},
      { [registrationUrl]: () => Response.json({}, { status: 201 }) },
      "malformed",
    ],
    [
      "is down",
      {},
      { [registrationUrl]: () => new Response(null, { status: 503 }) },
      "unreachable: login.example.com:443: HTTP 503",
    ],
  ])("goes nowhere where the server %s", async (_, more, answers, fault) => {
    expect(await begun(at(more, answers))).toBe(fault);
  });
});

describe("a client that the entry names", () => {
  it("goes to the authorization server that it belongs to, and to no other", async () => {
    const its = at({});
    const elsewhere = { ...named, issuer: "https://before.example" };
    expect(await its.oauth.byClientCredentials(elsewhere)).toEqual({
      ok: false,
      error: "issuer_changed",
    });
    expect(await begun(its, elsewhere)).toBe("issuer_changed");
    expect(its.urls()).not.toContain(`${issuer}/token`);
    expect((await its.oauth.byClientCredentials({ ...named, issuer })).ok).toBe(true);
  });

  it("asks for what single requests needed beside what all need, unless the entry says what", async () => {
    const its = at({}, { [`${wellKnown}/v1/mcp`]: { ...resource, scopes_supported: ["read"] } });
    const more = { scopes: ["write", "read"] };
    const scopesOf = async (of: Partial<OauthContext>) => {
      const granted = await its.oauth.byClientCredentials({ ...named, ...of });
      return granted.ok && granted.value.scopes;
    };
    expect(await scopesOf({})).toEqual([]);
    expect(await scopesOf(more)).toEqual(["read", "write"]);
    expect(await scopesOf({ ...more, client: { ...client, scope: "own" } })).toEqual(["own"]);
    const sent = its.asked.filter(({ url }) => url.endsWith("/token"));
    expect(sent.map(({ init }) => new URLSearchParams(String(init.body)).get("scope"))).toEqual([
      null,
      "read write",
      "own",
    ]);
  });
});
