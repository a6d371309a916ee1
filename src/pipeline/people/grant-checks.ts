/** Asks the identity provider when tokens are refreshed. Of concurrent refreshes, one asks. */
import type {
  IdentityClient,
  RecheckedIdentity,
  SignInStore,
} from "../../domain/ports/sign-ins.ts";
import type { OauthEntry, OauthEntryStore } from "../../domain/ports/oauth-entries.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { isUnreachable } from "../../domain/servers/oauth.ts";
import { checkKeyOf, type HeldGrant } from "../../domain/tenancy/grant-ids.ts";
import type { SealedFor } from "../../domain/tenancy/sealing.ts";
import {
  allowsClients,
  mayAuthorizeClients,
  type SignInSecrets,
} from "../../domain/tenancy/sign-in.ts";
import { openedSignIn, refusalFor } from "./person-sign-in.ts";

/** ms for which the provider's answer counts. */
const countsMs = 10 * 60_000;
/** ms for which a sign-in counts if the provider can't be asked again. */
const uncheckedMs = 12 * 3_600_000;
/** ms: longer than any grant. */
const keptMs = 31 * 86_400_000;

interface GrantCheck {
  signedInAt: number;
  checkedAt: number;
  /** sealed refresh token of the provider */
  sealed: string | null;
}

export interface GrantChecks {
  keep(grant: HeldGrant, from: { issuer: string; refreshToken: string | null }): AsyncResult<null>;
  /** `true` for grants without a sign-in. */
  stands(grant: HeldGrant): AsyncResult<boolean>;
}

interface GrantCheckDeps {
  entries: OauthEntryStore;
  signIns: Pick<SignInStore, "get">;
  vault: Vault;
  identity: Pick<IdentityClient, "recheck">;
  now: () => number;
}

/** Binds the token to the issuer's endpoints. */
const sealedFor = ({ tenantId, grantId }: HeldGrant, issuer: string): SealedFor => ({
  purpose: "grant-check",
  tenantId,
  provider: "",
  id: grantId,
  destination: issuer,
});

async function written(
  { entries, now }: GrantCheckDeps,
  grant: HeldGrant,
  { check, entry }: { check: GrantCheck; entry: OauthEntry | null },
): AsyncResult<boolean> {
  return entries.change(
    {
      tenantId: grant.tenantId,
      key: checkKeyOf(grant),
      value: JSON.stringify(check),
      expiresAt: check.signedInAt + keptMs,
      ifVersion: entry === null ? "any" : { is: entry.version },
    },
    now(),
  );
}

const isStillAllowed = ({ claims }: RecheckedIdentity, signIn: SignInSecrets): boolean =>
  allowsClients(signIn) && (claims === null || mayAuthorizeClients(claims, signIn));

async function askedAgain(
  deps: GrantCheckDeps,
  grant: HeldGrant,
  { check, sealed }: { check: GrantCheck; sealed: string },
): AsyncResult<boolean> {
  const { signIns, vault, identity } = deps;
  const row = await signIns.get(grant.tenantId);
  if (!row.ok) return row;
  const signIn = await openedSignIn(vault, row.value);
  // The identity provider was changed or removed.
  if (signIn === null) return ok(false);
  const context = sealedFor(grant, signIn.issuer);
  const token = await vault.open(sealed, context);
  if (!token.ok) return ok(false);
  const rechecked = await identity.recheck(signIn, token.value);
  if (!rechecked.ok && isUnreachable(rechecked.error)) {
    const back = await written(deps, grant, { check, entry: null });
    return back.ok ? err(refusalFor(rechecked.error)) : back;
  }
  if (!rechecked.ok || !isStillAllowed(rechecked.value, signIn)) return ok(false);
  const { refreshToken } = rechecked.value;
  if (refreshToken === null) return ok(true);
  const fresh = {
    ...check,
    checkedAt: deps.now(),
    sealed: await vault.seal(refreshToken, context),
  };
  const kept = await written(deps, grant, { check: fresh, entry: null });
  return kept.ok ? ok(true) : kept;
}

export const createGrantChecks = (deps: GrantCheckDeps): GrantChecks => ({
  async keep(grant, { issuer, refreshToken }) {
    const at = deps.now();
    const sealed =
      refreshToken === null ? null : await deps.vault.seal(refreshToken, sealedFor(grant, issuer));
    const check = { signedInAt: at, checkedAt: at, sealed };
    const kept = await written(deps, grant, { check, entry: null });
    return kept.ok ? ok(null) : kept;
  },

  async stands(grant) {
    const { entries, now } = deps;
    const found = await entries.get(grant.tenantId, [checkKeyOf(grant)], now());
    if (!found.ok) return found;
    const [entry] = found.value;
    if (entry === undefined) return ok(true);
    const check = JSON.parse(entry.value) as GrantCheck;
    const { sealed, signedInAt, checkedAt } = check;
    if (sealed === null) return ok(now() < signedInAt + uncheckedMs);
    if (now() < checkedAt + countsMs) return ok(true);
    const claimed = await written(deps, grant, { check: { ...check, checkedAt: now() }, entry });
    if (!claimed.ok) return claimed;
    // Another process is asking and ends the grant if necessary.
    return claimed.value ? askedAgain(deps, grant, { check, sealed }) : ok(true);
  },
});
