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
import type { ConsentPeople, AdmittedPerson, SignInPlace } from "../consent-people.ts";
import type { GrantChecks } from "../grant-checks.ts";
import {
  firstConnection,
  type ConnectionDeps,
  type ProviderRedirect,
} from "./person-connections.ts";
import type { SignInThrottle } from "../sign-in-throttle.ts";

export interface AskedConsent {
  open: OpenConsent;
  signInAt: string | null;
}

export type Decided =
  | { kind: "redirect"; to: string; headers: Headers }
  /** redirect to the sign-in, from a page of its own because of `form-action` */
  | { kind: "leave"; to: string; headers: Headers }
  /** the person first connects an account of their own at the server */
  | { kind: "provider"; redirect: ProviderRedirect; headers: Headers }
  | { kind: "again"; asked: AskedConsent; detail: string };

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
  /** 43 base64url characters, as a PKCE verifier */
  nonce: () => string;
  now: () => number;
}

const maxGrants = 1_000;
export const signInPath = "/oauth/sign-in";

export interface Consenting {
  database: ConsentDatabase;
  holder: Holder;
  account: AccountOwner | null;
}

const eventOf = (
  { now }: Pick<ConsentDeps, "now">,
  { database, holder }: Pick<Consenting, "database" | "holder">,
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

export const refusalOf = (refusal: Refusal) =>
  err({ kind: "refusal", refusal } as const satisfies ConsentFault);

interface Placed {
  database: ConsentDatabase;
  place: SignInPlace | null;
}

export async function placed({ databaseOfSlug }: ConsentDeps, slug: string): AsyncResult<Placed> {
  const database = await databaseOfSlug(slug);
  if (!database.ok) return database;
  const place = await database.value.people.placeOf(slug);
  return place.ok ? ok({ database: database.value, place: place.value }) : place;
}

export async function askedBy(
  deps: ConsentDeps,
  opened: ConsentResult<OpenConsent>,
): ConsentResult<AskedConsent> {
  const open = await opened;
  if (!open.ok) return open;
  const found = await placed(deps, open.value.facts.resource.tenant);
  if (!found.ok) return refusalOf(found.error);
  const { place } = found.value;
  const signInAt = place === null ? null : (URL.parse(place.signIn.issuer)?.host ?? "");
  return ok({ open: open.value, signInAt });
}

export async function again(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  refusal: Refusal,
): ConsentResult<Decided> {
  const asked = await askedBy(deps, deps.server.reopen(approved));
  return asked.ok ? ok({ kind: "again", asked: asked.value, detail: explain(refusal) }) : asked;
}

const tooMany: Refusal = {
  reason: "conflict",
  detail: "This tenant has as many grants as it may have: revoke some.",
};

export async function granted(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  { by, letIn }: { by: Consenting; letIn: (AdmittedPerson & { issuer: string }) | null },
): ConsentResult<Decided> {
  const { server } = deps;
  const { database, holder } = by;
  const known = await server.grantsOf(holder.tenantId);
  if (!known.ok) return refusalOf(known.error);
  if (known.value.length >= maxGrants) return again(deps, approved, tooMany);
  const user = letIn === null ? null : { id: letIn.userId, groups: letIn.groups };
  const to = await server.complete(approved, { holder, user });
  if (!to.ok) return to;
  const grant = grantSentTo(to.value);
  if (letIn !== null && grant !== null) {
    const kept = await database.checks.keep(grant, letIn);
    if (!kept.ok) return refusalOf(kept.error);
  }
  const noted = await database.events.append(eventOf(deps, by, approved));
  if (!noted.ok) return refusalOf(noted.error);
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
    : ok({ kind: "provider", redirect, headers });
}

export async function grantedTo(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  {
    database,
    place,
    who,
  }: { database: ConsentDatabase; place: SignInPlace; who: AsyncResult<AdmittedPerson> },
): ConsentResult<Decided> {
  const person = await who;
  if (!person.ok) return again(deps, approved, person.error);
  const obstacle = await database.people.obstacle(place, approved.facts.resource);
  if (!obstacle.ok) return refusalOf(obstacle.error);
  if (obstacle.value !== null) return again(deps, approved, obstacle.value);
  const { holder } = person.value;
  const account = { userId: person.value.userId, shown: signedIn };
  return granted(deps, approved, {
    by: { database, holder, account },
    letIn: { ...person.value, issuer: place.signIn.issuer },
  });
}

export async function left(
  deps: ConsentDeps,
  approved: ApprovedConsent,
  { database, place }: { database: ConsentDatabase; place: SignInPlace },
): ConsentResult<Decided> {
  const { server, nonce } = deps;
  const secrets = { nonce: nonce(), verifier: nonce() };
  const begun = await server.beginSignIn(approved, secrets);
  if (!begun.ok) return begun;
  const { state, headers } = begun.value;
  const redirectUri = `${server.issuer}${signInPath}`;
  const to = await database.people.leave(place, { redirectUri, pending: { ...secrets, state } });
  return to.ok ? ok({ kind: "leave", to: to.value, headers }) : again(deps, approved, to.error);
}
