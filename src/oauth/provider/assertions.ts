/**
 * Identity assertions in the place of a consent (MCP's Enterprise-Managed Authorization, ID-JAG): an identity provider
 * signs that a program may act for a person at one resource. The library checks the assertion and takes it once. The
 * router says whose word counts, and whose grant it is.
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

/** What the library's rules met that the library has no word for. */
export interface WatchedRules extends AssertionRules {
  /** null: the database answered */
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
 * The resource that an assertion names, not believed yet: the library is set up for that resource, and then checks the
 * assertion. null: none of this issuer's. An assertion without a resource would be good for all of them.
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

/** `null`: a client that registered itself. It gets its token without being sent to any of its addresses. */
const domainOfClient = (clientId: string): string | null =>
  /^https:\/\//i.test(clientId) ? (boundedUrl(clientId)?.hostname ?? null) : null;

/** @param resource null: the request names none, so no assertion counts */
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
