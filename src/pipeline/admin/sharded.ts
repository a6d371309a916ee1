/**
 * The admin API over several shards. Whatever belongs to a tenant is served by the tenant's shard alone, with
 * the same use cases that one database has. The directory in the home shard says which shard that is. Only an
 * operator's lists ask every shard, and they are refused when a shard is out of reach: a list that silently
 * lacks tenants would be worse.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { PlacementStore } from "../../domain/ports/placements.ts";
import type { Page, PageRequest } from "../../domain/ports/stores.ts";
import type { Readiness, WriteFault } from "../../domain/ports/readiness.ts";
import { err, ok } from "../../domain/result.ts";
import type { AuditKey } from "../../domain/audit/seals.ts";
import { homeShard, shardOf } from "../../domain/tenancy/shards.ts";
import { createPlacing, notConfigured, type PlacingShard } from "./placing.ts";
import { usageTogether, type ShownUsage } from "./usage.ts";
import type { AdminUseCases } from "./use-cases.ts";

export interface AdminShard extends Omit<PlacingShard, "tenants"> {
  admin: AdminUseCases;
}

export interface Shards<S> {
  /** home first */
  names: readonly string[];
  home: S;
  /** null: there is no shard of that name */
  of(name: string): S | null;
  /** names a database for one more tenant; null: tenants share those of `names` */
  newDatabase: (() => string) | null;
}

/**
 * Newest first by id, as each shard lists its own. The first `limit` of all rows are among the first `limit` of
 * each shard.
 */
async function merged<T extends { id: string }>(
  lists: readonly AsyncResult<Page<T>>[],
  { limit }: PageRequest,
): AsyncResult<Page<T>> {
  const found: T[] = [];
  let more = false;
  for (const list of await Promise.all(lists)) {
    if (!list.ok) return list;
    found.push(...list.value.data);
    more ||= list.value.nextCursor !== null;
  }
  // No two ids are equal: they are random, and end with their shard.
  found.sort((a, b) => (a.id < b.id ? 1 : -1));
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return ok({
    data,
    nextCursor: (more || found.length > limit) && last !== undefined ? last.id : null,
  });
}

/** The use cases for one request. `slug`: the tenant in its path; null: the path names none. */
export type AdminFor = (actor: Actor, slug: string | null) => AsyncResult<AdminUseCases>;

export function createAdminFor(deps: {
  shards: Shards<AdminShard>;
  placements: PlacementStore;
}): AdminFor {
  const { shards, placements } = deps;
  const { names, home } = shards;
  const alone = names.length === 1 && shards.newDatabase === null;
  const every = (): AdminShard[] => names.flatMap((name) => shards.of(name) ?? []);

  const operators: AdminUseCases = {
    ...home.admin,
    tenants: {
      ...home.admin.tenants,
      create: createPlacing({
        placements,
        names,
        newDatabase: shards.newDatabase,
        shard(name) {
          const found = shards.of(name);
          return found === null ? null : { ...found, tenants: found.admin.tenants };
        },
      }),
      list: (actor, page) =>
        alone
          ? home.admin.tenants.list(actor, page)
          : merged(
              every().map(({ admin }) => admin.tenants.list(actor, page)),
              page,
            ),
    },
    catalogue: {
      ...home.admin.catalogue,
      /** Syncs each shard's own catalogue, up to the first shard that fails. The answer is the home shard's. */
      async sync(actor) {
        const synced = await home.admin.catalogue.sync(actor);
        for (const { admin } of every().slice(1)) {
          if (!synced.ok) break;
          const other = await admin.catalogue.sync(actor);
          if (!other.ok) return other;
        }
        return synced;
      },
    },
    usage: {
      ...home.admin.usage,
      async readAll(actor, asked) {
        const parts: { data: ShownUsage[] }[] = [];
        for (const part of await Promise.all(
          every().map(({ admin }) => admin.usage.readAll(actor, asked)),
        )) {
          if (!part.ok) return part;
          parts.push(part.value);
        }
        return usageTogether(parts);
      },
    },
    records: {
      ...home.admin.records,
      events: (actor, page) =>
        alone
          ? home.admin.records.events(actor, page)
          : merged(
              every().map(({ admin }) => admin.records.events(actor, page)),
              page,
            ),
    },
  };

  return async (actor, slug) => {
    // A key's own id says on which shard its tenant is. Other shards do not exist for the key.
    if (actor.kind === "key") {
      const ownShard = shards.of(shardOf(actor.tenantId));
      return ownShard === null
        ? err({ reason: "not_found", what: "the tenant's shard" })
        : ok(ownShard.admin);
    }
    if (alone || slug === null) return ok(operators);
    const placed = await placements.bySlug(slug);
    if (!placed.ok) return placed;
    const placement = placed.value;
    if (placement === null) return ok(home.admin);
    const shard = shards.of(placement.shard);
    if (shard === null) return err(notConfigured(placement));
    const { admin } = shard;
    return ok({
      ...admin,
      tenants: {
        ...admin.tenants,
        async remove(remover, tenantSlug) {
          const removed = await admin.tenants.remove(remover, tenantSlug);
          // The slug is released last, so that no tenant is left without a slug. A slug that is
          // left over stops nobody.
          if (removed.ok) await placements.release(placement);
          return removed;
        },
      },
    });
  };
}

/** The readiness of all shards. What a shard other than the home lacks is named with the shard. */
export const createShardedReadiness = (
  shards: Shards<{ name: string; readiness: Readiness }>,
): Readiness => ({
  async check() {
    if (shards.names.length === 1) return shards.home.readiness.check();
    const missingMigrations: string[] = [];
    const outOfReach: string[] = [];
    const writesFail: { shard: string | null; fault: WriteFault }[] = [];
    await Promise.all(
      shards.names.map(async (name) => {
        const checked = await shards.of(name)?.readiness.check();
        if (checked?.ok !== true) return void outOfReach.push(name);
        missingMigrations.push(
          ...checked.value.missingMigrations.map((file) =>
            name === homeShard ? file : `${name}: ${file}`,
          ),
        );
        for (const { fault } of checked.value.writesFail ?? [])
          writesFail.push({ shard: name, fault });
      }),
    );
    return ok({ missingMigrations, outOfReach, ...(writesFail.length > 0 && { writesFail }) });
  },
});

/** Each key once. A shard out of reach may hold a key that no other shard has, so the whole answer is refused. */
export const createShardedAuditKeys =
  (shards: Shards<{ admin: Pick<AdminUseCases, "exports"> }>) =>
  async (): AsyncResult<AuditKey[]> => {
    const keys = new Map<string, AuditKey>();
    for (const name of shards.names) {
      const found = await shards.of(name)?.admin.exports.publicKeys();
      if (found === undefined) continue;
      if (!found.ok) return found;
      for (const key of found.value) keys.set(key.id, key);
    }
    return ok([...keys.values()]);
  };
