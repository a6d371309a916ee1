/**
 * Identity assertions instead of consent (Enterprise-Managed Authorization, ID-JAG). The library verifies an
 * assertion and accepts it once; the router decides which issuers count and creates the grant.
 */
import type { Assertions as LibraryRules } from "#oauth-provider";
import type { AssertionRules } from "../../domain/ports/authorization-server.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { boundedUrl } from "../../domain/bounded-url.ts";
import { isObject } from "../../domain/json.ts";
import type { Claims } from "../../domain/tenancy/sign-in.ts";
import { holderText } from "../../domain/tenancy/grant-ids.ts";
import {
  resourceIn,
  scopeOfResource,
  type OauthResource,
} from "../../domain/tenancy/oauth-resources.ts";
import { visibleText } from "../../domain/visible-text.ts";
import { chosenByAdministrator } from "./surroundings.ts";

export const assertionGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export interface WatchedRules extends AssertionRules {
  /** `null` if the database answered */
  refusal(): Refusal | null;
}

export function watchRules(rules: AssertionRules): WatchedRules {
  let met: Refusal | null = null;
  const watched = async <T>(answer: AsyncResult<T>): AsyncResult<T> => {
    const result = await answer;
    if (!result.ok) met = result.error;
    return result;
  };
  return {
    keysOf: (of) => watched(rules.keysOf(of)),
    grantFor: (assertion) => watched(rules.grantFor(assertion)),
    refusal: () => met,
  };
}

/**
 * The unverified resource, which configures the library before verification. An assertion without one would be
 * valid for all resources.
 */
export function resourceOfAssertion(assertion: string, issuer: string): OauthResource | null {
  const [, body = ""] = assertion.split(".");
  try {
    const claims: unknown = JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
    const named = isObject(claims) ? claims["resource"] : null;
    return typeof named === "string" ? resourceIn(named, issuer) : null;
  } catch {
    return null;
  }
}

/** `null` for registered clients, which aren't redirected. */
const domainOfClient = (clientId: string): string | null =>
  /^https:\/\//i.test(clientId) ? (boundedUrl(clientId)?.hostname ?? null) : null;

/** @param resource `null` rejects all assertions */
export const libraryRulesOf = (
  rules: AssertionRules,
  resource: OauthResource | null,
): LibraryRules => ({
  async trustedIssuers({ iss }) {
    const keys = resource === null ? null : await rules.keysOf({ resource, issuer: iss });
    return keys?.ok === true && keys.value !== null
      ? { issuer: iss, jwksUri: chosenByAdministrator(keys.value), algorithms: ["RS256", "ES256"] }
      : null;
  },
  async mapClaims({ claims, clientInfo }) {
    if (resource === null) return null;
    const { clientId } = clientInfo;
    const clientName = visibleText(clientInfo.clientName ?? "") || clientId;
    const grant = await rules.grantFor({
      resource,
      issuer: claims.iss,
      claims: claims as Claims,
      client: { id: clientId, name: clientName, domain: domainOfClient(clientId) },
    });
    if (!grant.ok || grant.value === null) return null;
    const { holder, user } = grant.value;
    return {
      userId: holderText(holder),
      scope: [scopeOfResource(resource)],
      metadata: { clientName, redirectHost: "", byAssertion: true },
      props: { user },
    };
  },
});
