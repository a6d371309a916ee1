/** OAuth 2.1 client with `oauth4webapi`; port: `domain/servers/oauth.ts`. */
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  clientCredentialsGrantRequest,
  generateRandomCodeVerifier,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateAuthResponse,
  type AuthorizationServer,
  type TokenEndpointResponse,
} from "oauth4webapi";
import type {
  Oauth,
  OauthContext,
  OauthGrant,
  OauthIdentity,
  OauthTerms,
  PendingAuthorization,
} from "../domain/servers/oauth.ts";
import { boundedUrl } from "../domain/bounded-url.ts";
import { scopesOfBoth } from "../domain/servers/bearer-challenge.ts";
import { err, ok } from "../domain/result.ts";
import { authenticationAt, authenticator } from "./client-authentication.ts";
import { discover } from "./discovery.ts";
import { createExchange, type ExchangeDeps } from "./exchange.ts";
import { clientIdentityAt } from "./registration.ts";

const identityOf = (
  { client, clientSecret }: OauthContext,
  { registered }: Pick<OauthTerms, "registered">,
): OauthIdentity => registered ?? { clientId: client.clientId ?? "", clientSecret };

const clientOf = ({ clientId }: OauthIdentity) => ({ client_id: clientId });
const serverOf = ({ issuer, tokenEndpoint }: OauthTerms): AuthorizationServer => ({
  issuer,
  token_endpoint: tokenEndpoint,
});

/** Upper bound for `expires_in`, in s. */
const longestLifeSeconds = 10 * 366 * 86_400;

/** ms since the epoch. */
export const expiryOf = (seconds: number | undefined, now: number): number | null =>
  seconds === undefined
    ? null
    : now + Math.round(1_000 * Math.max(0, Math.min(longestLifeSeconds, seconds)));

export function createOauth(given: Omit<ExchangeDeps, "idTokens"> & { now: () => number }): Oauth {
  const deps = { ...given, idTokens: "drop" } as const;
  const grantOf = (
    terms: OauthTerms,
    answer: TokenEndpointResponse,
    refreshToken: string | null,
  ): OauthGrant => {
    // The library accepts DPoP tokens, which are useless as bearer tokens.
    if (answer.token_type !== "bearer") throw new Error("no bearer token");
    return {
      ...terms,
      accessToken: answer.access_token,
      expiresAt: expiryOf(answer.expires_in, deps.now()),
      refreshToken: answer.refresh_token ?? refreshToken,
    };
  };

  return {
    async begin(asking, redirect) {
      const { redirectUri, state } = redirect;
      const exchange = createExchange(deps);
      const found = await discover(exchange, asking);
      if (!found.ok) return found;
      const { as, resource, scopes, isDiscovered } = found.value;
      if (as.authorization_endpoint === undefined || as.token_endpoint === undefined)
        return err("not_discovered");
      // Clients must not proceed without PKCE (2025-11-25, basic/authorization).
      if (isDiscovered && as.code_challenge_methods_supported?.includes("S256") !== true)
        return err("no_pkce");
      const known = await clientIdentityAt(exchange, { as, asking, redirect, now: deps.now() });
      if (!known.ok) return known;
      const { identity, authentication, registration } = known.value;
      const verifier = generateRandomCodeVerifier();
      const url = new URL(as.authorization_endpoint);
      const offline = as.scopes_supported?.includes("offline_access") === true;
      const wanted = asking.client.scope?.split(" ") ?? [
        ...scopesOfBoth(scopes, asking.scopes),
        ...(offline ? ["offline_access"] : []),
      ];
      const parameters = {
        response_type: "code",
        client_id: identity.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        resource,
        ...(wanted.length > 0 && { scope: wanted.join(" ") }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const pending: PendingAuthorization = {
        verifier,
        redirectUri,
        issuer: as.issuer,
        tokenEndpoint: as.token_endpoint,
        resource,
        authentication,
        scopes: wanted,
        ...(asking.client.clientId === null && { registered: identity }),
        sendsIssuer: as.authorization_response_iss_parameter_supported === true,
      };
      return ok({ authorizationUrl: url.href, pending, registration });
    },

    finish(asking, { pending, state, query }) {
      const { verifier, redirectUri, sendsIssuer, ...terms } = pending;
      const exchange = createExchange(deps);
      return exchange.attempt(async () => {
        const identity = identityOf(asking, terms);
        const client = clientOf(identity);
        const came = new URLSearchParams(query);
        const as = {
          ...serverOf(terms),
          authorization_response_iss_parameter_supported: sendsIssuer,
        };
        // Configured endpoints give only the token endpoint's origin, so any `iss` of that origin is accepted.
        const issuer = came.get("iss");
        if (asking.client.tokenEndpoint !== null && boundedUrl(issuer ?? "")?.origin === as.issuer)
          as.issuer = issuer ?? as.issuer;
        const answer = await authorizationCodeGrantRequest(
          as,
          client,
          authenticator(terms.authentication, identity.clientSecret),
          validateAuthResponse(as, client, came, state),
          redirectUri,
          verifier,
          { ...exchange.options, additionalParameters: { resource: terms.resource } },
        );
        return grantOf(terms, await processAuthorizationCodeResponse(as, client, answer), null);
      });
    },

    async byClientCredentials(asking) {
      const exchange = createExchange(deps);
      const found = await discover(exchange, asking);
      if (!found.ok) return found;
      const { as, resource } = found.value;
      const wider = asking.scopes.length > 0 && scopesOfBoth(found.value.scopes, asking.scopes);
      const wanted = asking.client.scope ?? (wider ? wider.join(" ") : null);
      const terms: OauthTerms = {
        issuer: as.issuer,
        tokenEndpoint: as.token_endpoint ?? "",
        resource,
        authentication: authenticationAt(as, asking.clientSecret),
        scopes: wanted?.split(" ") ?? [],
      };
      return exchange.attempt(async () => {
        const client = clientOf(identityOf(asking, {}));
        const answer = await clientCredentialsGrantRequest(
          serverOf(terms),
          client,
          authenticator(terms.authentication, asking.clientSecret),
          { resource, ...(wanted !== null && { scope: wanted }) },
          exchange.options,
        );
        return grantOf(
          terms,
          await processClientCredentialsResponse(serverOf(terms), client, answer),
          null,
        );
      });
    },

    async refresh(asking, { accessToken: _, expiresAt: _ends, refreshToken, ...terms }) {
      if (refreshToken === null) return err("no_refresh_token");
      const exchange = createExchange(deps);
      return exchange.attempt(async () => {
        const identity = identityOf(asking, terms);
        const client = clientOf(identity);
        const answer = await refreshTokenGrantRequest(
          serverOf(terms),
          client,
          authenticator(terms.authentication, identity.clientSecret),
          refreshToken,
          { ...exchange.options, additionalParameters: { resource: terms.resource } },
        );
        return grantOf(
          terms,
          await processRefreshTokenResponse(serverOf(terms), client, answer),
          refreshToken,
        );
      });
    },
  };
}
