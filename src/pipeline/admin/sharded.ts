/**
 * The admin API over several databases. Whatever belongs to a tenant is served by the tenant's database alone, with
 * the same use cases that one database has. The directory in the home shard says which database that is. An
 * operator's lists ask the home shard alone, which other databases deliver to (`pipeline/scheduled/deliver.ts`).
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { PlacementStore } from "../../domain/ports/placements.ts";
import type { Readiness, WriteFault } from "../../domain/ports/readiness.ts";
import { err, ok } from "../../domain/result.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { homeShard, shardOf } from "../../domain/tenancy/shards.ts";
import { createPlacing, notConfigured, type NewDatabase, type PlacingShard } from "./placing.ts";
import { createRemoval } from "./removal.ts";
import type { AdminUseCases } from "./use-cases.ts";

export interface AdminShard extends Omit<PlacingShard, "tenants"> {
  admin: AdminUseCases;
  /** Delivers what the home shard lacks, one delivery at a time; 0: nothing is left. */
  deliver: () => AsyncResult<number>;
}

export interface Shards<S> {
  /** those of the settings, home first; databases of single tenants can't be listed */
  names: readonly string[];
  home: S;
  /** null: there is no shard of that name. `residency`: where it is made, if it is not there yet */
  of(name: string, residency?: Residency | null): S | null;
  /** null: tenants share those of `names` */
  newDatabase: NewDatabase | null;
}

/** The use cases for one request. `slug`: the tenant in its path; null: the path names none. */
export type AdminFor = (actor: Actor, slug: string | null) => AsyncResult<AdminUseCases>;

export function createAdminFor(deps: {
  shards: Shards<AdminShard>;
  placements: PlacementStore;
}): AdminFor {
  const { shards, placements } = deps;
  const { names, home } = shards;
  const { newDatabase } = shards;
  const isAlone = newDatabase === null && names.length === 1;

  const operators: AdminUseCases = {
    ...home.admin,
    tenants: {
      ...home.admin.tenants,
      create: createPlacing({
        placements,
        names,
        newDatabase,
        shard(name, residency) {
          const found = shards.of(name, residency);
          return found === null ? null : { ...found, tenants: found.admin.tenants };
        },
      }),
    },
    catalogue: {
      ...home.admin.catalogue,
      /** Syncs each shard's own catalogue, up to the first shard that fails. The answer is the home shard's. */
      async sync(actor) {
        const synced = await home.admin.catalogue.sync(actor);
        for (const name of names.slice(1)) {
          if (!synced.ok) break;
          const other = await shards.of(name)?.admin.catalogue.sync(actor);
          if (other?.ok === false) return other;
        }
        return synced;
      },
    },
  };

  return async (actor, slug) => {
    // A key's own id says on which shard its tenant is. Other shards do not exist for the key.
    if (actor.kind !== "operator") {
      const ownShard = shards.of(shardOf(actor.tenantId));
      return ownShard === null
        ? err({ reason: "not_found", what: "the tenant's shard" })
        : ok(ownShard.admin);
    }
    if (isAlone || slug === null) return ok(operators);
    const placed = await placements.bySlug(slug);
    if (!placed.ok) return placed;
    const placement = placed.value;
    if (placement === null) return ok(home.admin);
    const shard = shards.of(placement.shard);
    if (shard === null) return err(notConfigured(placement));
    const { admin } = shard;
    return ok({
      ...admin,
      tenants: { ...admin.tenants, remove: createRemoval({ placements, placement, shard }) },
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
