/** What describes a server over the API, and which of its secrets a change has to bring anew. */
import type { ServerPolicy } from "../../../domain/choice/policy.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { err } from "../../../domain/result.ts";
import type { OauthClient } from "../../../domain/servers/oauth.ts";
import type {
  AuthMode,
  BridgeMode,
  SamplingMode,
  SealedServer,
} from "../../../domain/servers/server.ts";

export type OauthInput = Omit<OauthClient, "hasSecret"> & { clientSecret: string | null };

export interface ServerInput {
  slug: string;
  url: string;
  /** static headers, values included */
  headers: Record<string, string>;
  passHeaders: string[];
  forwardAuthorization: boolean;
  sampling: SamplingMode;
  supportedModalities: boolean;
  auth: AuthMode;
  bridge: BridgeMode;
  policy: ServerPolicy;
  oauth: OauthInput | null;
}

/**
 * A merge patch (RFC 7396): absent members stay, and null takes a member away. `headers` and `oauth` are
 * replaced as a whole, because a kept secret must not follow an endpoint that changes beside it.
 */
export type ServerPatch = Partial<Pick<ServerInput, "url" | "sampling" | "oauth">> & {
  headers?: ServerInput["headers"] | null;
  passHeaders?: string[] | null;
  forwardAuthorization?: boolean | null;
  supportedModalities?: boolean | null;
  auth?: AuthMode;
  bridge?: BridgeMode | null;
  policy?: JsonObject | null;
};

export const neededAnew = (path: string) =>
  err({
    reason: "invalid_params",
    path,
    detail:
      path === "url"
        ? "Its secrets can't be opened, so the URL may have been changed outside of the API: send it with them."
        : "Its secrets are needed anew: they are kept for the host they were given for.",
  } as const);

/**
 * The secret that a patch has to bring; null: none. A kept secret must not go to a new address, and a new
 * secret must not go to an address that somebody else wrote.
 */
export function missingSecret(server: SealedServer, patch: ServerPatch, isUnopenable: boolean) {
  const { url, headers, oauth } = patch;
  const isElsewhere = url !== undefined && URL.parse(url)?.origin !== URL.parse(server.url)?.origin;
  if (isElsewhere || isUnopenable) {
    if (server.headerNames.length > 0 && headers === undefined) return "headers";
    if (server.oauth?.hasSecret === true && oauth === undefined) return "oauth";
  }
  if (isUnopenable && url === undefined) return "url";
  const isOtherClient = (["tokenEndpoint", "authorizationEndpoint"] as const).some(
    (endpoint) => oauth && oauth[endpoint] !== server.oauth?.[endpoint],
  );
  return server.oauth?.hasSecret === true && oauth?.clientSecret === null && isOtherClient
    ? "oauth.clientSecret"
    : null;
}

export function withSecret(
  client: OauthClient | null,
  clientSecret: string | null,
): OauthInput | null {
  if (client === null) return null;
  const { hasSecret, ...rest } = client;
  // There is a client secret, though it may not be readable now.
  return { ...rest, clientSecret: hasSecret ? (clientSecret ?? "") : null };
}
