import type { OauthClientPolicy } from "../../../domain/choice/policy.ts";
import type { ConsentResult } from "../../../domain/ports/authorization-server.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, mapped, ok } from "../../../domain/result.ts";
import { domainOf, mayConnect } from "../../../domain/tenancy/oauth-clients.ts";
import { scopeOfResource, type OauthResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { Claim } from "../../callers/authenticate.ts";
import {
  again,
  askedBy,
  granted,
  grantedTo,
  left,
  placed,
  refusalOf,
  signInPath,
  type AskedConsent,
  type ConsentDeps,
  type Consenting,
  type Decided,
} from "./consent-grants.ts";

export type ClientPolicyOf = (slug: string) => AsyncResult<OauthClientPolicy | null>;

export interface OauthConsents {
  open(request: Request): ConsentResult<AskedConsent>;
  deny(request: Request, handle: string): ConsentResult<Decided>;
  allowByKey(
    request: Request,
    given: { handle: string; key: string; address: string },
  ): ConsentResult<Decided>;
  /** Redirects to the identity provider. `assertion`: a gateway's token, if any */
  allowBySignIn(
    request: Request,
    given: { handle: string; assertion: string | null; address: string },
  ): ConsentResult<Decided>;
  finishSignIn(request: Request, given: { address: string }): ConsentResult<Decided>;
}

const claimOf = (key: string, resource: OauthResource): Claim => ({
  token: key,
  sessionId: null,
  scope: scopeOfResource(resource),
  ...(resource.kind === "server" && {
    through: { tenant: resource.tenant, server: resource.server },
  }),
});

const otherTenant: Refusal = { reason: "unauthorized", detail: "Unknown API key." };
const noSignIn: Refusal = { reason: "not_found", what: "an identity provider of this tenant" };
const noGateway: Refusal = {
  reason: "unauthorized",
  detail: "Cloudflare Access sent no token with this request: open the router behind it.",
};

async function holderOf(
  { databaseOfKey }: Pick<ConsentDeps, "databaseOfKey">,
  key: string,
  resource: OauthResource,
): AsyncResult<Consenting> {
  const database = databaseOfKey(key);
  if (database === null) return err(otherTenant);
  const caller = await database.authenticate(claimOf(key, resource), "database");
  if (!caller.ok) return caller;
  const { snapshot, account } = caller.value;
  const { tenant, key: held } = snapshot;
  const holder = { tenantId: tenant.id, keyId: held.id };
  return tenant.slug === resource.tenant
    ? ok({ database, holder, account: account ?? null })
    : err(otherTenant);
}

export function createOauthConsents(
  deps: ConsentDeps & {
    clientPolicyOf: ClientPolicyOf;
  },
): OauthConsents {
  const { server, throttle } = deps;
  return {
    async open(request) {
      const asked = await askedBy(deps, server.open(request));
      if (!asked.ok) return asked;
      const { facts } = asked.value.open;
      const policy = await deps.clientPolicyOf(facts.resource.tenant);
      if (!policy.ok) return refusalOf(policy.error);
      const domain = domainOf(facts);
      return mayConnect(policy.value ?? {}, domain)
        ? asked
        : err({ kind: "page", detail: `This tenant doesn't authorize programs of ${domain}.` });
    },

    deny: (request, handle) =>
      mapped(server.deny(request, handle), (denied) => ({ kind: "redirect", ...denied })),

    async allowByKey(request, { handle, key, address }) {
      const approval = await server.approve(request, handle);
      if (!approval.ok) return approval;
      const approved = approval.value;
      const { resource } = approved.facts;
      const found = await placed(deps, resource.tenant);
      if (!found.ok) return refusalOf(found.error);
      if (found.value.place !== null)
        return again(deps, approved, {
          reason: "forbidden",
          action: "showing a key where people of the tenant sign in",
        });
      const attempt = throttle.begin({ address, subject: `consent ${resource.tenant}` });
      if (!attempt.ok) return again(deps, approved, attempt.error);
      const by = await holderOf(deps, key.trim(), resource);
      const { people } = found.value.database;
      await people.noteKeyTry(resource.tenant, { address, outcome: by }, attempt.value);
      if (!by.ok) return again(deps, approved, by.error);
      return granted(deps, approved, { by: by.value, letIn: null });
    },

    async allowBySignIn(request, { handle, assertion, address }) {
      const approval = await server.approve(request, handle);
      if (!approval.ok) return approval;
      const approved = approval.value;
      const found = await placed(deps, approved.facts.resource.tenant);
      if (!found.ok) return refusalOf(found.error);
      const { database, place } = found.value;
      if (place === null) return again(deps, approved, noSignIn);
      if (place.signIn.kind === "openid-connect") return left(deps, approved, { database, place });
      if (assertion === null) return again(deps, approved, noGateway);
      const who = database.people.vouchedFor(place, { assertion, address });
      return grantedTo(deps, approved, { database, place, who });
    },

    async finishSignIn(request, { address }) {
      const came = await server.finishSignIn(request);
      if (!came.ok) return came;
      const { approved, secrets } = came.value;
      const found = await placed(deps, approved.facts.resource.tenant);
      if (!found.ok) return refusalOf(found.error);
      const { database, place } = found.value;
      if (place === null) return again(deps, approved, noSignIn);
      const { searchParams } = new URL(request.url);
      const who = database.people.cameBack(place, {
        redirectUri: `${server.issuer}${signInPath}`,
        pending: { ...secrets, state: searchParams.get("state") ?? "" },
        query: searchParams.toString(),
        address,
      });
      return grantedTo(deps, approved, { database, place, who });
    },
  };
}
