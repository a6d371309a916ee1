import type { JsonObject } from "../../../domain/json.ts";
import { mergePatch } from "../../../domain/merge-patch.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import {
  actorName,
  actsUntil,
  outlives,
  type Actor,
  type ApiKey,
  type StoredKey,
} from "../../../domain/tenancy/access.ts";
import type { Scope } from "../../../domain/tenancy/scopes.ts";
import type { Limits, Policy } from "../../../domain/choice/policy.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { KeyStore, KeyTokens, Page, PageRequest } from "../../../domain/ports/stores.ts";
import { genuinePage } from "../../../domain/ports/genuine-page.ts";
import { err, ok } from "../../../domain/result.ts";
import { givenTo, type OwnCallDeps } from "../access/own-calls.ts";
import type { KeyCodes } from "../../callers/key-codes.ts";
import { openedUser } from "../../people/users.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import type { Named } from "../audit/records.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { edit, type IfMatch } from "../access/editing.ts";

export interface NewKey extends ApiKey {
  key: string;
}

export interface KeyInput {
  name: string;
  scopes: Scope[];
  expiresAt: number | null;
  limits: Limits;
  userId: string | null;
}

export interface KeyPatch {
  name?: string;
  expiresAt?: number | null;
  limits?: { [Limit in keyof Limits]?: number | null };
}

const shown = ({ secretHash: _, code: _code, givenTo: _given, ...key }: StoredKey): ApiKey => key;

/** A row without a valid code isn't a key. */
const unknown = (id: string) => err<Refusal>({ reason: "not_found", what: `key ${id}` });

export const genuineKeys = (
  { keys, keyCodes }: { keys: Pick<KeyStore, "list">; keyCodes: Pick<KeyCodes, "isKnown"> },
  tenantId: string,
  asked: PageRequest,
): AsyncResult<Page<StoredKey>> =>
  genuinePage(asked, (page) => keys.list(tenantId, page), keyCodes.isKnown);

const expired: Refusal = {
  reason: "invalid_params",
  path: "expiresAt",
  detail: "A time in the future: a key that has expired opens nothing.",
};

const expiresSooner = (actor: Actor) =>
  err({
    reason: "invalid_params",
    path: "expiresAt",
    detail: `At most ${actsUntil(actor)}, ms since the epoch: the key that asks expires then.`,
  } as const);

type KeyAdminDeps = AdminDeps &
  OwnCallDeps & { keys: KeyStore; tokens: KeyTokens; names: NameStore };

/** Names are not logged: events outlive a person's erasure. */
const detailOf = ({ name, scopes, userId }: KeyInput, expiresAt: number | null): JsonObject => ({
  ...(userId === null ? { name } : { userId }),
  scopes,
  expiresAt,
});

const withoutName = ({ name, ...patch }: KeyPatch) => ({
  ...patch,
  ...(name !== undefined && { name: "changed" }),
});

async function refusedChange(
  { keyCodes }: Pick<KeyAdminDeps, "keyCodes">,
  actor: Actor,
  key: StoredKey,
): Promise<Refusal | null> {
  if (key.revokedAt !== null) return { reason: "conflict", detail: "A revoked key stays revoked." };
  // Otherwise a change would turn a forged row into a key.
  if (!(await keyCodes.isKnown(key))) return unknown(key.id).error;
  return outlives(key.expiresAt, actor)
    ? { reason: "forbidden", action: "this key expires later than the key that asks" }
    : null;
}

interface ReadKey {
  key: StoredKey;
  policy: Policy;
}

/** All changes go through `edit`: the code covers the whole row, so concurrent changes must not mix. */
async function read(
  deps: AdminDeps & Pick<KeyAdminDeps, "keys">,
  actor: Actor,
  { slug, id }: { slug: string; id: string },
): AsyncResult<{ current: ReadKey; shown: ApiKey; version: number }> {
  const tenant = await tenantFor(deps, actor, slug);
  if (!tenant.ok) return tenant;
  const { policy, version } = tenant.value;
  const key = await present(deps.keys.get(tenant.value.id, id), `key ${id}`);
  return key.ok
    ? ok({ current: { key: key.value, policy }, shown: shown(key.value), version })
    : key;
}

export const createKeyAdmin = (deps: KeyAdminDeps) => ({
  async create(actor: Actor, slug: string, input: KeyInput): AsyncResult<NewKey> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const expiresAt = input.expiresAt ?? actsUntil(actor);
    if (outlives(expiresAt, actor)) return expiresSooner(actor);
    if (expiresAt !== null && expiresAt <= deps.now()) return err(expired);
    const { userId } = input;
    if (userId !== null) {
      const user = await present(deps.users.get(tenant.value.id, userId), `user ${userId}`);
      if (!user.ok) return user;
      if ((await openedUser(deps, user.value)) === null)
        return err({ reason: "not_found", what: `user ${userId}` });
    }
    const key: ApiKey = {
      id: deps.ids.next("key"),
      tenantId: tenant.value.id,
      ...input,
      expiresAt,
      revokedAt: null,
      createdAt: deps.now(),
      createdBy: actorName(actor),
    };
    const people = await givenTo(deps, actor, key.tenantId);
    if (!people.ok) return people;
    const { token, secretHash } = await deps.tokens.mint(key.id);
    const stored = { ...key, secretHash, givenTo: people.value };
    const code = await deps.keyCodes.codeOf(stored);
    const created = await deps.keys.create(
      { ...stored, code },
      eventOf(deps, actor, {
        action: "key.create",
        tenantId: key.tenantId,
        target: key.id,
        detail: detailOf(input, expiresAt),
      }),
    );
    return created.ok ? ok({ ...key, key: token }) : created;
  },

  /** With the names of the people whose keys they are, and of who made them. */
  async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<ApiKey> & Named> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const found = await genuineKeys(deps, tenant.value.id, page);
    if (!found.ok) return found;
    const data = found.value.data.map(shown);
    const ids = data.flatMap(({ userId, createdBy }) => [userId ?? [], createdBy].flat());
    const names = await deps.names.of(tenant.value.id, ids);
    return names.ok ? ok({ ...found.value, data, names: names.value }) : names;
  },

  async get(actor: Actor, slug: string, id: string): AsyncResult<ApiKey> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const key = await present(deps.keys.get(tenant.value.id, id), `key ${id}`);
    if (!key.ok) return key;
    return (await deps.keyCodes.isKnown(key.value)) ? ok(shown(key.value)) : unknown(id);
  },

  /** Scopes can't change: a key with more rights is another key. */
  update: (
    actor: Actor,
    slug: string,
    { id, ifMatch, patch }: { id: string; ifMatch: IfMatch; patch: KeyPatch },
  ): AsyncResult<ApiKey> =>
    edit(ifMatch, {
      read: () => read(deps, actor, { slug, id }),
      async write({ key: current, policy }, ifVersion) {
        const refusal = await refusedChange(deps, actor, current);
        if (refusal !== null) return err(refusal);
        const { name = current.name, expiresAt = current.expiresAt } = patch;
        if (outlives(expiresAt, actor)) return expiresSooner(actor);
        const limits = mergePatch(current.limits as JsonObject, patch.limits ?? {}) as Limits;
        const changed = { ...current, name, expiresAt, limits };
        const code = await deps.keyCodes.codeOf(changed);
        const updated = await deps.keys.update(
          { ...changed, code, calendar: calendarOf(policy.timeZone, deps.now()) },
          eventOf(deps, actor, {
            action: "key.update",
            tenantId: current.tenantId,
            target: id,
            detail: (current.userId ? withoutName(patch) : patch) as JsonObject,
          }),
          ifVersion,
        );
        return updated.ok ? ok(shown(changed)) : updated;
      },
    }),

  revoke: (actor: Actor, slug: string, id: string): AsyncResult<null> =>
    edit(null, {
      read: () => read(deps, actor, { slug, id }),
      async write({ key }, ifVersion) {
        if (key.revokedAt !== null) return ok(null);
        const revoked = { ...key, revokedAt: deps.now() };
        const code = await deps.keyCodes.codeOf(revoked);
        return deps.keys.revoke(
          { ...revoked, code },
          eventOf(deps, actor, { action: "key.revoke", tenantId: key.tenantId, target: id }),
          ifVersion,
        );
      },
    }),

  rotate: (actor: Actor, slug: string, id: string): AsyncResult<NewKey> =>
    edit(null, {
      read: () => read(deps, actor, { slug, id }),
      async write({ key }, ifVersion) {
        const refusal = await refusedChange(deps, actor, key);
        if (refusal !== null) return err(refusal);
        const people = await givenTo(deps, actor, key.tenantId);
        if (!people.ok) return people;
        const { token, secretHash } = await deps.tokens.mint(id);
        const fresh = {
          ...key,
          secretHash,
          givenTo: [...new Set([...key.givenTo, ...people.value])],
        };
        const code = await deps.keyCodes.codeOf(fresh);
        const replaced = await deps.keys.replaceSecret(
          { ...fresh, code },
          eventOf(deps, actor, { action: "key.rotate", tenantId: key.tenantId, target: id }),
          ifVersion,
        );
        return replaced.ok ? ok({ ...shown(key), key: token }) : replaced;
      },
    }),
});
