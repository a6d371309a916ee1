/**
 * Claims the slug in `home`, then creates the tenant. The next caller completes an incomplete claim under the
 * same id, which a database accepts once.
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

export type NewDatabase = (residency: Residency) => Result<string, Refusal>;

/** A deleted tenant's slug may be claimed concurrently. */
const tries = 3;

const taken = (slug: string) =>
  err({ reason: "conflict", detail: `A tenant "${slug}" exists already.` } as const);

const placedElsewhere = ({ slug }: Placement) =>
  err({
    reason: "conflict",
    detail: `The creation or deletion of a tenant "${slug}" in another region or jurisdiction was interrupted. Repeat it there to finish it.`,
  } as const);

const fits = (placement: Placement, { residency }: NewTenant): boolean =>
  residency === undefined || isSameResidency(placement.residency, residency);

interface PlacingDeps {
  placements: PlacementStore;
  newDatabase: NewDatabase;
  databaseNamed: (name: string, residency: Residency | null) => PlacingDatabase | null;
}

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
      const placement = claimed.value;
      if (placement === null) return taken(slug);
      const placedIn = databaseNamed(placement.database, placement.residency);
      if (placedIn === null) return err(unknownDatabase(placement));
      if (fits(placement, asked)) {
        const created = await placedIn.tenants.create(actor, {
          slug,
          name,
          id: placement.tenantId,
          ...(placement.residency !== null && { residency: placement.residency }),
        });
        // Otherwise the tenant's database reports it within a minute.
        if (created.ok) await placements.confirm(placement, created.value);
        if (created.ok || created.error.reason !== "conflict") return created;
      }
      const there = await placedIn.tenants.exists(placement.tenantId);
      if (!there.ok) return there;
      if (there.value) return taken(slug);
      if (!fits(placement, asked)) return placedElsewhere(placement);
      // The deletion was interrupted before it released the slug.
      claimed = await placements.replace(placement, fresh());
    }
    return err({ reason: "conflict", detail: `Others are creating a tenant "${slug}".` });
  };
}

export const unknownDatabase = ({ slug }: Pick<Placement, "slug">) =>
  ({
    reason: "conflict",
    detail: `The tenant "${slug}" is in a database that this deployment does not have.`,
  }) as const;
