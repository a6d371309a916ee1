/**
 * Creates tenants that have a database of their own. The slug is claimed in `home`, for one tenant id in one database, and then
 * the tenant is created there. A claim without its tenant is completed by the next caller, under the same id, which a database takes
 * once. So of any number of simultaneous callers one succeeds, and an interrupted creation is finished by asking again. No clock
 * decides anything.
 */
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import type { Placement, PlacementStore } from "../../../domain/ports/placements.ts";
import type { Tenant } from "../../../domain/ports/stores.ts";
import { err, type Result } from "../../../domain/result.ts";
import { isSameResidency, type Residency } from "../../../domain/tenancy/residency.ts";
import type { NewTenant, TenantAdmin } from "./tenants.ts";

export interface PlacingDatabase {
  name: string;
  tenants: Pick<TenantAdmin, "create" | "exists">;
  ids: Ids;
}

/** Names the database of a new tenant. Refuses a place that the host does not offer. */
export type NewDatabase = (residency: Residency) => Result<string, Refusal>;

/** A slug whose tenant was deleted is claimed anew, and another caller may do the same at once. */
const tries = 3;

const taken = (slug: string) =>
  err({ reason: "conflict", detail: `A tenant "${slug}" exists already.` } as const);

const begunElsewhere = ({ slug }: Placement) =>
  err({
    reason: "conflict",
    detail: `The creation or deletion of a tenant "${slug}" in another region or jurisdiction was interrupted. Repeat it there to finish it.`,
  } as const);

/** Whether the claim that stands is for what is asked. */
const fits = (standing: Placement, { residency }: NewTenant): boolean =>
  residency === undefined || isSameResidency(standing.residency, residency);

interface PlacingDeps {
  placements: PlacementStore;
  newDatabase: NewDatabase;
  /** `residency`: where the database is created if it is missing */
  databaseNamed: (name: string, residency: Residency | null) => PlacingDatabase | null;
}

/** Creates a tenant in the one database that all tenants share. */
export const createInHome =
  ({ create }: Pick<TenantAdmin, "create">): TenantAdmin["create"] =>
  async (actor, asked) =>
    asked.residency === undefined
      ? create(actor, asked)
      : err({
          reason: "invalid_params",
          path: asked.residency.region === undefined ? "jurisdiction" : "region",
          detail:
            "This deployment can't choose where data lives. Only a deployment on Cloudflare with a Durable Object for each tenant can. Leave it out.",
        });

export function createPlacing({ placements, databaseNamed, newDatabase }: PlacingDeps) {
  return async (actor: Actor, asked: NewTenant): AsyncResult<Tenant> => {
    const { slug, name, residency } = asked;
    const database = newDatabase(residency ?? {});
    if (!database.ok) return database;
    const made = databaseNamed(database.value, residency ?? null);
    if (made === null) return err({ reason: "unavailable", retryAfterMs: 1_000 });
    const fresh = (): Placement => ({
      slug,
      tenantId: made.ids.next("tenant"),
      database: made.name,
      residency: residency ?? null,
    });
    let claimed = await placements.claim(fresh());
    for (let left = tries; left > 0; left -= 1) {
      if (!claimed.ok) return claimed;
      const standing = claimed.value;
      if (standing === null) return taken(slug);
      const standingDatabase = databaseNamed(standing.database, standing.residency);
      if (standingDatabase === null) return err(unknownDatabase(standing));
      if (fits(standing, asked)) {
        const created = await standingDatabase.tenants.create(actor, {
          slug,
          name,
          id: standing.tenantId,
          ...(standing.residency !== null && { residency: standing.residency }),
        });
        // Unless it is confirmed here, the tenant's database says within a minute that it is there.
        if (created.ok) await placements.confirm(standing, created.value);
        if (created.ok || created.error.reason !== "conflict") return created;
      }
      const there = await standingDatabase.tenants.exists(standing.tenantId);
      if (!there.ok) return there;
      if (there.value) return taken(slug);
      if (!fits(standing, asked)) return begunElsewhere(standing);
      // The tenant was deleted, and the deletion was cut off before it released the slug.
      claimed = await placements.replace(standing, fresh());
    }
    return err({ reason: "conflict", detail: `Others are creating a tenant "${slug}".` });
  };
}

export const unknownDatabase = ({ slug }: Pick<Placement, "slug">) =>
  ({
    reason: "conflict",
    detail: `The tenant "${slug}" is in a database that this deployment does not have.`,
  }) as const;
