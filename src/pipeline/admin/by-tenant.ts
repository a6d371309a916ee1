/**
 * The admin API where each tenant has a database of its own. Whatever belongs to a tenant is served by the tenant's database alone,
 * with the same use cases that a shared database has. The directory in `home` says which database that is. An operator's lists read
 * `home` alone, which the other databases deliver to (`pipeline/scheduled/deliver.ts`).
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { PlacementStore } from "../../domain/ports/placements.ts";
import { err, ok } from "../../domain/result.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { shardOf } from "../../domain/tenancy/shards.ts";
import {
  createInHome,
  createPlacing,
  unknownDatabase,
  type NewDatabase,
  type PlacingShard,
} from "./placing.ts";
import { createRemoval } from "./removal.ts";
import type { AdminUseCases } from "./use-cases.ts";

export interface AdminShard extends Omit<PlacingShard, "tenants"> {
  admin: AdminUseCases;
  /** Delivers what the home shard lacks, one delivery at a time; 0: nothing is left. */
  deliver: () => AsyncResult<number>;
}

export interface Shards<S> {
  home: S;
  /** `null` for an unknown name. `residency`: where the database is created if it is missing */
  of(name: string, residency?: Residency | null): S | null;
  /** `null` if all tenants share `home` */
  newDatabase: NewDatabase | null;
}

/** The use cases for one request. `slug`: the tenant in its path; null: the path names none. */
export type AdminFor = (actor: Actor, slug: string | null) => AsyncResult<AdminUseCases>;

export function createAdminFor(deps: {
  shards: Shards<AdminShard>;
  placements: PlacementStore;
}): AdminFor {
  const { shards, placements } = deps;
  const { home, newDatabase } = shards;

  const operators: AdminUseCases = {
    ...home.admin,
    tenants: {
      ...home.admin.tenants,
      create:
        newDatabase === null
          ? createInHome(home.admin.tenants)
          : createPlacing({
              placements,
              newDatabase,
              shard(name, residency) {
                const found = shards.of(name, residency);
                return found === null ? null : { ...found, tenants: found.admin.tenants };
              },
            }),
    },
  };

  return async (actor, slug) => {
    // The key's id names its tenant's database. No other database exists for the key.
    if (actor.kind !== "operator") {
      const ownShard = shards.of(shardOf(actor.tenantId));
      return ownShard === null
        ? err({ reason: "not_found", what: "the tenant's database" })
        : ok(ownShard.admin);
    }
    if (newDatabase === null || slug === null) return ok(operators);
    const placed = await placements.bySlug(slug);
    if (!placed.ok) return placed;
    const placement = placed.value;
    if (placement === null) return ok(home.admin);
    const shard = shards.of(placement.shard);
    if (shard === null) return err(unknownDatabase(placement));
    const { admin } = shard;
    return ok({
      ...admin,
      tenants: { ...admin.tenants, remove: createRemoval({ placements, placement, shard }) },
    });
  };
}
