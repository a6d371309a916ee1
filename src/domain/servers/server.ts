import type { OauthContext, OauthClient, OauthRegistration } from "./oauth.ts";
import type { AccountOwner } from "../tenancy/user.ts";
import type { ServerPolicy } from "../choice/policy.ts";

export const samplingModes = ["router", "client", "client-then-router", "deny"] as const;
/**
 * `client`: untouched. `client-then-router`: the router if the client can't. `deny`: refused and not
 * advertised.
 */
export type SamplingMode = (typeof samplingModes)[number];

export const authModes = ["keys", "oauth", "both"] as const;
export type AuthMode = (typeof authModes)[number];

export const bridgeModes = ["fallback", "always"] as const;
/**
 * `always` also answers `server/discover`; `fallback` does not, so that clients of both eras detect a legacy
 * server.
 */
export type BridgeMode = (typeof bridgeModes)[number];

/** Learned from the server. Reset when the URL changes, and OAuth data when `oauth` changes. */
export interface Learned {
  /** the server rejects more than `sampling: {}` */
  bareCapabilities?: boolean;
  era?: "legacy" | "modern";
  /** false: a modern server that refused the legacy handshake */
  acceptsInitialize?: boolean;
  /** the first advertised authorization server, which owns the entry's client */
  issuer?: string;
  scopes?: string[];
  lastCheck?: {
    at: number;
    ok: boolean;
    detail: string;
    era?: "legacy" | "modern" | null;
    tools?: number | null;
  };
}

export interface McpServer {
  id: string;
  tenantId: string;
  /** unique per tenant; last segment of `/mcp/{tenant}/{server}` */
  slug: string;
  url: string;
  headerNames: string[];
  passHeaders: string[];
  forwardAuthorization: boolean;
  sampling: SamplingMode;
  /** behind a bridge: clients would have to sample, and can't be asked */
  samplingCrosses?: false;
  /** whether to advertise output modalities; strict servers reject the member */
  supportedModalities: boolean;
  auth: AuthMode;
  bridge: BridgeMode;
  /** whether calls of 2026-07-28 clients wait at a legacy server while the client answers its questions */
  parking: boolean;
  policy: ServerPolicy;
  oauth: OauthClient | null;
  learned: Learned;
  /** `failing`: 401, or no token from the authorization server */
  status: "active" | "failing";
  createdAt: number;
  updatedAt: number;
}

export interface SealedServer extends McpServer {
  sealed: string | null;
}

export interface ServerSecrets {
  headers: Record<string, string>;
  clientSecret: string | null;
  registration?: OauthRegistration;
}

export const shownServer = ({ sealed: _, ...server }: SealedServer): McpServer => server;

type Destined = Pick<McpServer, "tenantId" | "id" | "url" | "oauth">;

const destinationOf = ({ url, oauth }: Destined): string =>
  JSON.stringify([url, oauth?.tokenEndpoint ?? null, oauth?.authorizationEndpoint ?? null]);

export const isSameDestination = (one: Destined, other: Destined): boolean =>
  destinationOf(one) === destinationOf(other);

/** Binds secrets to the URLs that they were given for. */
export const secretsOf = (server: Destined) => ({
  purpose: "server" as const,
  tenantId: server.tenantId,
  provider: URL.parse(server.url)?.origin ?? "",
  id: server.id,
  destination: destinationOf(server),
});

export const oauthContextFor = (
  { url, learned }: Pick<McpServer, "url" | "learned">,
  client: OauthClient,
  { clientSecret, registration }: Pick<ServerSecrets, "clientSecret" | "registration">,
): OauthContext => ({
  url,
  client,
  clientSecret,
  registration: registration ?? null,
  issuer: client.clientId === null ? null : (learned.issuer ?? null),
  scopes: learned.scopes ?? [],
});

export const issuerToLearn = (
  { learned }: Pick<McpServer, "learned">,
  { clientId, tokenEndpoint }: OauthClient,
  issuer: string,
): string | null =>
  clientId === null || tokenEndpoint !== null || learned.issuer !== undefined ? null : issuer;

export const isPerUser = ({ oauth }: Pick<McpServer, "oauth">): boolean => oauth?.per === "user";

const withOwner = (id: string, owner: AccountOwner | null): string =>
  owner === null ? id : `${id} ${owner.userId} ${owner.shown}`;

export const tokenOf = (server: Destined, owner: AccountOwner | null = null) => ({
  ...secretsOf(server),
  purpose: "token" as const,
  id: withOwner(server.id, owner),
});

export const pendingOf = (
  server: Destined,
  { id, owner, expiresAt }: { id: string; owner: AccountOwner | null; expiresAt: number },
) => ({
  ...secretsOf(server),
  purpose: "authorization" as const,
  id: `${withOwner(server.id, owner)} ${id} ${expiresAt}`,
});
