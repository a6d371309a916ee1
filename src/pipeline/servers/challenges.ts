/** `WWW-Authenticate` and metadata that show a client how to authorize (RFC 9728, RFC 6750). */
import type { AuthMode } from "../../domain/servers/server.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import {
  pathOfResource,
  scopeOfResource,
  type OauthResource,
} from "../../domain/tenancy/oauth-resources.ts";

export interface Challenges {
  /** `null` if nothing is published, whether or not the resource exists. */
  metadataOf(resource: OauthResource): Promise<object | null>;
  challenge(asked: {
    resource: OauthResource;
    token: string | null;
    refusal: Refusal;
  }): Promise<string | null>;
}

interface ChallengeDeps {
  issuer: string | null;
  authModeOf: (place: { tenant: string; server: string }) => AsyncResult<AuthMode | null>;
}

const wellKnown = "/.well-known/oauth-protected-resource";

export function createChallenges({ issuer, authModeOf }: ChallengeDeps): Challenges {
  /** Clients fail on unusable metadata, so servers for API keys publish none. */
  const isPublished = async (resource: OauthResource): Promise<boolean> => {
    if (issuer === null) return false;
    if (resource.kind !== "server") return true;
    const mode = await authModeOf(resource);
    return mode.ok && mode.value !== "keys";
  };
  return {
    async metadataOf(resource) {
      if (!(await isPublished(resource))) return null;
      return {
        resource: `${issuer}${pathOfResource(resource)}`,
        authorization_servers: [issuer],
        scopes_supported: [scopeOfResource(resource)],
        bearer_methods_supported: ["header"],
        resource_name: `Sampling Router: ${pathOfResource(resource).slice(1)}`,
      };
    },
    async challenge({ resource, token, refusal }) {
      const isAbout =
        refusal.reason === "unauthorized" ||
        (refusal.reason === "forbidden" && refusal.scope !== undefined);
      if (!isAbout || !(await isPublished(resource))) return null;
      // A program with a wrong API key should not open a browser.
      if (token?.startsWith("srk_") === true) return 'Bearer error="invalid_token"';
      const error =
        refusal.reason === "forbidden"
          ? 'error="insufficient_scope", '
          : token === null
            ? ""
            : 'error="invalid_token", ';
      const metadata = `${issuer}${wellKnown}${pathOfResource(resource)}`;
      return `Bearer ${error}resource_metadata="${metadata}", scope="${scopeOfResource(resource)}"`;
    },
  };
}
