/** Port of the directory: which database has which tenant. It is in `home`. */
import type { AsyncResult } from "../refusals.ts";
import type { Residency } from "../tenancy/residency.ts";
import type { Page, PageRequest } from "./pages.ts";

/** `creating`: the slug is claimed, and its tenant is not known to be there. `deleting`: a deletion was begun. */
export type PlacementState = "creating" | "active" | "deleting";

/** The tenant of a slug, and its database. Placements stand in `home`, once there are other databases. */
export interface Placement {
  slug: string;
  tenantId: string;
  database: string;
  /** null: nobody asked */
  residency: Residency | null;
}

/** A tenant as the operator's list shows it. */
export interface Listed {
  id: string;
  slug: string;
  database: string;
  name: string;
  createdAt: number;
  residency: Residency | null;
  state: PlacementState;
}

/**
 * A placement is written before its tenant and removed after it. A placement without a tenant is therefore what
 * a crash left, and binds nobody: see `pipeline/admin/tenants/placing.ts`.
 */
export interface PlacementStore {
  /**
   * Gives the placement that stands then, which may be an earlier one; null: a tenant without a placement has
   * the slug.
   */
  claim(placement: Placement): AsyncResult<Placement | null>;
  /** Replaces a placement if it still stands. Gives the one that stands then. */
  replace(from: Placement, to: Placement): AsyncResult<Placement | null>;
  bySlug(slug: string): AsyncResult<(Placement & { state: PlacementState }) | null>;
  /** The placement's tenant is there. */
  confirm(placement: Placement, tenant: { name: string; createdAt: number }): AsyncResult<null>;
  /** Deletion of the placement's tenant begins. */
  beginDeletion(placement: Placement): AsyncResult<null>;
  /** Removes the placement, and what was delivered of its tenant's usage. */
  release(placement: Placement): AsyncResult<null>;
  /** All tenants of all databases, newest first. */
  list(page: PageRequest): AsyncResult<Page<Listed>>;
  /** What people call tenants, by id. A tenant that is gone has no name. */
  namesOf(ids: readonly string[]): AsyncResult<Record<string, string>>;
}
