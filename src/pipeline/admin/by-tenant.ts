/**
 * Each tenant has its own database with the same use cases; the directory in `home` locates it. Operator lists
 * read `home` only.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { PlacementStore } from "../../domain/ports/placements.ts";
import { err, ok } from "../../domain/result.ts";
import type { Residency } from "../../domain/tenancy/residency.ts";
import { databaseOf } from "../../domain/tenancy/database-names.ts";
import {
  createInHome,
  createPlacing,
  unknownDatabase,
  type NewDatabase,
  type PlacingDatabase,
} from "./tenants/placing.ts";
import { createRemoval } from "./tenants/removal.ts";
import type { AdminUseCases } from "./use-cases.ts";

export interface AdminDatabase extends Omit<PlacingDatabase, "tenants"> {
  admin: AdminUseCases;
  deliver: () => AsyncResult<number>;
}

export interface Databases<S> {
  home: S;
  /** `null` for an unknown name. `residency` applies if the database is created. */
  of(name: string, residency?: Residency | null): S | null;
  newDatabase: NewDatabase | null;
}

export type AdminFor = (actor: Actor, slug: string | null) => AsyncResult<AdminUseCases>;

export function createAdminFor(deps: {
  databases: Databases<AdminDatabase>;
  placements: PlacementStore;
}): AdminFor {
  const { databases, placements } = deps;
  const { home, newDatabase } = databases;

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
              databaseNamed(name, residency) {
                const found = databases.of(name, residency);
                return found === null ? null : { ...found, tenants: found.admin.tenants };
              },
            }),
    },
  };

  return async (actor, slug) => {
    // The key's id names its tenant's database, the only one it can access.
    if (actor.kind !== "operator") {
      const ownDatabase = databases.of(databaseOf(actor.tenantId));
      return ownDatabase === null
        ? err({ reason: "not_found", what: "the tenant's database" })
        : ok(ownDatabase.admin);
    }
    if (newDatabase === null || slug === null) return ok(operators);
    const placed = await placements.bySlug(slug);
    if (!placed.ok) return placed;
    const placement = placed.value;
    if (placement === null) return ok(home.admin);
    const database = databases.of(placement.database);
    if (database === null) return err(unknownDatabase(placement));
    const { admin } = database;
    return ok({
      ...admin,
      tenants: { ...admin.tenants, remove: createRemoval({ placements, placement, database }) },
    });
  };
}
