/** Finds a server's authorization server: configured, or by RFC 9728 and RFC 8414. */
import {
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
  resourceDiscoveryRequest,
  type AuthorizationServer,
} from "oauth4webapi";
import type { OauthContext, OauthFault } from "../domain/servers/oauth.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { boundedUrl } from "../domain/bounded-url.ts";
import {
  bearerChallengeIn,
  isScope,
  type BearerChallenge,
} from "../domain/servers/bearer-challenge.ts";
import { problemWithEndpoint } from "../domain/servers/upstreams.ts";
import type { Exchange } from "./exchange.ts";

export interface Discovered {
  as: AuthorizationServer;
  /** RFC 8707 resource indicator */
  resource: string;
  /** requested by the refusal, else offered by the metadata */
  scopes: string[];
  /** `false` if only endpoints are known */
  isDiscovered: boolean;
}

interface Resource {
  resource: string;
  issuer: URL;
  scopes: string[];
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** RFC 9728 requires the exact URL; SDKs also accept a parent. */
function covers(resource: string, url: URL): boolean {
  const resourceUrl = boundedUrl(resource);
  if (resourceUrl?.origin !== url.origin) return false;
  const folder = resourceUrl.pathname.endsWith("/")
    ? resourceUrl.pathname
    : `${resourceUrl.pathname}/`;
  return `${url.pathname}/`.startsWith(folder);
}

async function resourceAt(exchange: Exchange, place: URL, url: URL): Promise<Resource | null> {
  return resourceIn(await resourceDiscoveryRequest(place, exchange.options), url);
}

interface Challenge extends BearerChallenge {
  /** the server requires a token */
  isRefusal: boolean;
}

const silence: Challenge = { isRefusal: false, ...bearerChallengeIn(null) };

/**
 * RFC 9728 section 5.1. Asks without a token, by a message without effect. Source: 2025-11-25,
 * basic/authorization, "Scope Selection Strategy".
 */
async function challengeOf(exchange: Exchange, url: URL): Promise<Challenge> {
  const headers = {
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
  };
  const refused = await exchange.options[customFetch](url.href, {
    method: "POST",
    headers,
    body: ping,
  });
  const isRefusal = refused.status === 401;
  const challenge = isRefusal ? refused.headers.get("WWW-Authenticate") : null;
  return { isRefusal, ...bearerChallengeIn(challenge) };
}

async function resourceNamed(
  exchange: Exchange,
  { metadata }: Challenge,
  url: URL,
): Promise<Resource | null> {
  if (metadata === null) return null;
  return resourceIn(
    await exchange.options[customFetch](metadata, { method: "GET", headers: {} }),
    url,
  );
}

async function resourceIn(answer: Response, url: URL): Promise<Resource | null> {
  if (answer.status !== 200) return null;
  const body = (await answer.json()) as Record<string, unknown>;
  const { resource } = body;
  if (typeof resource !== "string" || !covers(resource, url)) throw new Error("another resource");
  const [named = url.origin] = textsIn(body["authorization_servers"]);
  const issuer = boundedUrl(named);
  if (issuer === null) throw new Error("no issuer");
  return { resource, issuer, scopes: textsIn(body["scopes_supported"]).filter(isScope) };
}

async function serverAt(exchange: Exchange, issuer: URL): Promise<AuthorizationServer | null> {
  for (const algorithm of ["oauth2", "oidc"] as const) {
    const answer = await discoveryRequest(issuer, { ...exchange.options, algorithm });
    if (answer.status === 200) return processDiscoveryResponse(issuer, answer);
  }
  return null;
}

/**
 * Before 2025-06-18 a server without metadata is its own authorization server. Source: 2025-03-26,
 * basic/authorization, "Fallbacks for Servers without Metadata Discovery".
 */
function withoutMetadata({ origin }: URL): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

export async function discover(
  exchange: Exchange,
  { url: text, client, issuer }: Pick<OauthContext, "url" | "client" | "issuer">,
): Promise<Result<Discovered, OauthFault>> {
  const url = new URL(text);
  const { tokenEndpoint, authorizationEndpoint } = client;
  if (tokenEndpoint !== null)
    return ok({
      as: {
        issuer: new URL(tokenEndpoint).origin,
        token_endpoint: tokenEndpoint,
        ...(authorizationEndpoint !== null && { authorization_endpoint: authorizationEndpoint }),
      },
      resource: client.resource ?? text,
      scopes: [],
      isDiscovered: false,
    });
  const found = await exchange.attempt(async () => {
    const root = new URL(url.origin);
    // Metadata counts whatever the server answers.
    const asked = await exchange.attempt(() => challengeOf(exchange, url));
    const challenge = asked.ok ? asked.value : silence;
    const described =
      (await resourceNamed(exchange, challenge, url)) ??
      (await resourceAt(exchange, url, url)) ??
      (url.pathname === "/" ? null : await resourceAt(exchange, root, url));
    // Before 2025-06-18 the MCP server was the authorization server.
    const resource = described ?? { resource: text, issuer: root, scopes: [] };
    const as = await serverAt(exchange, resource.issuer);
    const isUndescribed =
      as === null && described === null && challenge.metadata === null && challenge.isRefusal;
    return {
      resource,
      scopes: challenge.scopes ?? resource.scopes,
      as: isUndescribed ? withoutMetadata(url) : as,
      isDiscovered: !isUndescribed,
    };
  });
  if (!found.ok) return found;
  const { resource, scopes, as, isDiscovered } = found.value;
  if (as?.token_endpoint === undefined) return err("not_discovered");
  // A compromised server must not redirect the client's secret.
  if (issuer !== null && as.issuer !== issuer) return err("issuer_changed");
  for (const endpoint of [as.token_endpoint, as.authorization_endpoint, as.registration_endpoint])
    if (endpoint !== undefined && problemWithEndpoint(endpoint, exchange) !== null)
      return err("not_allowed");
  return ok({
    as,
    resource: client.resource ?? resource.resource,
    scopes,
    isDiscovered,
  });
}
