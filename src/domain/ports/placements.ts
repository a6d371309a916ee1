/** The directory of tenants and their databases, in `home`. */
import type { AsyncResult } from "../refusals.ts";
import type { Residency } from "../tenancy/residency.ts";
import type { Page, PageRequest } from "./pages.ts";

/** `creating`: slug claimed, tenant not confirmed. `deleting`: deletion started. */
export type PlacementState = "creating" | "active" | "deleting";

/** Only exists if there are several databases. */
export interface Placement {
  slug: string;
  tenantId: string;
  database: string;
  residency: Residency | null;
}

export interface Listed {
  id: string;
  slug: string;
  database: string;
  name: string;
  createdAt: number;
  residency: Residency | null;
  state: PlacementState;
}

/** Written before its tenant and removed after it, so one without a tenant is left from a crash. */
export interface PlacementStore {
  /** Returns the current placement; null: the slug belongs to a tenant without one. */
  claim(placement: Placement): AsyncResult<Placement | null>;
  replace(from: Placement, to: Placement): AsyncResult<Placement | null>;
  bySlug(slug: string): AsyncResult<(Placement & { state: PlacementState }) | null>;
  confirm(placement: Placement, tenant: { name: string; createdAt: number }): AsyncResult<null>;
  beginDeletion(placement: Placement): AsyncResult<null>;
  release(placement: Placement): AsyncResult<null>;
  list(page: PageRequest): AsyncResult<Page<Listed>>;
  namesOf(ids: readonly string[]): AsyncResult<Record<string, string>>;
}
