/** The client of an identity provider: private addresses, and a provider that gives no answer. */
import { expect, it } from "vitest";
import type { SignIn, SignInSecrets } from "../../../src/domain/tenancy/sign-in.ts";
import { createIdentityClient } from "../../../src/oauth/identity.ts";
import { refusalFor } from "../../../src/pipeline/people/person-sign-in.ts";

const redirectUri = "https://router.example/console/single-sign-on/callback";
const publicIssuer = "https://login.example.com";

function begin(issuer: string, authorizationEndpoint: string) {
  const asked: string[] = [];
  const send = async (input: string | URL | Request): Promise<Response> => {
    asked.push(String(input instanceof Request ? input.url : input));
    return Response.json({
      issuer,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
  };
  const client = createIdentityClient({ fetch: send, allowPrivate: false, now: () => 1 });
  const signIn = { kind: "openid-connect", issuer, clientId: "router" } as SignIn;
  return { asked, begun: client.begin(signIn, { redirectUri }) };
}

it.each(["https://10.0.0.8", "https://[fd00::1]", "https://169.254.169.254", "https://localhost"])(
  "an issuer at the private address %s is asked nothing",
  async (issuer) => {
    const { asked, begun } = begin(issuer, `${publicIssuer}/authorize`);
    expect((await begun).ok).toBe(false);
    expect(asked).toEqual([]);
  },
);

it("no browser is sent to a private address that a public issuer names", async () => {
  const { begun } = begin(publicIssuer, "https://192.168.0.1/authorize");
  expect((await begun).ok).toBe(false);
  const fine = await begin(publicIssuer, `${publicIssuer}/authorize`).begun;
  expect(fine.ok).toBe(true);
});

it("a provider that gives no answer is named by host and port, with the cause and nothing else", async () => {
  const cause = Object.assign(new Error("secret"), { code: "CERT_HAS_EXPIRED" });
  const client = createIdentityClient({
    fetch: () => Promise.reject(new TypeError("fetch failed at secret", { cause })),
    allowPrivate: false,
    now: () => 1,
  });
  const issuer = "https://login.example.com:8443/secret-path";
  const signIn = { kind: "openid-connect", issuer, clientId: "router" } as SignIn;
  const begun = await client.begin(signIn, { redirectUri });
  expect(begun.ok || refusalFor(begun.error)).toEqual({
    reason: "unavailable",
    retryAfterMs: 1_000,
    cause: "identity_provider",
    detail:
      "the identity provider can't be reached: login.example.com:8443: the TLS certificate has expired or is not valid yet",
  });
});

it("a token answer of status 201 is read, and null in it as absent", async () => {
  const issuer = publicIssuer;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  const lax = {
    access_token: "a",
    token_type: "Bearer",
    expires_in: null,
    scope: null,
    refresh_token: null,
    id_token: null,
  };
  const client = createIdentityClient({
    fetch: async (input) =>
      String(input) === metadata.token_endpoint
        ? Response.json(lax, { status: 201 })
        : Response.json(metadata),
    allowPrivate: false,
    now: () => 1,
  });
  const signIn = { kind: "openid-connect", issuer, clientId: "router", clientSecret: null };
  expect(await client.recheck(signIn as SignInSecrets, "old")).toEqual({
    ok: true,
    value: { claims: null, refreshToken: null },
  });
});
