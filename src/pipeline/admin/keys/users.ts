import type { SignInStore } from "../../../domain/ports/sign-ins.ts";
import type { Page, PageRequest } from "../../../domain/ports/pages.ts";
import type { UserTokenStore } from "../../../domain/ports/server-stores.ts";
import type { RevokedKey } from "../../../domain/ports/users.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { genuinePage } from "../../../domain/ports/genuine-page.ts";
import { err, ok } from "../../../domain/result.ts";
import { actorName, type Actor, type StoredKey } from "../../../domain/tenancy/access.ts";
import type { NoteRejected } from "../../../domain/tenancy/rejected-row.ts";
import { nameToKeep, type KnownUser, type StoredUser } from "../../../domain/tenancy/user.ts";
import { openedSignIn } from "../../people/person-sign-in.ts";
import { openedUser, userNamed, type UserDeps } from "../../people/users.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import type { Grants } from "./grants.ts";

export interface UserInput {
  issuer?: string;
  subject: string;
  name?: string;
}

const shown = ({ finder: _, sealed: __, ...user }: StoredUser): KnownUser => user;

type UserAdminDeps = AdminDeps &
  UserDeps & {
    signIns: Pick<SignInStore, "get">;
    userTokens: Pick<UserTokenStore, "forget">;
    rejected: NoteRejected;
    grants: () => Grants | null;
  };

async function issuerOf(deps: UserAdminDeps, tenantId: string): AsyncResult<string | null> {
  const row = await deps.signIns.get(tenantId);
  if (!row.ok) return row;
  return ok((await openedSignIn(deps.vault, row.value))?.issuer ?? null);
}

async function endGrants(
  deps: UserAdminDeps,
  tenantId: string,
  keyIds: ReadonlySet<string>,
): AsyncResult<null> {
  const grants = deps.grants();
  const found = await (grants?.grantsOf(tenantId) ?? ok([]));
  if (!found.ok) return found;
  for (const { id, keyId } of found.value) {
    if (grants === null || !keyIds.has(keyId)) continue;
    const revoked = await grants.revoke(tenantId, id);
    if (!revoked.ok) return revoked;
  }
  return ok(null);
}

const revocationsOf = (deps: UserAdminDeps, keys: readonly StoredKey[]): Promise<RevokedKey[]> =>
  Promise.all(
    keys.map(async (key) => {
      const revokedAt = key.revokedAt ?? deps.now();
      const code = await deps.keyCodes.codeOf({ ...key, revokedAt });
      return { id: key.id, name: "Of a forgotten person", code, revokedAt };
    }),
  );

async function isGenuine(deps: UserAdminDeps, user: StoredUser): Promise<boolean> {
  if ((await openedUser(deps, user)) !== null) return true;
  await deps.rejected({ tenantId: user.tenantId, table: "users", id: user.id });
  return false;
}

export const createUserAdmin = (deps: UserAdminDeps) => ({
  /** Creates a missing person, so that an administrator gets the id for an erasure request. */
  async create(actor: Actor, slug: string, input: UserInput): AsyncResult<KnownUser> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId, policy } = tenant.value;
    const issuer = input.issuer === undefined ? await issuerOf(deps, tenantId) : ok(input.issuer);
    if (!issuer.ok) return issuer;
    if (issuer.value === null)
      return err({
        reason: "invalid_params",
        path: "issuer",
        detail: "Name the issuer: this tenant has no identity provider.",
      });
    const user = await userNamed(deps, {
      tenantId,
      identity: { issuer: issuer.value, subject: input.subject },
      ...(input.name !== undefined && { name: nameToKeep(input.name, policy) }),
      actor: actorName(actor),
    });
    return user.ok ? ok(shown(user.value)) : user;
  },

  async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<KnownUser>> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id: tenantId } = tenant.value;
    const found = await genuinePage(
      page,
      (next) => deps.users.list(tenantId, next),
      (user) => isGenuine(deps, user),
    );
    return found.ok ? ok({ ...found.value, data: found.value.data.map(shown) }) : found;
  },

  async forget(actor: Actor, slug: string, id: string): AsyncResult<null> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const user = await present(deps.users.get(tenantId, id), `user ${id}`);
    if (!user.ok) return user;
    const keys = await deps.users.keysOf(tenantId, id);
    if (!keys.ok) return keys;
    // The row goes last, so that a failed request can be repeated.
    const ended = await endGrants(deps, tenantId, new Set(keys.value.map((key) => key.id)));
    if (!ended.ok) return ended;
    const own = await deps.userTokens.forget(tenantId, id);
    if (!own.ok) return own;
    return deps.users.forget(
      { tenantId, id, keys: await revocationsOf(deps, keys.value) },
      eventOf(deps, actor, { action: "user.forget", tenantId, target: id }),
    );
  },
});
