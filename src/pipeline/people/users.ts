/** Finds or creates the person an issuer names. Issuers' ids are not stored. */
import type { AdminEvent } from "../../domain/admin-event.ts";
import type { KeyTokens, Vault } from "../../domain/ports/stores.ts";
import type { UserStore } from "../../domain/ports/users.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { StoredKey } from "../../domain/tenancy/access.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import {
  identityText,
  userPrefix,
  userSecretsOf,
  type Identity,
  type StoredUser,
  type UserSecrets,
} from "../../domain/tenancy/user.ts";
import type { KeyCodes } from "../callers/key-codes.ts";

/** Keyed hash, base64url; the key has 32 bytes. */
export type UserHash = (key: string, text: string) => Promise<string>;

export interface UserDeps {
  users: UserStore;
  vault: Vault;
  keyCodes: Pick<KeyCodes, "codeOf">;
  tokens: Pick<KeyTokens, "mint">;
  userHash: UserHash;
  nonce: () => string;
  ids: Pick<Ids, "next">;
  now: () => number;
}

export interface NamedIdentity {
  tenantId: string;
  identity: Identity;
  /** displayable name; `null` for none, absent if unknown */
  name?: string | null;
  actor: string;
}

const broken: Refusal = { reason: "unreadable", what: "the person's row" };

export const openedUser = async ({ vault }: Pick<UserDeps, "vault">, user: StoredUser) => {
  const opened = await vault.open(user.sealed, userSecretsOf(user));
  const secrets = opened.ok ? (JSON.parse(opened.value) as UserSecrets) : null;
  return secrets?.finder === user.finder && secrets.keyId === user.keyId ? secrets : null;
};

async function finderKeyOf(deps: UserDeps, tenantId: string): AsyncResult<string> {
  const { users, vault, nonce, now } = deps;
  const context = userSecretsOf({ tenantId, id: tenantId });
  for (;;) {
    const kept = await users.finderKey(tenantId);
    if (!kept.ok) return kept;
    if (kept.value !== null) {
      const opened = await vault.open(kept.value, context);
      return opened.ok ? opened : err({ ...broken, what: "the key by which people are found" });
    }
    const sealed = await vault.seal(nonce(), context);
    const written = await users.keepFinderKey({ tenantId, sealed, createdAt: now() });
    if (!written.ok) return written;
  }
}

export async function finderOf(
  deps: UserDeps,
  { tenantId, identity }: Pick<NamedIdentity, "tenantId" | "identity">,
): AsyncResult<string> {
  const key = await finderKeyOf(deps, tenantId);
  return key.ok ? ok(await deps.userHash(key.value, identityText(identity))) : key;
}

/** The key that the person's programs act as. Its secret is discarded. */
async function keyFor(deps: UserDeps, user: StoredUser, createdBy: string): Promise<StoredKey> {
  const { secretHash } = await deps.tokens.mint(user.keyId);
  const key: Omit<StoredKey, "code"> = {
    id: user.keyId,
    tenantId: user.tenantId,
    name: `Signs in (${user.id.slice(0, 12)})`,
    scopes: ["proxy", "sampling"],
    expiresAt: null,
    revokedAt: null,
    limits: {},
    givenTo: [],
    createdAt: user.createdAt,
    createdBy,
    secretHash,
    userId: user.id,
  };
  const code = await deps.keyCodes.codeOf(key);
  return { ...key, code };
}

async function made(
  deps: UserDeps,
  finder: string,
  { tenantId, identity, name = null, actor }: NamedIdentity,
): AsyncResult<StoredUser | null> {
  const { vault, userHash, nonce, ids, now } = deps;
  const secrets: UserSecrets = {
    key: nonce(),
    finder,
    keyId: ids.next("key"),
  };
  const { keyId } = secrets;
  const id = `${userPrefix}_${await userHash(secrets.key, identityText(identity))}`;
  const sealed = await vault.seal(JSON.stringify(secrets), userSecretsOf({ tenantId, id }));
  const fresh = { createdAt: now(), role: null, signedInAt: null };
  const user: StoredUser = { id, tenantId, finder, name, keyId, sealed, ...fresh };
  const key = await keyFor(deps, user, actor);
  const event: AdminEvent = {
    id: ids.next("event"),
    at: now(),
    actor,
    action: "user.create",
    tenantId,
    target: id,
    detail: { keyId },
  };
  const created = await deps.users.create(user, key, event);
  return created.ok ? ok(created.value ? user : null) : created;
}

/** Returns the same person until they are erased. */
export async function userNamed(deps: UserDeps, named: NamedIdentity): AsyncResult<StoredUser> {
  const { tenantId } = named;
  const found = await finderOf(deps, named);
  if (!found.ok) return found;
  const finder = found.value;
  for (;;) {
    const known = await deps.users.byFinder(tenantId, finder);
    if (!known.ok) return known;
    const user = known.value;
    if (user === null) {
      const created = await made(deps, finder, named);
      if (!created.ok) return created;
      if (created.value !== null) return ok(created.value);
      continue;
    }
    const secrets = await openedUser(deps, user);
    if (secrets === null) return err(broken);
    const { name = user.name } = named;
    if (user.name === name) return ok(user);
    const changed = await deps.users.change(tenantId, user.id, { name });
    return changed.ok ? ok({ ...user, name }) : changed;
  }
}
