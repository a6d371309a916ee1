/**
 * Creates tenants where there are several databases. The slug is claimed in the home shard, for one tenant id in
 * one database, and then that tenant is created there. A claim without its tenant is completed by the next caller,
 * under the same id, which a database takes once. So of any number at once one succeeds, and a creation that was
 * cut off is finished by asking again. No clock decides anything.
 */
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Placement, PlacementStore } from "../../domain/ports/placements.ts";
import type { Tenant } from "../../domain/ports/stores.ts";
import type { Readiness } from "../../domain/ports/readiness.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { isSameResidency, type Residency } from "../../domain/tenancy/residency.ts";
import { homeShard } from "../../domain/tenancy/shards.ts";
import type { NewTenant, TenantAdmin } from "./tenants.ts";

export interface PlacingShard {
  name: string;
  tenants: Pick<TenantAdmin, "create" | "exists">;
  readiness: Readiness;
  ids: Ids;
}

/** Names the database of a new tenant, where each tenant has one of its own. Refuses what the host can't do. */
export type NewDatabase = (residency: Residency) => Result<string, Refusal>;

/** A slug whose tenant was deleted is claimed anew, and another caller may do the same at once. */
const tries = 3;

const taken = (slug: string) =>
  err({ reason: "conflict", detail: `A tenant "${slug}" exists already.` } as const);

const refused = (path: string, detail: string) =>
  err({ reason: "invalid_params", path, detail } as const);

const nowhereToPlace =
  "This deployment can't choose where data lives: that takes a Durable Object for each tenant, on Cloudflare. Leave it out, or name one of your databases as `shard`.";

const begunElsewhere = ({ slug, shard }: Placement) =>
  err({
    reason: "conflict",
    detail: `On shard "${shard}" a tenant "${slug}" was begun to be created or deleted, and not finished. Create it there to finish that.`,
  } as const);

/** Whether the claim that stands is for what is asked. */
const fits = (standing: Placement, { shard, residency }: NewTenant): boolean =>
  (shard === undefined || shard === standing.shard) &&
  (residency === undefined || isSameResidency(standing.residency, residency));

interface PlacingDeps {
  placements: PlacementStore;
  /** home first */
  names: readonly string[];
  /** null: tenants share those of `names` */
  newDatabase: NewDatabase | null;
  /** `residency`: where the database is made, if it is not there yet */
  shard: (name: string, residency: Residency | null) => PlacingShard | null;
}

/** Chooses the database of a new tenant. */
function createChoice({ placements, names, shard, newDatabase }: PlacingDeps) {
  /** The shard with the fewest tenants, among those that would take one now. */
  const roomiest = async (): AsyncResult<PlacingShard> => {
    const counts = await placements.counts();
    if (!counts.ok) return counts;
    const count = (name: string): number => counts.value[name] ?? 0;
    for (const name of names.toSorted((a, b) => count(a) - count(b))) {
      const found = shard(name, null);
      const ready = await found?.readiness.check();
      if (found !== null && ready?.ok === true && ready.value.missingMigrations.length === 0)
        return ok(found);
    }
    return err({ reason: "unavailable", retryAfterMs: 1_000 });
  };

  return async ({ shard: wanted, residency = {} }: NewTenant): AsyncResult<PlacingShard> => {
    if (newDatabase !== null) {
      if (wanted !== undefined)
        return refused("shard", "Each tenant has a database of its own here: leave it out.");
      const name = newDatabase(residency);
      if (!name.ok) return name;
      const made = shard(name.value, residency);
      return made === null ? err({ reason: "unavailable", retryAfterMs: 1_000 }) : ok(made);
    }
    if (wanted === undefined) return roomiest();
    const found = shard(wanted, null);
    return found === null
      ? refused("shard", `There is none of that name. There are: ${names.join(", ")}.`)
      : ok(found);
  };
}

export function createPlacing(deps: PlacingDeps) {
  const { placements, names, shard, newDatabase } = deps;
  const choose = createChoice(deps);

  return async (actor: Actor, asked: NewTenant): AsyncResult<Tenant> => {
    const { slug, name, shard: wanted, residency } = asked;
    if (newDatabase === null && residency !== undefined)
      return refused(residency.region === undefined ? "jurisdiction" : "region", nowhereToPlace);
    // With one database for all, its unique index says whether the slug is taken.
    const isAlone = newDatabase === null && names.length === 1;
    const home = isAlone && (wanted ?? homeShard) === homeShard ? shard(homeShard, null) : null;
    if (home !== null) return home.tenants.create(actor, { slug, name });
    const chosen = await choose(asked);
    if (!chosen.ok) return chosen;
    const fresh = (): Placement => ({
      slug,
      tenantId: chosen.value.ids.next("tenant"),
      shard: chosen.value.name,
      residency: residency ?? null,
    });
    let claimed = await placements.claim(fresh());
    for (let left = tries; left > 0; left -= 1) {
      if (!claimed.ok) return claimed;
      const standing = claimed.value;
      if (standing === null) return taken(slug);
      const standingShard = shard(standing.shard, standing.residency);
      if (standingShard === null) return err(notConfigured(standing));
      if (fits(standing, asked)) {
        const created = await standingShard.tenants.create(actor, {
          slug,
          name,
          id: standing.tenantId,
          ...(standing.residency !== null && { residency: standing.residency }),
        });
        // Unless it is confirmed here, the tenant's database says within a minute that it is there.
        if (created.ok) await placements.confirm(standing, created.value);
        if (created.ok || created.error.reason !== "conflict") return created;
      }
      const there = await standingShard.tenants.exists(standing.tenantId);
      if (!there.ok) return there;
      if (there.value) return taken(slug);
      if (!fits(standing, asked)) return begunElsewhere(standing);
      // The tenant was deleted, and the deletion was cut off before it released the slug.
      claimed = await placements.replace(standing, fresh());
    }
    return err({ reason: "conflict", detail: `Others are creating a tenant "${slug}".` });
  };
}

export const notConfigured = ({ slug, shard }: Pick<Placement, "slug" | "shard">) =>
  ({
    reason: "conflict",
    detail: `The tenant "${slug}" is on shard "${shard}", which DATABASE_URLS does not name.`,
  }) as const;
