import type { IdentityClient, SignInStore, VerifiedPerson } from "../../domain/ports/sign-ins.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { KeyStore, Tenant, TenantStore } from "../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, mapped, ok, type Result } from "../../domain/result.ts";
import { isUnreachable, type OauthFault } from "../../domain/servers/oauth.ts";
import type { Holder } from "../../domain/tenancy/grant-ids.ts";
import type { OauthResource } from "../../domain/tenancy/oauth-resources.ts";
import {
  displayNameIn,
  groupsIn,
  identityIn,
  allowsClients,
  mayAuthorizeClients,
  type Claims,
  type PendingSignIn,
  type SignInSecrets,
} from "../../domain/tenancy/sign-in.ts";
import { nameToKeep } from "../../domain/tenancy/user.ts";
import { openedSignIn, refusalFor } from "./person-sign-in.ts";
import type { NoteFailedSignIn } from "./failed-sign-ins.ts";
import type { SignInThrottle, SignInTry } from "./sign-in-throttle.ts";
import { userNamed, type UserDeps } from "./users.ts";

export interface AdmittedPerson {
  holder: Holder;
  userId: string;
  /** as the provider reports them now */
  groups: string[];
  /** `null` if the provider can't be asked again */
  refreshToken: string | null;
}

export interface ConsentPeople {
  noteKeyTry(
    slug: string,
    shown: { address: string; outcome: Result<unknown, Refusal> },
    attempt: SignInTry,
  ): Promise<void>;
  /** `null` if people of the tenant use a key. */
  placeOf(slug: string): AsyncResult<SignInPlace | null>;
  leave(
    place: SignInPlace,
    /** `asks` absent: the router may ask the provider again later */
    to: { redirectUri: string; pending: PendingSignIn; asks?: "once" },
  ): AsyncResult<string>;
  cameBack(
    place: SignInPlace,
    came: { redirectUri: string; pending: PendingSignIn; query: string; address: string },
  ): AsyncResult<AdmittedPerson>;
  /** Verifies a gateway's token from the request. */
  vouchedFor(
    place: SignInPlace,
    came: { assertion: string; address: string },
  ): AsyncResult<AdmittedPerson>;
  keysOf(place: SignInPlace): AsyncResult<string>;
  asserted(place: SignInPlace, claims: Claims): AsyncResult<AdmittedPerson>;
  /** Why a token would be useless. */
  obstacle(place: SignInPlace, resource: OauthResource): AsyncResult<Refusal | null>;
}

export interface SignInPlace {
  tenant: Tenant;
  signIn: SignInSecrets;
}

interface ConsentPeopleDeps extends UserDeps {
  tenants: Pick<TenantStore, "bySlug">;
  signIns: Pick<SignInStore, "get">;
  servers: Pick<ServerStore, "bySlug">;
  keys: Pick<KeyStore, "get">;
  identity: IdentityClient;
  throttle: SignInThrottle;
  noteFailed: NoteFailedSignIn;
}

const mayNot: Refusal = {
  reason: "forbidden",
  action: "letting programs in: the tenant's identity provider names you, and not as one who may",
};
const shutOut: Refusal = {
  reason: "forbidden",
  action: "letting programs in: an administrator revoked the API key of this person",
};

async function letIn(
  deps: ConsentPeopleDeps,
  { tenant, signIn }: SignInPlace,
  { claims, refreshToken }: VerifiedPerson,
): AsyncResult<AdmittedPerson> {
  const identity = identityIn(claims, signIn);
  if (identity === null || !mayAuthorizeClients(claims, signIn)) return err(mayNot);
  const user = await userNamed(deps, {
    tenantId: tenant.id,
    identity,
    name: nameToKeep(displayNameIn(claims, signIn), tenant.policy),
    actor: "router",
  });
  if (!user.ok) return user;
  const { id: userId, keyId } = user.value;
  const key = await deps.keys.get(tenant.id, keyId);
  if (!key.ok) return key;
  if (key.value === null || key.value.revokedAt !== null) return err(shutOut);
  const groups = groupsIn(claims, signIn);
  return ok({ holder: { tenantId: tenant.id, keyId }, userId, groups, refreshToken });
}

/** An attempt counts as failed until the provider confirms it. */
async function counted(
  deps: ConsentPeopleDeps,
  { place, address }: { place: SignInPlace; address: string },
  work: () => Promise<Result<VerifiedPerson, OauthFault>>,
): AsyncResult<AdmittedPerson> {
  const { id: tenantId } = place.tenant;
  const attempt = deps.throttle.begin({ address, subject: `person ${tenantId}` });
  if (!attempt.ok) return attempt;
  const person = await work();
  if (person.ok || isUnreachable(person.error)) attempt.value.succeeded();
  if (person.ok) return letIn(deps, place, person.value);
  await deps.noteFailed(
    { tenantId, target: "person", address, fault: person.error },
    attempt.value,
  );
  return err(refusalFor(person.error));
}

const withoutToken = (claims: Claims): VerifiedPerson => ({ claims, refreshToken: null });

export const createConsentPeople = (deps: ConsentPeopleDeps): ConsentPeople => ({
  async noteKeyTry(slug, { address, outcome }, attempt) {
    if (!attempt.failedBy(outcome) || outcome.ok) return;
    const tenant = await deps.tenants.bySlug(slug);
    // Without its id: the key may be another tenant's.
    const failed = { target: "key", address, fault: outcome.error.reason };
    const tenantId = tenant.ok ? (tenant.value?.id ?? null) : null;
    await deps.noteFailed({ tenantId, ...failed }, attempt);
  },

  async placeOf(slug) {
    const tenant = await deps.tenants.bySlug(slug);
    if (!tenant.ok) return tenant;
    if (tenant.value === null) return ok(null);
    const row = await deps.signIns.get(tenant.value.id);
    if (!row.ok) return row;
    const signIn = await openedSignIn(deps.vault, row.value);
    return ok(signIn !== null && allowsClients(signIn) ? { tenant: tenant.value, signIn } : null);
  },

  async leave({ signIn }, to) {
    const begun = await deps.identity.begin(signIn, { asks: "lasting", ...to });
    return begun.ok ? ok(begun.value.url) : err(refusalFor(begun.error));
  },

  cameBack: (place, { address, ...came }) =>
    counted(deps, { place, address }, () => deps.identity.finish(place.signIn, came)),

  vouchedFor: (place, { assertion, address }) =>
    counted(deps, { place, address }, () =>
      mapped(deps.identity.verify(place.signIn, assertion), withoutToken),
    ),

  async keysOf({ signIn }) {
    const keys = await deps.identity.keysOf(signIn);
    return keys.ok ? keys : err(refusalFor(keys.error));
  },

  asserted: (place, claims) => letIn(deps, place, withoutToken(claims)),

  async obstacle({ tenant }, resource) {
    if (resource.kind !== "server") return ok(null);
    const found = await deps.servers.bySlug(tenant.id, resource.server);
    if (!found.ok) return found;
    if (found.value === null) return ok({ reason: "not_found", what: "no such server" });
    return ok(
      found.value.auth === "keys"
        ? { reason: "forbidden", action: "letting programs in where a server takes API keys alone" }
        : null,
    );
  },
});
