/**
 * People sign in by an identity provider: the tenant's own, or the operator's. The browser keeps what belongs to one
 * try, with a code under MASTER_KEY, so that nobody else can make up a try or take it to another tenant.
 */
import { canonicalJson } from "../../domain/canonical.ts";
import { isObject } from "../../domain/json.ts";
import type { IdentityClient, SignInStore } from "../../domain/ports/sign-ins.ts";
import type { TenantStore, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { isUnreachable, whyUnreachable, type OauthFault } from "../../domain/servers/oauth.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import {
  identityIn,
  personIn,
  roleIn,
  signInSecretsOf,
  type Claims,
  type PendingSignIn,
  type SignInSecrets,
  type StoredSignIn,
} from "../../domain/tenancy/sign-in.ts";
import type { ConsoleSessions, NewConsoleSession, Person } from "./console-sessions.ts";
import type { NoteFailedSignIn } from "./failed-sign-ins.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

/** ms in which a person has to come back. */
export const pendingMs = 10 * 60_000;

export type BegunSignIn =
  /** the browser goes there, and keeps the text until it is back */
  | { url: string; kept: string }
  /** a gateway has said who it is */
  | { session: NewConsoleSession };

export interface PersonSignIn {
  /** `slug` null: the operator's identity provider. `assertion`: a gateway's token; null: there is none */
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

interface PersonSignInDeps {
  signIns: Pick<SignInStore, "get">;
  tenants: Pick<TenantStore, "bySlug">;
  vault: Vault;
  /** null: the operator has none */
  operatorSignIn: SignInSecrets | null;
  identity: IdentityClient;
  sha256Hex: (text: string) => Promise<string>;
  mac: Mac;
  consoleSessions: () => Pick<ConsoleSessions, "signInPerson">;
  throttle: SignInThrottle;
  noteFailed: NoteFailedSignIn;
  now: () => number;
}

interface Kept extends PendingSignIn {
  slug: string | null;
  until: number;
}

interface Found {
  signIn: SignInSecrets;
  tenant: Person["tenant"];
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
        detail: `the identity provider can't be reached: ${whyUnreachable(fault)}`,
      }
    : { reason: "unauthorized", detail: `The identity provider's word does not count: ${fault}.` };

const codedKept = (text: string): string => canonicalJson(["sign-in under way", text]);

/** The slug in a text that a browser kept, not believed yet. */
export function slugKept(kept: string): string | null {
  try {
    const value: unknown = JSON.parse(atob(kept.split(".")[0] ?? ""));
    return isObject(value) && typeof value["slug"] === "string" ? value["slug"] : null;
  } catch {
    return null;
  }
}

/** Opens a tenant's settings; null: there are none, or no key opens them. */
export async function openedSignIn(
  vault: Vault,
  row: StoredSignIn | null,
): Promise<SignInSecrets | null> {
  if (row === null) return null;
  const plain = await vault.open(row.sealed, signInSecretsOf(row));
  return plain.ok ? (JSON.parse(plain.value) as SignInSecrets) : null;
}

/** What a session of a person rests on. A change of the settings ends the sessions. */
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
  return signIn === null ? err(none) : ok({ signIn, tenant: { id, slug } });
}

/** The session of whoever the claims name, if they give a role. */
async function enter(
  deps: PersonSignInDeps,
  { signIn, tenant }: Found,
  claims: Claims,
): AsyncResult<NewConsoleSession> {
  const role = roleIn(claims, signIn);
  const name = personIn(claims, signIn);
  const identity = identityIn(claims, signIn);
  if (role === null || name === null || identity === null)
    return err({
      reason: "forbidden",
      action: `signing in without a role: no value of the claim ${JSON.stringify(signIn.claim)} is mapped to one`,
    });
  const proof = await deps.sha256Hex(signInProofText(signIn));
  return deps.consoleSessions().signInPerson({ name, identity, role, tenant }, proof);
}

/** A try counts as failed until it succeeded. */
async function counted(
  deps: PersonSignInDeps,
  { found, address }: { found: Found; address: string },
  work: () => Promise<Result<Claims, OauthFault>>,
): AsyncResult<NewConsoleSession> {
  const subject = `person ${found.tenant?.id ?? "operator"}`;
  const turn = deps.throttle.begin({ address, subject });
  if (!turn.ok) return turn;
  const claims = await work();
  if (claims.ok || isUnreachable(claims.error)) turn.value.succeeded();
  if (claims.ok) return enter(deps, found, claims.value);
  const tenantId = found.tenant?.id ?? null;
  await deps.noteFailed({ tenantId, target: "person", address, fault: claims.error }, turn.value);
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

export const createPersonSignIn = (deps: PersonSignInDeps): PersonSignIn => ({
  async begin({ slug, redirectUri, assertion, address }) {
    const found = await find(deps, slug);
    if (!found.ok) return found;
    const { signIn } = found.value;
    if (signIn.kind === "cloudflare-access") {
      if (assertion === null)
        return err({
          reason: "unauthorized",
          detail: "Cloudflare Access sent no token with this request: open the router behind it.",
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
