/** MCP servers that a tenant registered, which clients reach through the proxy. */
import type { OauthAsking, OauthClient, OauthRegistration } from "./oauth.ts";
import type { AccountOwner } from "../tenancy/user.ts";
import type { ServerPolicy } from "../choice/policy.ts";

export const samplingModes = ["router", "client", "client-then-router", "deny"] as const;
/**
 * Who answers a server's sampling requests. `router`: the router, always. `client`: the client; nothing is
 * touched. `client-then-router`: the router where the client's declared capabilities don't cover the request.
 * `deny`: nobody; the server is told of no sampling.
 */
export type SamplingMode = (typeof samplingModes)[number];

export const authModes = ["keys", "oauth", "both"] as const;
/** How clients show who they are to the router: by an API key, by an access token of the router's, or by either. */
export type AuthMode = (typeof authModes)[number];

export const bridgeModes = ["fallback", "always"] as const;
/**
 * When an older server is translated for clients of 2026-07-28. `fallback`: only requests of that revision are,
 * so clients of both eras find out that the server is older. `always`: the router also answers
 * `server/discover`, which clients of that revision alone need.
 */
export type BridgeMode = (typeof bridgeModes)[number];

/** What the router learnt by talking to a server. Forgotten when the server's URL changes; of OAuth, when `oauth` does. */
export interface Learnt {
  /** the server refused richer sampling capabilities than the bare `sampling: {}` */
  bareCapabilities?: boolean;
  era?: "legacy" | "modern";
  /** false: a modern server that refuses the legacy handshake */
  beginsSessions?: boolean;
  /** the authorization server that the entry's client belongs to: the first one that the server named */
  issuer?: string;
  /** scopes that the server asked for in answer to single requests */
  scopes?: string[];
}

export interface McpServer {
  id: string;
  tenantId: string;
  /** unique within its tenant; the last segment of `/mcp/{tenant}/{server}` */
  slug: string;
  url: string;
  /** names of the static headers, as they were given; their values are sealed */
  headerNames: string[];
  /** which of a client's further headers go on to the server */
  passHeaders: string[];
  /** whether the client's own `Authorization` goes on to the server */
  forwardAuthorization: boolean;
  sampling: SamplingMode;
  /**
   * whether the router advertises to the server which modalities it can produce; strict servers reject the
   * member
   */
  supportedModalities: boolean;
  auth: AuthMode;
  bridge: BridgeMode;
  policy: ServerPolicy;
  oauth: OauthClient | null;
  learnt: Learnt;
  /** `failing`: the server answered 401, or its authorization server gives no token */
  status: "active" | "failing";
  createdAt: number;
  updatedAt: number;
}

/** A server with its sealed secrets, JSON of `ServerSecrets`; null: it has none. */
export interface SealedServer extends McpServer {
  sealed: string | null;
}

export interface ServerSecrets {
  headers: Record<string, string>;
  clientSecret: string | null;
  /** the last that the router made of itself */
  registration?: OauthRegistration;
}

export const shownServer = ({ sealed: _, ...server }: SealedServer): McpServer => server;

type Destined = Pick<McpServer, "tenantId" | "id" | "url" | "oauth">;

/** Every URL to which an entry sends the secrets that are sealed for it. */
const destinationOf = ({ url, oauth }: Destined): string =>
  JSON.stringify([url, oauth?.tokenEndpoint ?? null, oauth?.authorizationEndpoint ?? null]);

/** Whether secrets that are sealed for one entry open for another. */
export const isSameDestination = (one: Destined, other: Destined): boolean =>
  destinationOf(one) === destinationOf(other);

/** What a server's secrets are sealed for: the URLs that they were given for, and no others. */
export const secretsOf = (server: Destined) => ({
  purpose: "server" as const,
  tenantId: server.tenantId,
  provider: URL.parse(server.url)?.origin ?? "",
  id: server.id,
  destination: destinationOf(server),
});

/** What is asked of the server's authorization server, and as whom. */
export const askingFor = (
  { url, learnt }: Pick<McpServer, "url" | "learnt">,
  client: OauthClient,
  { clientSecret, registration }: Pick<ServerSecrets, "clientSecret" | "registration">,
): OauthAsking => ({
  url,
  client,
  clientSecret,
  registration: registration ?? null,
  issuer: client.clientId === null ? null : (learnt.issuer ?? null),
  scopes: learnt.scopes ?? [],
});

/** The issuer to which the entry's client belongs from now on; null: it is known, or there is nothing to know. */
export const issuerToLearn = (
  { learnt }: Pick<McpServer, "learnt">,
  { clientId, tokenEndpoint }: OauthClient,
  issuer: string,
): string | null =>
  clientId === null || tokenEndpoint !== null || learnt.issuer !== undefined ? null : issuer;

/** Whether each person has an account of their own at the server. */
export const isPerUser = ({ oauth }: Pick<McpServer, "oauth">): boolean => oauth?.per === "user";

const withOwner = (id: string, owner: AccountOwner | null): string =>
  owner === null ? id : `${id} ${owner.userId} ${owner.shown}`;

/** What a server's tokens are sealed for: the same as its secrets, and their owner. `owner` null: they are the tenant's. */
export const tokenOf = (server: Destined, owner: AccountOwner | null = null) => ({
  ...secretsOf(server),
  purpose: "token" as const,
  id: withOwner(server.id, owner),
});

/** What a pending authorization is sealed for: the same as the tokens that it is to bring, and its end. */
export const pendingOf = (
  server: Destined,
  { id, owner, expiresAt }: { id: string; owner: AccountOwner | null; expiresAt: number },
) => ({
  ...secretsOf(server),
  purpose: "authorization" as const,
  id: `${withOwner(server.id, owner)} ${id} ${expiresAt}`,
});
