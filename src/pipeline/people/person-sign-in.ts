/** The browser keeps one attempt's state, authenticated, so that it can't be forged or moved to another tenant. */
import { canonicalJson } from "../../domain/canonical.ts";
import { isObject } from "../../domain/json.ts";
import type { IdentityClient, SignInStore } from "../../domain/ports/sign-ins.ts";
import type { Tenant, TenantStore, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { isUnreachable, unreachableReason, type OauthFault } from "../../domain/servers/oauth.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import {
  displayNameIn,
  identityIn,
  personIn,
  roleIn,
  signInSecretsOf,
  type Claims,
  type PendingSignIn,
  type SignInSecrets,
  type StoredSignIn,
} from "../../domain/tenancy/sign-in.ts";
import type { Role } from "../../domain/tenancy/scopes.ts";
import { nameToKeep, type Identity } from "../../domain/tenancy/user.ts";
import type { ConsoleSessions, NewConsoleSession } from "./console-sessions.ts";
import type { NoteFailedSignIn } from "./failed-sign-ins.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";
import { userNamed, type UserDeps } from "./users.ts";

/** ms to return from the identity provider. */
export const pendingMs = 10 * 60_000;

export type BegunSignIn =
  /** redirect; the browser keeps the text until it returns */
  { url: string; kept: string } | { session: NewConsoleSession };

export const signInPlaces = ["tenant", "operator"] as const;
/** Whose identity provider people can sign in with. */
export type SignInPlace = (typeof signInPlaces)[number];

export interface PersonSignIn {
  /** `slug` `null`: of all tenants */
  offered(slug: string | null): Promise<readonly SignInPlace[]>;
  /** `slug` `null` for the operator's provider. `assertion`: a gateway's token, if any */
  begin(asked: {
    slug: string | null;
    redirectUri: string;
    assertion: string | null;
    address: string;
  }): AsyncResult<BegunSignIn>;
  finish(came: {
    kept: string;
    redirectUri: string;
    query: string;
    address: string;
  }): AsyncResult<NewConsoleSession>;
}

interface PersonSignInDeps extends UserDeps {
  signIns: Pick<SignInStore, "get" | "areSet">;
  /** whether tenants have databases of their own */
  isOneOfMany: boolean;
  tenants: Pick<TenantStore, "bySlug">;
  operatorSignIn: SignInSecrets | null;
  identity: IdentityClient;
  sha256Hex: (text: string) => Promise<string>;
  mac: Mac;
  consoleSessions: () => Pick<ConsoleSessions, "signInPerson">;
  throttle: SignInThrottle;
  noteFailed: NoteFailedSignIn;
}

interface Kept extends PendingSignIn {
  slug: string | null;
  until: number;
}

interface Found {
  signIn: SignInSecrets;
  tenant: Tenant | null;
}

const none: Refusal = { reason: "not_found", what: "an identity provider to sign in with" };
const notBegun: Refusal = {
  reason: "unauthorized",
  detail: "No sign-in is under way in this browser, or it began too long ago: begin again.",
};

export const refusalFor = (fault: OauthFault): Refusal =>
  isUnreachable(fault)
    ? {
        reason: "unavailable",
        retryAfterMs: 1_000,
        cause: "identity_provider",
        detail: `the identity provider can't be reached: ${unreachableReason(fault)}`,
      }
    : { reason: "unauthorized", detail: `The identity provider's word does not count: ${fault}.` };

const codedKept = (text: string): string => canonicalJson(["sign-in under way", text]);

/** Unverified slug in the browser's text. */
export function slugKept(kept: string): string | null {
  try {
    const value: unknown = JSON.parse(atob(kept.split(".")[0] ?? ""));
    return isObject(value) && typeof value["slug"] === "string" ? value["slug"] : null;
  } catch {
    return null;
  }
}

/** `null` if they are missing or no key opens them. */
export async function openedSignIn(
  vault: Vault,
  row: StoredSignIn | null,
): Promise<SignInSecrets | null> {
  if (row === null) return null;
  const plain = await vault.open(row.sealed, signInSecretsOf(row));
  return plain.ok ? (JSON.parse(plain.value) as SignInSecrets) : null;
}

/** A change of the settings ends people's sessions. */
export const signInProofText = (signIn: SignInSecrets): string =>
  canonicalJson(["sign-in", { ...signIn }]);

async function find(deps: PersonSignInDeps, slug: string | null): AsyncResult<Found> {
  if (slug === null)
    return deps.operatorSignIn === null
      ? err(none)
      : ok({ signIn: deps.operatorSignIn, tenant: null });
  const tenant = await deps.tenants.bySlug(slug);
  if (!tenant.ok) return tenant;
  if (tenant.value === null) return err(none);
  const { id } = tenant.value;
  const row = await deps.signIns.get(id);
  if (!row.ok) return row;
  const signIn = await openedSignIn(deps.vault, row.value);
  return signIn === null ? err(none) : ok({ signIn, tenant: tenant.value });
}

/** Adds the person to the tenant's list. People of the operator's provider aren't listed. */
async function listedPerson(
  deps: PersonSignInDeps,
  { signIn, tenant }: Found,
  { claims, identity, role }: { claims: Claims; identity: Identity; role: Role },
): AsyncResult<string | null> {
  if (tenant === null) return ok(null);
  const { id: tenantId, policy } = tenant;
  const name = nameToKeep(displayNameIn(claims, signIn), policy);
  const user = await userNamed(deps, { tenantId, identity, name, actor: "router" });
  if (!user.ok) return user;
  const { id } = user.value;
  const noted = await deps.users.change(tenantId, id, { role, signedInAt: deps.now() });
  return noted.ok ? ok(id) : noted;
}

async function enter(
  deps: PersonSignInDeps,
  found: Found,
  claims: Claims,
): AsyncResult<NewConsoleSession> {
  const { signIn, tenant } = found;
  const role = roleIn(claims, signIn);
  const name = personIn(claims, signIn);
  const identity = identityIn(claims, signIn);
  if (role === null || name === null || identity === null)
    return err({
      reason: "forbidden",
      action: `signing in without a role: no value of the claim ${JSON.stringify(signIn.claim)} is mapped to one`,
    });
  const userId = await listedPerson(deps, found, { claims, identity, role });
  if (!userId.ok) return userId;
  const proof = await deps.sha256Hex(signInProofText(signIn));
  const person = { name, identity, role, tenant, userId: userId.value };
  return deps.consoleSessions().signInPerson(person, proof);
}

async function counted(
  deps: PersonSignInDeps,
  { found, address }: { found: Found; address: string },
  work: () => Promise<Result<Claims, OauthFault>>,
): AsyncResult<NewConsoleSession> {
  const subject = `person ${found.tenant?.id ?? "operator"}`;
  const attempt = deps.throttle.begin({ address, subject });
  if (!attempt.ok) return attempt;
  const claims = await work();
  if (claims.ok || isUnreachable(claims.error)) attempt.value.succeeded();
  if (claims.ok) return enter(deps, found, claims.value);
  const tenantId = found.tenant?.id ?? null;
  await deps.noteFailed(
    { tenantId, target: "person", address, fault: claims.error },
    attempt.value,
  );
  return err(refusalFor(claims.error));
}

async function keptFor(deps: PersonSignInDeps, pending: Kept): Promise<string> {
  const text = btoa(JSON.stringify(pending));
  return `${text}.${await deps.mac.code(codedKept(text))}`;
}

async function readKept(deps: PersonSignInDeps, value: string): Promise<Kept | null> {
  const [text = "", ...code] = value.split(".");
  if (!(await deps.mac.check(codedKept(text), code.join(".")))) return null;
  const pending = JSON.parse(atob(text)) as Kept;
  return pending.until > deps.now() ? pending : null;
}

async function isOffered(deps: PersonSignInDeps, slug: string | null): Promise<boolean> {
  if (slug !== null) return (await find(deps, slug)).ok;
  if (deps.isOneOfMany) return true;
  const areSet = await deps.signIns.areSet();
  return !areSet.ok || areSet.value;
}

export const createPersonSignIn = (deps: PersonSignInDeps): PersonSignIn => ({
  async offered(slug) {
    const isOf = { operator: deps.operatorSignIn !== null, tenant: await isOffered(deps, slug) };
    return signInPlaces.filter((place) => isOf[place]);
  },

  async begin({ slug, redirectUri, assertion, address }) {
    const found = await find(deps, slug);
    if (!found.ok) return found;
    const { signIn } = found.value;
    if (signIn.kind === "cloudflare-access") {
      if (assertion === null)
        return err({
          reason: "unauthorized",
          detail:
            "The request has no Cloudflare Access token. Open the router through Cloudflare Access.",
        });
      const session = await counted(deps, { found: found.value, address }, () =>
        deps.identity.verify(signIn, assertion),
      );
      return session.ok ? ok({ session: session.value }) : session;
    }
    const begun = await deps.identity.begin(signIn, { redirectUri });
    if (!begun.ok) return err(refusalFor(begun.error));
    const { url, pending } = begun.value;
    return ok({
      url,
      kept: await keptFor(deps, { ...pending, slug, until: deps.now() + pendingMs }),
    });
  },

  async finish({ kept: value, redirectUri, query, address }) {
    const pending = await readKept(deps, value);
    if (pending === null) return err(notBegun);
    const found = await find(deps, pending.slug);
    if (!found.ok) return found;
    return counted(deps, { found: found.value, address }, async () => {
      const came = { pending, redirectUri, query };
      const person = await deps.identity.finish(found.value.signIn, came);
      return person.ok ? ok(person.value.claims) : person;
    });
  },
});
