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
  headers: Record<string, string>;
  passHeaders: string[];
  forwardAuthorization: boolean;
  sampling: SamplingMode;
  supportedModalities: boolean;
  auth: AuthMode;
  bridge: BridgeMode;
  parking: boolean;
  policy: ServerPolicy;
  oauth: OauthInput | null;
}

/** `headers` and `oauth` are replaced as a whole, because a kept secret must not follow a changed endpoint. */
export type ServerPatch = Partial<Pick<ServerInput, "url" | "sampling" | "oauth">> & {
  headers?: ServerInput["headers"] | null;
  passHeaders?: string[] | null;
  forwardAuthorization?: boolean | null;
  supportedModalities?: boolean | null;
  auth?: AuthMode;
  bridge?: BridgeMode | null;
  parking?: boolean | null;
  policy?: JsonObject | null;
};

export const requiredAgain = (path: string) =>
  err({
    reason: "invalid_params",
    path,
    detail:
      path === "url"
        ? "Its secrets can't be opened, so the URL may have been changed outside of the API: send it with them."
        : "Its secrets are required again: they are stored for the previous host only.",
  } as const);

/** A kept secret must not go to a new address, nor a new one to an address that is not authentic. */
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
  // The secret exists even if it can't be opened now.
  return { ...rest, clientSecret: hasSecret ? (clientSecret ?? "") : null };
}
