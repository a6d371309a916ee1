import type { OauthClient } from "./oauth.ts";
import { problemWithPassHeaders } from "./proxied-headers.ts";
import { hasHeader, problemWithHeaders } from "./static-headers.ts";
import { problemWithEndpoint, problemWithUpstream, type UpstreamRules } from "./upstreams.ts";

interface Problem {
  path: string;
  detail: string;
}

export interface ServerEntry {
  url: string;
  headers: Record<string, string>;
  passHeaders: readonly string[];
  forwardAuthorization: boolean;
  oauth: (Omit<OauthClient, "hasSecret"> & { clientSecret: string | null }) | null;
}

function problemWithOauth(
  oauth: NonNullable<ServerEntry["oauth"]>,
  allow: UpstreamRules,
): Problem | null {
  for (const endpoint of ["tokenEndpoint", "authorizationEndpoint"] as const) {
    const url = oauth[endpoint];
    const detail = url === null ? null : problemWithEndpoint(url, allow);
    if (detail !== null) return { path: `oauth.${endpoint}`, detail };
  }
  if (oauth.resource !== null) {
    const resource = URL.parse(oauth.resource);
    if (resource === null || resource.hash !== "")
      return { path: "oauth.resource", detail: "An absolute URI without a fragment." };
  }
  if (oauth.clientId === null) {
    const detail =
      oauth.grant === "client_credentials"
        ? "Client credentials need one."
        : oauth.clientSecret !== null
          ? "A secret belongs to a client: give its clientId."
          : oauth.tokenEndpoint === null && oauth.authorizationEndpoint === null
            ? null
            : "The router registers itself where the server's metadata says: give a clientId, or no endpoints.";
    if (detail !== null) return { path: "oauth.clientId", detail };
  }
  if (oauth.grant === "client_credentials") {
    if (oauth.per === "user")
      return { path: "oauth.per", detail: "A person's own account needs authorization_code." };
    if (oauth.clientSecret === null)
      return { path: "oauth.clientSecret", detail: "Client credentials need one." };
    if (oauth.authorizationEndpoint !== null)
      return {
        path: "oauth.authorizationEndpoint",
        detail: "This grant has no authorization endpoint.",
      };
  } else if ((oauth.authorizationEndpoint === null) !== (oauth.tokenEndpoint === null))
    // A given and a discovered endpoint could belong to two authorization servers.
    return { path: "oauth", detail: "Give both endpoints, or none to have them discovered." };
  return null;
}

export function problemWithServer(entry: ServerEntry, allow: UpstreamRules): Problem | null {
  const url = problemWithUpstream(entry.url, allow);
  if (url !== null) return { path: "url", detail: url };
  const header = problemWithHeaders(entry.headers);
  if (header !== null)
    return {
      path: header.name === null ? "headers" : `headers.${header.name}`,
      detail: header.detail,
    };
  const passed = problemWithPassHeaders(entry.passHeaders);
  if (passed !== null)
    return {
      path: passed.index === null ? "passHeaders" : `passHeaders.${passed.index}`,
      detail: passed.detail,
    };
  const own = hasHeader(Object.keys(entry.headers), "authorization");
  if (Number(own) + Number(entry.forwardAuthorization) + Number(entry.oauth !== null) > 1)
    return {
      path: entry.forwardAuthorization ? "forwardAuthorization" : "oauth",
      detail: "One of a static Authorization header, the client's own, and OAuth.",
    };
  return entry.oauth === null ? null : problemWithOauth(entry.oauth, allow);
}
