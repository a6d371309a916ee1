import type { SignInStore } from "../../../domain/ports/sign-ins.ts";
import type { Vault } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import { problemWithEndpoint } from "../../../domain/servers/upstreams.ts";
import { actsUntil, type Actor } from "../../../domain/tenancy/access.ts";
import {
  signInSecretsOf,
  type SignIn,
  type SignInSecrets,
} from "../../../domain/tenancy/sign-in.ts";
import { openedSignIn } from "../../people/person-sign-in.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";

export type ShownSignIn = SignIn & { hasSecret: boolean; updatedAt: number };

/** `clientSecret` absent: keep the stored one for the same client and issuer; `null`: none */
export type SignInInput = SignIn & { clientSecret?: string | null };

export type SignInDeps = AdminDeps & {
  signIns: SignInStore;
  vault: Vault;
  allowPrivateUpstreams: boolean;
  ownOrigins: readonly string[];
  nonce: () => string;
};

const shown = (
  { version: _, clientSecret, ...signIn }: SignInSecrets,
  updatedAt: number,
): ShownSignIn => ({ ...signIn, hasSecret: clientSecret !== null, updatedAt });

const what = "an identity provider of this tenant";

/** With the stored secret if the input has none, and issuer and client are the same. */
export async function secretsIn(
  deps: Pick<SignInDeps, "signIns" | "vault" | "allowPrivateUpstreams" | "ownOrigins" | "nonce">,
  tenantId: string,
  { clientSecret, ...signIn }: SignInInput,
): AsyncResult<SignInSecrets> {
  const { issuer, clientId } = signIn;
  const allow = { allowPrivate: deps.allowPrivateUpstreams, ownOrigins: deps.ownOrigins };
  const problem = problemWithEndpoint(issuer, allow);
  if (problem !== null) return err({ reason: "invalid_params", path: "issuer", detail: problem });
  const row = await deps.signIns.get(tenantId);
  if (!row.ok) return row;
  const before = await openedSignIn(deps.vault, row.value);
  const isSame = before?.issuer === issuer && before.clientId === clientId;
  const secret = clientSecret === undefined ? (isSame ? before.clientSecret : null) : clientSecret;
  return ok({ ...signIn, clientSecret: secret, version: deps.nonce() });
}

export const createSignInAdmin = (deps: SignInDeps) => ({
  async get(actor: Actor, slug: string): AsyncResult<ShownSignIn> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const row = await present(deps.signIns.get(tenant.value.id), what);
    if (!row.ok) return row;
    const signIn = await openedSignIn(deps.vault, row.value);
    return signIn === null
      ? err({ reason: "unreadable", what: "the identity provider's settings: set them again" })
      : ok(shown(signIn, row.value.updatedAt));
  },

  async put(actor: Actor, slug: string, input: SignInInput): AsyncResult<ShownSignIn> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    // A person's session would outlive the key.
    if (actsUntil(actor) !== null)
      return err({ reason: "forbidden", action: "a key that expires sets no identity provider" });
    const { id: tenantId } = tenant.value;
    const found = await secretsIn(deps, tenantId, input);
    if (!found.ok) return found;
    const secrets = found.value;
    const updatedAt = deps.now();
    const { issuer } = secrets;
    const sealed = await deps.vault.seal(
      JSON.stringify(secrets),
      signInSecretsOf({ tenantId, issuer }),
    );
    const { kind, clientId, claim, roles, callers = [] } = secrets;
    const detail = { kind, issuer, clientId, claim, roles, callers };
    const event = eventOf(deps, actor, {
      action: "sign_in.replace",
      tenantId,
      target: tenantId,
      detail,
    });
    const written = await deps.signIns.put({ tenantId, issuer, sealed, updatedAt }, event);
    return written.ok ? ok(shown(secrets, updatedAt)) : written;
  },

  async remove(actor: Actor, slug: string): AsyncResult<null> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId } = tenant.value;
    const row = await present(deps.signIns.get(tenantId), what);
    if (!row.ok) return row;
    const action = "sign_in.remove";
    return deps.signIns.remove(
      tenantId,
      eventOf(deps, actor, { action, tenantId, target: tenantId }),
    );
  },
});
