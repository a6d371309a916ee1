/** Port of the directory: which shard has which tenant. */
import type { AsyncResult } from "../refusals.ts";

/** The tenant of a slug, and its shard. Placements stand in the home shard, once there are other shards. */
export interface Placement {
  slug: string;
  tenantId: string;
  shard: string;
}

/**
 * A placement is written before its tenant and removed after it. A placement without a tenant is therefore what
 * a crash left, and binds nobody: see `pipeline/admin/placing.ts`.
 */
export interface PlacementStore {
  /**
   * Gives the placement that stands then, which may be an earlier one; null: a tenant without a placement has
   * the slug.
   */
  claim(placement: Placement): AsyncResult<Placement | null>;
  /** Replaces a placement if it still stands. Gives the one that stands then. */
  replace(from: Placement, to: Placement): AsyncResult<Placement | null>;
  bySlug(slug: string): AsyncResult<Placement | null>;
  release(placement: Placement): AsyncResult<null>;
  /** How many tenants each shard has, by name. Shards without tenants are left out. */
  counts(): AsyncResult<Record<string, number>>;
}
