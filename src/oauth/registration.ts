/**
 * The router's client identity at an authorization server: configured, by metadata document, or registered.
 * Source: 2025-11-25, basic/authorization, "Client Registration Approaches"; 2026-07-28 binds each to its
 * authorization server.
 */
import {
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  type AuthorizationServer,
} from "oauth4webapi";
import type {
  OauthContext,
  OauthFault,
  OauthIdentity,
  OauthRedirect,
  OauthRegistration,
  OauthTerms,
} from "../domain/servers/oauth.ts";
import { clientDescription } from "../domain/servers/client-description.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { authenticationAt } from "./client-authentication.ts";
import type { Exchange } from "./exchange.ts";

/** ms. A forgotten registration is undetectable, so each is reused for a day. Grants keep their own. */
const livesMs = 24 * 3_600_000;

export interface Known {
  identity: OauthIdentity;
  authentication: OauthTerms["authentication"];
  registration: OauthRegistration | null;
}

const methodNames = { none: "none", basic: "client_secret_basic", post: "client_secret_post" };

/** Prefers a public client with PKCE. */
function wishedAt(as: AuthorizationServer): OauthTerms["authentication"] {
  const methods = as.token_endpoint_auth_methods_supported ?? [];
  return methods.includes("none") ? "none" : authenticationAt(as, "");
}

/** The server may choose another method. */
function authenticationOf(
  as: AuthorizationServer,
  made: { method: unknown; secret: string | null },
): OauthTerms["authentication"] {
  if (made.secret === null) return "none";
  if (made.method === methodNames.post) return "post";
  return made.method === methodNames.basic ? "basic" : authenticationAt(as, made.secret);
}

/** Many servers answer 200 instead of 201 and omit the secret's expiry, which RFC 7591 requires. */
async function completed(answer: Response): Promise<Response> {
  if (answer.status !== 200 && answer.status !== 201) return answer;
  const body = (await answer.json()) as object;
  return Response.json({ client_secret_expires_at: 0, ...body }, { status: 201 });
}

const register = (
  exchange: Exchange,
  { as, redirectUri, now }: { as: AuthorizationServer; redirectUri: string; now: number },
): Promise<Result<OauthRegistration, OauthFault>> =>
  exchange.attempt(async () => {
    const wished = methodNames[wishedAt(as)];
    const made = await processDynamicClientRegistrationResponse(
      await completed(
        await dynamicClientRegistrationRequest(
          as,
          { ...clientDescription(redirectUri), token_endpoint_auth_method: wished },
          exchange.options,
        ),
      ),
    );
    const secret = typeof made.client_secret === "string" ? made.client_secret : null;
    const method = made.token_endpoint_auth_method;
    return {
      clientId: made.client_id,
      // A secret with the method `none` is unused.
      clientSecret: method === methodNames.none ? null : secret,
      issuer: as.issuer,
      redirectUri,
      authentication:
        method === methodNames.none ? "none" : authenticationOf(as, { method, secret }),
      at: now,
    };
  });

export async function clientIdentityAt(
  exchange: Exchange,
  {
    as,
    asking: { client, clientSecret, registration: kept },
    redirect: { redirectUri, describedAt },
    now,
  }: { as: AuthorizationServer; asking: OauthContext; redirect: OauthRedirect; now: number },
): Promise<Result<Known, OauthFault>> {
  if (client.clientId !== null)
    return ok({
      identity: { clientId: client.clientId, clientSecret },
      authentication: authenticationAt(as, clientSecret),
      registration: null,
    });
  if (describedAt !== null && as["client_id_metadata_document_supported"] === true)
    return ok({
      identity: { clientId: describedAt, clientSecret: null },
      authentication: "none",
      registration: null,
    });
  const asKept = ({ clientId, clientSecret: secret, authentication }: OauthRegistration) => ({
    identity: { clientId, clientSecret: secret },
    authentication,
  });
  const isGood =
    kept !== null &&
    kept.issuer === as.issuer &&
    kept.redirectUri === redirectUri &&
    now - kept.at < livesMs;
  if (isGood) return ok({ ...asKept(kept), registration: null });
  if (as.registration_endpoint === undefined) return err("not_registered");
  const made = await register(exchange, { as, redirectUri, now });
  return made.ok ? ok({ ...asKept(made.value), registration: made.value }) : made;
}
