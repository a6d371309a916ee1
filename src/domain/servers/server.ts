/** MCP servers that a tenant registered, so that the proxy can stand in front of them. */
import type { OauthClient } from "./oauth.ts";
import type { ServerPolicy } from "../choice/policy.ts";

export const samplingModes = ["router", "client", "client-then-router", "deny"] as const;
/**
 * Who answers a server's sampling requests. `router`: here, always. `client`: nothing is touched.
 * `client-then-router`: here when the client's declared capabilities don't cover the request. `deny`:
 * refused here, and the server is told of no sampling.
 */
export type SamplingMode = (typeof samplingModes)[number];

export const bridgeModes = ["fallback", "always"] as const;
/**
 * When an older server is translated for clients of 2026-07-28. `fallback`: for requests of that revision
 * alone, so that clients of both find out that the server is older. `always`: the router answers
 * `server/discover` too, which clients of that revision alone need.
 */
export type BridgeMode = (typeof bridgeModes)[number];

/** What the router found out by talking to a server. Forgotten when its URL changes. */
export interface Learnt {
  /** it refused richer sampling capabilities than the bare `sampling: {}` */
  bareCapabilities?: boolean;
  era?: "legacy" | "modern";
  /** false: a modern one that refuses the legacy handshake */
  beginsSessions?: boolean;
}

export interface McpServer {
  id: string;
  tenantId: string;
  /** of its tenant; the last segment of `/mcp/{tenant}/{server}` */
  slug: string;
  url: string;
  /** of the static headers, as they were given; the values are sealed */
  headerNames: string[];
  /** of a client's headers those that go on to the server too; `["*"]`: nearly all (`proxied-headers.ts`) */
  passHeaders: string[];
  /** the client's own `Authorization` goes on to the server */
  forwardAuthorization: boolean;
  sampling: SamplingMode;
  /** tell the server of the modalities that the router can produce; strict servers reject the field */
  supportedModalities: boolean;
  bridge: BridgeMode;
  policy: ServerPolicy;
  oauth: OauthClient | null;
  learnt: Learnt;
  /** `failing`: it answered 401, or its authorization server gives no token */
  status: "active" | "failing";
  createdAt: number;
  updatedAt: number;
}

/** A server with what the vault sealed: JSON of `ServerSecrets`; null: it has none. */
export interface SealedServer extends McpServer {
  sealed: string | null;
}

export interface ServerSecrets {
  headers: Record<string, string>;
  clientSecret: string | null;
}

export const shownServer = ({ sealed: _, ...server }: SealedServer): McpServer => server;

type Destined = Pick<McpServer, "tenantId" | "id" | "url" | "oauth">;

/** Every URL to which an entry sends what is sealed for it. */
const destinationOf = ({ url, oauth }: Destined): string =>
  JSON.stringify([url, oauth?.tokenEndpoint ?? null, oauth?.authorizationEndpoint ?? null]);

/** Whether secrets that are sealed for one entry open for another. */
export const isSameDestination = (one: Destined, other: Destined): boolean =>
  destinationOf(one) === destinationOf(other);

/** Secrets are bound to the URLs they were given for: they open for no others. */
export const secretsOf = (server: Destined) => ({
  purpose: "server" as const,
  tenantId: server.tenantId,
  provider: URL.parse(server.url)?.origin ?? "",
  id: server.id,
  destination: destinationOf(server),
});

/** What an authorization server granted is bound as the secrets are. */
export const tokenOf = (server: Destined) => ({
  ...secretsOf(server),
  purpose: "token" as const,
});

/** The same for a person on the way to authorize the router. `id`: of the authorization. */
export const pendingOf = (server: Destined, id: string) => ({
  ...secretsOf(server),
  purpose: "authorization" as const,
  id,
});
