/** A client of the router's authorization server, without a browser: it keeps cookies, and says what came back. */
import { createHash, randomBytes } from "node:crypto";

export const redirectUri = "http://127.0.0.1:7777/callback";

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export const registration = {
  client_name: "A client",
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

export const registrationRequest = (issuer: string, change: object = {}): Request =>
  new Request(`${issuer}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...registration, ...change }),
  });

export function authorizeUrl(
  issuer: string,
  of: { clientId: string; resource: string; challenge: string } & Record<string, string>,
): string {
  const { clientId, resource, challenge, ...more } = of;
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state: "a-state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource,
    ...more,
  });
  return `${issuer}/oauth/authorize?${query}`;
}

/** The `Cookie` header of a browser that got these headers. */
export const cookiesIn = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");

export const formRequest = (url: string, fields: Record<string, string>): Request =>
  new Request(url, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
