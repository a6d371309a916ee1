/** How the router shows a client's secret to an authorization server. */
import { ClientSecretPost, None, type AuthorizationServer, type ClientAuth } from "oauth4webapi";
import type { OauthGrant } from "../domain/servers/oauth.ts";

export function authenticationAt(
  as: AuthorizationServer,
  secret: string | null,
): OauthGrant["authentication"] {
  if (secret === null) return "none";
  // RFC 8414: a server that lists no methods takes Basic alone.
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return !methods.includes("client_secret_basic") && methods.includes("client_secret_post")
    ? "post"
    : "basic";
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/**
 * RFC 6749 wants id and secret form-encoded, and many servers don't decode them. The library encodes
 * even hyphens and dots, which the form encoding leaves alone. Encoded as here, most secrets read the
 * same with and without decoding.
 */
const basic =
  (secret: string): ClientAuth =>
  (_, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
    headers.set("Authorization", `Basic ${btoa(credentials)}`);
  };

export function authenticator(
  how: OauthGrant["authentication"],
  secret: string | null,
): ClientAuth {
  if (how === "none" || secret === null) return None();
  return how === "post" ? ClientSecretPost(secret) : basic(secret);
}
