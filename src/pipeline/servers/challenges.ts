/** What an MCP client is told that may not pass: where it finds out how to be let in (RFC 9728, RFC 6750). */
import type { AuthMode } from "../../domain/servers/server.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import {
  pathOfResource,
  scopeOfResource,
  type OauthResource,
} from "../../domain/tenancy/oauth-resources.ts";

export interface Challenges {
  /** null: nothing is published there. The same for resources that nobody has as for others. */
  metadataOf(resource: OauthResource): Promise<object | null>;
  /** The value of `WWW-Authenticate`; null: none beside what every refusal has. */
  challenge(asked: {
    resource: OauthResource;
    /** null: none was sent */
    token: string | null;
    refusal: Refusal;
  }): Promise<string | null>;
}

interface ChallengeDeps {
  /** null: OAuth is off */
  issuer: string | null;
  /** of a registered server; null: there is none */
  authModeOf: (place: { tenant: string; server: string }) => AsyncResult<AuthMode | null>;
}

const wellKnown = "/.well-known/oauth-protected-resource";

export function createChallenges({ issuer, authModeOf }: ChallengeDeps): Challenges {
  /** A client that finds metadata which it can't use fails, so a server for keys alone publishes none. */
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
      // A program that has a key opens no browser when the key is wrong.
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
