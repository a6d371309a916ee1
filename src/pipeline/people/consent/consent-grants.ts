import type { AdminEvent } from "../../../domain/admin-event.ts";
import type {
  ApprovedConsent,
  AuthorizationServer,
  ConsentFault,
  ConsentResult,
  OpenConsent,
} from "../../../domain/ports/authorization-server.ts";
import type { EventStore } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { explain } from "../../../domain/refusal-messages.ts";
import { err, ok } from "../../../domain/result.ts";
import { grantSentTo, type Holder } from "../../../domain/tenancy/grant-ids.ts";
import { signedIn, type AccountOwner } from "../../../domain/tenancy/user.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import { pathOfResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { Authenticate } from "../../callers/authenticate.ts";
import type { ConsentPeople, AdmittedPerson, TenantSignIn } from "../consent-people.ts";
import type { GrantChecks } from "../grant-checks.ts";
import {
  firstConnection,
  type ConnectionDeps,
  type ProviderRedirect,
} from "./person-connections.ts";
import type { SignInThrottle } from "../sign-in-throttle.ts";

export interface ConsentPrompt {
  open: OpenConsent;
  identityProviderHost: string | null;
}

export type ConsentOutcome =
  | { kind: "redirect"; to: string; headers: Headers }
  /** redirect to the identity provider by a page, since `form-action` blocks a redirect of the consent form */
  | { kind: "sign_in"; to: string; headers: Headers }
  /** before the redirect to the client, the person connects an account at the MCP server */
  | { kind: "connect"; redirect: ProviderRedirect; headers: Headers }
  | { kind: "retry"; prompt: ConsentPrompt; detail: string };

export interface ConsentDatabase {
  authenticate: Authenticate;
  events: Pick<EventStore, "append">;
  ids: Pick<Ids, "next">;
  people: ConsentPeople;
  checks: GrantChecks;
  connections: ConnectionDeps;
}

export interface ConsentDeps {
  server: AuthorizationServer;
  databaseOfKey: (key: string) => ConsentDatabase | null;
  databaseOfSlug: (slug: string) => AsyncResult<ConsentDatabase>;
  throttle: SignInThrottle;
  /** 43 base64url characters, also used as a PKCE verifier */
  randomText: () => string;
  now: () => number;
}

const maxGrants = 1_000;
export const signInPath = "/oauth/sign-in";

export interface ConsentingHolder {
  database: ConsentDatabase;
  holder: Holder;
  account: AccountOwner | null;
}

const eventOf = (
  { now }: Pick<ConsentDeps, "now">,
  { database, holder }: Pick<ConsentingHolder, "database" | "holder">,
  { facts }: ApprovedConsent,
): AdminEvent => ({
  id: database.ids.next("event"),
  at: now(),
  actor: holder.keyId,
  action: "oauth.grant",
  tenantId: holder.tenantId,
  target: holder.keyId,
  detail: {
    client: facts.clientName.slice(0, 200),
    redirectHost: facts.redirectHost.slice(0, 200),
    resource: pathOfResource(facts.resource),
  },
});

export const refusalFault = (refusal: Refusal) =>
  err({ kind: "refusal", refusal } as const satisfies ConsentFault);

interface FoundTenant {
  database: ConsentDatabase;
  tenantSignIn: TenantSignIn | null;
}

export async function findTenant(
  { databaseOfSlug }: ConsentDeps,
  slug: string,
): AsyncResult<FoundTenant> {
  const database = await databaseOfSlug(slug);
  if (!database.ok) return database;
  const tenantSignIn = await database.value.people.signInOf(slug);
  return tenantSignIn.ok
    ? ok({ database: database.value, tenantSignIn: tenantSignIn.value })
    : tenantSignIn;
}

export async function promptFor(
  deps: ConsentDeps,
  opened: ConsentResult<OpenConsent>,
): ConsentResult<ConsentPrompt> {
  const open = await opened;
  if (!open.ok) return open;
  const found = await findTenant(deps, open.value.facts.resource.tenant);
  if (!found.ok) return refusalFault(found.error);
  const { tenantSignIn } = found.value;
  const identityProviderHost =
    tenantSignIn === null ? null : (URL.parse(tenantSignIn.signIn.issuer)?.host ?? "");
  return ok({ open: open.value, identityProviderHost });
}

export async function askAgain(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  refusal: Refusal,
): ConsentResult<ConsentOutcome> {
  const prompt = await promptFor(deps, deps.server.reopen(approved));
  return prompt.ok ? ok({ kind: "retry", prompt: prompt.value, detail: explain(refusal) }) : prompt;
}

const tooManyGrants: Refusal = {
  reason: "conflict",
  detail: `This tenant has ${maxGrants} grants, the maximum. Revoke a grant and try again.`,
};

export async function completeGrant(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  { by, person }: { by: ConsentingHolder; person: (AdmittedPerson & { issuer: string }) | null },
): ConsentResult<ConsentOutcome> {
  const { server } = deps;
  const { database, holder } = by;
  const known = await server.grantsOf(holder.tenantId);
  if (!known.ok) return refusalFault(known.error);
  if (known.value.length >= maxGrants) return askAgain(deps, approved, tooManyGrants);
  const user = person === null ? null : { id: person.userId, groups: person.groups };
  const to = await server.complete(approved, { holder, user });
  if (!to.ok) return to;
  const grant = grantSentTo(to.value);
  if (person !== null && grant !== null) {
    const stored = await database.checks.keep(grant, person);
    if (!stored.ok) return refusalFault(stored.error);
  }
  const appended = await database.events.append(eventOf(deps, by, approved));
  if (!appended.ok) return refusalFault(appended.error);
  const { headers, facts } = approved;
  const redirect = await firstConnection(database.connections, {
    tenantId: holder.tenantId,
    resource: facts.resource,
    owner: by.account,
    ownUrl: server.issuer,
    returnTo: to.value,
  });
  return redirect === null
    ? ok({ kind: "redirect", to: to.value, headers })
    : ok({ kind: "connect", redirect, headers });
}

export async function grantToPerson(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  {
    database,
    tenantSignIn,
    who,
  }: { database: ConsentDatabase; tenantSignIn: TenantSignIn; who: AsyncResult<AdmittedPerson> },
): ConsentResult<ConsentOutcome> {
  const person = await who;
  if (!person.ok) return askAgain(deps, approved, person.error);
  const obstacle = await database.people.obstacle(tenantSignIn, approved.facts.resource);
  if (!obstacle.ok) return refusalFault(obstacle.error);
  if (obstacle.value !== null) return askAgain(deps, approved, obstacle.value);
  const { holder } = person.value;
  const account = { userId: person.value.userId, shown: signedIn };
  return completeGrant(deps, approved, {
    by: { database, holder, account },
    person: { ...person.value, issuer: tenantSignIn.signIn.issuer },
  });
}

export async function redirectToSignIn(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  { database, tenantSignIn }: { database: ConsentDatabase; tenantSignIn: TenantSignIn },
): ConsentResult<ConsentOutcome> {
  const { server, randomText } = deps;
  const secrets = { nonce: randomText(), verifier: randomText() };
  const begun = await server.beginSignIn(approved, secrets);
  if (!begun.ok) return begun;
  const { state, headers } = begun.value;
  const redirectUri = `${server.issuer}${signInPath}`;
  const to = await database.people.signInUrl(tenantSignIn, {
    redirectUri,
    pending: { ...secrets, state },
  });
  return to.ok
    ? ok({ kind: "sign_in", to: to.value, headers })
    : askAgain(deps, approved, to.error);
}
