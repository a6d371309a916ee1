import { ClientSecretPost, None, type AuthorizationServer, type ClientAuth } from "oauth4webapi";
import type { OauthGrant } from "../domain/servers/oauth.ts";

export function authenticationAt(
  as: AuthorizationServer,
  secret: string | null,
): OauthGrant["authentication"] {
  if (secret === null) return "none";
  // Basic is the default (RFC 8414).
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return !methods.includes("client_secret_basic") && methods.includes("client_secret_post")
    ? "post"
    : "basic";
}

const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/**
 * RFC 6749 form-encodes id and secret, which many servers don't decode. The library also encodes hyphens and
 * dots; this encoding leaves most secrets unchanged.
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
