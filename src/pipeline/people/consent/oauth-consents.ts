import type { OauthClientPolicy } from "../../../domain/choice/policy.ts";
import type { ConsentResult } from "../../../domain/ports/authorization-server.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, mapped, ok } from "../../../domain/result.ts";
import { domainOf, mayConnect } from "../../../domain/tenancy/oauth-clients.ts";
import { scopeOfResource, type OauthResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { Claim } from "../../callers/authenticate.ts";
import {
  askAgain,
  promptFor,
  completeGrant,
  grantToPerson,
  redirectToSignIn,
  findTenant,
  refusalFault,
  signInPath,
  type ConsentPrompt,
  type ConsentDeps,
  type ConsentingHolder,
  type ConsentOutcome,
} from "./consent-grants.ts";

export type ClientPolicyOf = (slug: string) => AsyncResult<OauthClientPolicy | null>;

export interface OauthConsents {
  open(request: Request): ConsentResult<ConsentPrompt>;
  deny(request: Request, handle: string): ConsentResult<ConsentOutcome>;
  allowByKey(
    request: Request,
    given: { handle: string; key: string; address: string },
  ): ConsentResult<ConsentOutcome>;
  /** Redirects to the identity provider. `assertion`: a gateway's token, if any */
  allowBySignIn(
    request: Request,
    given: { handle: string; assertion: string | null; address: string },
  ): ConsentResult<ConsentOutcome>;
  finishSignIn(request: Request, given: { address: string }): ConsentResult<ConsentOutcome>;
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
  detail: "The request has no Cloudflare Access token. Open the router through Cloudflare Access.",
};

async function holderOf(
  { databaseOfKey }: Pick<ConsentDeps, "databaseOfKey">,
  key: string,
  resource: OauthResource,
): AsyncResult<ConsentingHolder> {
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
      const prompt = await promptFor(deps, server.open(request));
      if (!prompt.ok) return prompt;
      const { facts } = prompt.value.open;
      const policy = await deps.clientPolicyOf(facts.resource.tenant);
      if (!policy.ok) return refusalFault(policy.error);
      const domain = domainOf(facts);
      return mayConnect(policy.value ?? {}, domain)
        ? prompt
        : err({ kind: "page", detail: `This tenant doesn't authorize programs from ${domain}.` });
    },

    deny: (request, handle) =>
      mapped(server.deny(request, handle), (denied) => ({ kind: "redirect", ...denied })),

    async allowByKey(request, { handle, key, address }) {
      const approval = await server.approve(request, handle);
      if (!approval.ok) return approval;
      const approved = approval.value;
      const { resource } = approved.facts;
      const found = await findTenant(deps, resource.tenant);
      if (!found.ok) return refusalFault(found.error);
      if (found.value.tenantSignIn !== null)
        return askAgain(deps, approved, {
          reason: "forbidden",
          action: "authorizing with an API key: people of this tenant sign in",
        });
      const attempt = throttle.begin({ address, subject: `consent ${resource.tenant}` });
      if (!attempt.ok) return askAgain(deps, approved, attempt.error);
      const by = await holderOf(deps, key.trim(), resource);
      const { people } = found.value.database;
      await people.noteKeyAttempt(resource.tenant, { address, outcome: by }, attempt.value);
      if (!by.ok) return askAgain(deps, approved, by.error);
      return completeGrant(deps, approved, { by: by.value, person: null });
    },

    async allowBySignIn(request, { handle, assertion, address }) {
      const approval = await server.approve(request, handle);
      if (!approval.ok) return approval;
      const approved = approval.value;
      const found = await findTenant(deps, approved.facts.resource.tenant);
      if (!found.ok) return refusalFault(found.error);
      const { database, tenantSignIn } = found.value;
      if (tenantSignIn === null) return askAgain(deps, approved, noSignIn);
      if (tenantSignIn.signIn.kind === "openid-connect")
        return redirectToSignIn(deps, approved, { database, tenantSignIn });
      if (assertion === null) return askAgain(deps, approved, noGateway);
      const who = database.people.verifyAssertion(tenantSignIn, { assertion, address });
      return grantToPerson(deps, approved, { database, tenantSignIn, who });
    },

    async finishSignIn(request, { address }) {
      const came = await server.finishSignIn(request);
      if (!came.ok) return came;
      const { approved, secrets } = came.value;
      const found = await findTenant(deps, approved.facts.resource.tenant);
      if (!found.ok) return refusalFault(found.error);
      const { database, tenantSignIn } = found.value;
      if (tenantSignIn === null) return askAgain(deps, approved, noSignIn);
      const { searchParams } = new URL(request.url);
      const who = database.people.finishSignIn(tenantSignIn, {
        redirectUri: `${server.issuer}${signInPath}`,
        pending: { ...secrets, state: searchParams.get("state") ?? "" },
        query: searchParams.toString(),
        address,
      });
      return grantToPerson(deps, approved, { database, tenantSignIn, who });
    },
  };
}
