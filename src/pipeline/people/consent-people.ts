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
  noteKeyAttempt(
    slug: string,
    shown: { address: string; outcome: Result<unknown, Refusal> },
    attempt: SignInTry,
  ): Promise<void>;
  /** `null` if people of the tenant authorize programs with API keys. */
  signInOf(slug: string): AsyncResult<TenantSignIn | null>;
  signInUrl(
    tenantSignIn: TenantSignIn,
    /** `asks` absent: the router may ask the provider again later */
    to: { redirectUri: string; pending: PendingSignIn; asks?: "once" },
  ): AsyncResult<string>;
  finishSignIn(
    tenantSignIn: TenantSignIn,
    came: { redirectUri: string; pending: PendingSignIn; query: string; address: string },
  ): AsyncResult<AdmittedPerson>;
  /** Verifies the token of an authenticating proxy, such as Cloudflare Access. */
  verifyAssertion(
    tenantSignIn: TenantSignIn,
    came: { assertion: string; address: string },
  ): AsyncResult<AdmittedPerson>;
  keysOf(tenantSignIn: TenantSignIn): AsyncResult<string>;
  asserted(tenantSignIn: TenantSignIn, claims: Claims): AsyncResult<AdmittedPerson>;
  /** Why a token for the resource would be rejected, if it would be. */
  obstacle(tenantSignIn: TenantSignIn, resource: OauthResource): AsyncResult<Refusal | null>;
}

export interface TenantSignIn {
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

const notAuthorized: Refusal = {
  reason: "forbidden",
  action: "authorizing programs: the identity provider's token doesn't give you this right",
};
const keyRevoked: Refusal = {
  reason: "forbidden",
  action: "authorizing programs: an administrator revoked your API key",
};

async function admit(
  deps: ConsentPeopleDeps,
  { tenant, signIn }: TenantSignIn,
  { claims, refreshToken }: VerifiedPerson,
): AsyncResult<AdmittedPerson> {
  const identity = identityIn(claims, signIn);
  if (identity === null || !mayAuthorizeClients(claims, signIn)) return err(notAuthorized);
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
  if (key.value === null || key.value.revokedAt !== null) return err(keyRevoked);
  const groups = groupsIn(claims, signIn);
  return ok({ holder: { tenantId: tenant.id, keyId }, userId, groups, refreshToken });
}

/** An attempt counts as failed until the provider confirms it. */
async function throttled(
  deps: ConsentPeopleDeps,
  { tenantSignIn, address }: { tenantSignIn: TenantSignIn; address: string },
  work: () => Promise<Result<VerifiedPerson, OauthFault>>,
): AsyncResult<AdmittedPerson> {
  const { id: tenantId } = tenantSignIn.tenant;
  const attempt = deps.throttle.begin({ address, subject: `person ${tenantId}` });
  if (!attempt.ok) return attempt;
  const person = await work();
  if (person.ok || isUnreachable(person.error)) attempt.value.succeeded();
  if (person.ok) return admit(deps, tenantSignIn, person.value);
  await deps.noteFailed(
    { tenantId, target: "person", address, fault: person.error },
    attempt.value,
  );
  return err(refusalFor(person.error));
}

const withoutToken = (claims: Claims): VerifiedPerson => ({ claims, refreshToken: null });

export const createConsentPeople = (deps: ConsentPeopleDeps): ConsentPeople => ({
  async noteKeyAttempt(slug, { address, outcome }, attempt) {
    if (!attempt.failedBy(outcome) || outcome.ok) return;
    const tenant = await deps.tenants.bySlug(slug);
    // Without the key's id: the key may be another tenant's.
    const failed = { target: "key", address, fault: outcome.error.reason };
    const tenantId = tenant.ok ? (tenant.value?.id ?? null) : null;
    await deps.noteFailed({ tenantId, ...failed }, attempt);
  },

  async signInOf(slug) {
    const tenant = await deps.tenants.bySlug(slug);
    if (!tenant.ok) return tenant;
    if (tenant.value === null) return ok(null);
    const row = await deps.signIns.get(tenant.value.id);
    if (!row.ok) return row;
    const signIn = await openedSignIn(deps.vault, row.value);
    return ok(signIn !== null && allowsClients(signIn) ? { tenant: tenant.value, signIn } : null);
  },

  async signInUrl({ signIn }, to) {
    const begun = await deps.identity.begin(signIn, { asks: "lasting", ...to });
    return begun.ok ? ok(begun.value.url) : err(refusalFor(begun.error));
  },

  finishSignIn: (tenantSignIn, { address, ...came }) =>
    throttled(deps, { tenantSignIn, address }, () =>
      deps.identity.finish(tenantSignIn.signIn, came),
    ),

  verifyAssertion: (tenantSignIn, { assertion, address }) =>
    throttled(deps, { tenantSignIn, address }, () =>
      mapped(deps.identity.verify(tenantSignIn.signIn, assertion), withoutToken),
    ),

  async keysOf({ signIn }) {
    const keys = await deps.identity.keysOf(signIn);
    return keys.ok ? keys : err(refusalFor(keys.error));
  },

  asserted: (tenantSignIn, claims) => admit(deps, tenantSignIn, withoutToken(claims)),

  async obstacle({ tenant }, resource) {
    if (resource.kind !== "server") return ok(null);
    const found = await deps.servers.bySlug(tenant.id, resource.server);
    if (!found.ok) return found;
    if (found.value === null) return ok({ reason: "not_found", what: "no such server" });
    return ok(
      found.value.auth === "keys"
        ? { reason: "forbidden", action: "authorizing programs: this server accepts API keys only" }
        : null,
    );
  },
});
