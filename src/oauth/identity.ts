/**
 * OpenID Connect client (code flow with PKCE) with `oauth4webapi`, which checks issuer, audience, times, nonce,
 * and algorithm. The signature is checked here by the issuer's keys.
 */
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  type AuthorizationServer,
} from "oauth4webapi";
import type { IdentityClient } from "../domain/ports/sign-ins.ts";
import type { Claims, SignIn } from "../domain/tenancy/sign-in.ts";
import { problemWithEndpoint } from "../domain/servers/upstreams.ts";
import { createAccessVerifier } from "./access-token.ts";
import { authenticationAt, authenticator } from "./client-authentication.ts";
import { createExchange, type Exchange, type ExchangeDeps } from "./exchange.ts";

async function discovered(
  exchange: Exchange,
  { issuer }: Pick<SignIn, "issuer">,
): Promise<AuthorizationServer> {
  const url = new URL(issuer);
  const answer = await discoveryRequest(url, { ...exchange.options, algorithm: "oidc" });
  const as = await processDiscoveryResponse(url, answer);
  // Checked like URLs that the router calls.
  if (problemWithEndpoint(as.authorization_endpoint ?? "", exchange) !== null)
    throw new Error("no endpoint for a person");
  return as;
}

const onceScope = "openid email";
/** Providers may reject unannounced scopes. */
const lastingScope = ({ scopes_supported: known }: AuthorizationServer): string =>
  known?.includes("offline_access") === true ? `${onceScope} offline_access` : onceScope;

export function createIdentityClient(
  deps: Omit<ExchangeDeps, "idTokens"> & { now: () => number },
): IdentityClient {
  const exchangeOf = (): Exchange => createExchange({ ...deps, idTokens: "keep" });
  return {
    begin(signIn, { redirectUri, pending: given, asks }) {
      const exchange = exchangeOf();
      return exchange.attempt(async () => {
        const as = await discovered(exchange, signIn);
        const pending = given ?? {
          state: generateRandomState(),
          nonce: generateRandomNonce(),
          verifier: generateRandomCodeVerifier(),
        };
        const url = new URL(as.authorization_endpoint ?? "");
        const parameters = {
          response_type: "code",
          client_id: signIn.clientId,
          redirect_uri: redirectUri,
          scope: asks === "lasting" ? lastingScope(as) : onceScope,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: "S256",
        };
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
        return { url: url.href, pending };
      });
    },
    finish(signIn, { pending, redirectUri, query }) {
      const exchange = exchangeOf();
      return exchange.attempt(async () => {
        const as = await discovered(exchange, signIn);
        const client = { client_id: signIn.clientId };
        const answer = await authorizationCodeGrantRequest(
          as,
          client,
          authenticator(authenticationAt(as, signIn.clientSecret), signIn.clientSecret),
          validateAuthResponse(as, client, new URLSearchParams(query), pending.state),
          redirectUri,
          pending.verifier,
          exchange.options,
        );
        const tokens = await processAuthorizationCodeResponse(as, client, answer, {
          expectedNonce: pending.nonce,
          requireIdToken: true,
        });
        await validateApplicationLevelSignature(as, answer, exchange.options);
        const claims = getValidatedIdTokenClaims(tokens) as unknown as Claims;
        return { claims, refreshToken: tokens.refresh_token ?? null };
      });
    },
    recheck(signIn, refreshToken) {
      const exchange = exchangeOf();
      return exchange.attempt(async () => {
        const as = await discovered(exchange, signIn);
        const client = { client_id: signIn.clientId };
        const answer = await refreshTokenGrantRequest(
          as,
          client,
          authenticator(authenticationAt(as, signIn.clientSecret), signIn.clientSecret),
          refreshToken,
          exchange.options,
        );
        const tokens = await processRefreshTokenResponse(as, client, answer);
        const validated = getValidatedIdTokenClaims(tokens);
        if (validated !== undefined)
          await validateApplicationLevelSignature(as, answer, exchange.options);
        return {
          claims: (validated as unknown as Claims | undefined) ?? null,
          refreshToken: tokens.refresh_token ?? null,
        };
      });
    },
    keysOf(signIn) {
      const exchange = exchangeOf();
      return exchange.attempt(async () => {
        const { jwks_uri: place = "" } = await discovered(exchange, signIn);
        if (problemWithEndpoint(place, exchange) !== null) throw new Error("no place of keys");
        return place;
      });
    },
    verify(signIn, token) {
      const exchange = exchangeOf();
      return exchange.attempt(() => createAccessVerifier({ ...deps, exchange })(signIn, token));
    },
  };
}
