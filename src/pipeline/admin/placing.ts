/**
 * Creates tenants where there are several shards. The slug is claimed in the home shard, for one tenant id on
 * one shard, and then that tenant is created there. A claim without its tenant is completed by the next caller,
 * under the same id, which a shard takes once. So of any number at once one succeeds, and a creation that was
 * cut off is finished by asking again. No clock decides anything.
 */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Placement, PlacementStore } from "../../domain/ports/placements.ts";
import type { Tenant } from "../../domain/ports/stores.ts";
import type { Readiness } from "../../domain/ports/readiness.ts";
import { err, ok } from "../../domain/result.ts";
import { homeShard } from "../../domain/tenancy/shards.ts";
import type { TenantAdmin } from "./tenants.ts";

export interface PlacingShard {
  name: string;
  tenants: Pick<TenantAdmin, "create" | "exists">;
  readiness: Readiness;
  ids: Ids;
}

/** A slug whose tenant was deleted is claimed anew, and another caller may do the same at once. */
const tries = 3;

const taken = (slug: string) =>
  err({ reason: "conflict", detail: `A tenant "${slug}" exists already.` } as const);

export function createPlacing(deps: {
  placements: PlacementStore;
  /** home first */
  names: readonly string[];
  /** names a database for one more tenant; null: tenants share those of `names` */
  newDatabase: (() => string) | null;
  shard: (name: string) => PlacingShard | null;
}) {
  const { placements, names, newDatabase, shard } = deps;

  /** The shard with the fewest tenants, among those that would take one now. */
  const roomiest = async (): AsyncResult<PlacingShard> => {
    const counts = await placements.counts();
    if (!counts.ok) return counts;
    const count = (name: string): number => counts.value[name] ?? 0;
    for (const name of names.toSorted((a, b) => count(a) - count(b))) {
      const found = shard(name);
      const ready = await found?.readiness.check();
      if (found !== null && ready?.ok === true && ready.value.missingMigrations.length === 0)
        return ok(found);
    }
    return err({ reason: "unavailable", retryAfterMs: 1_000 });
  };

  const choose = async (wanted: string | undefined): AsyncResult<PlacingShard> => {
    if (wanted === undefined && newDatabase === null) return roomiest();
    if (wanted === homeShard && newDatabase !== null)
      return err({
        reason: "invalid_params",
        path: "shard",
        detail: "Here each tenant gets a database of its own: leave `shard` out.",
      });
    const found = shard(wanted ?? newDatabase?.() ?? homeShard);
    return found === null
      ? err({
          reason: "invalid_params",
          path: "shard",
          detail: `There is none of that name. There are: ${names.join(", ")}.`,
        })
      : ok(found);
  };

  return async (
    actor: Actor,
    input: { slug: string; name: string; shard?: string },
  ): AsyncResult<Tenant> => {
    const { slug, name, shard: wanted } = input;
    // With one shard, its unique index says whether the slug is taken.
    const alone =
      newDatabase === null && names.length === 1 && (wanted === undefined || wanted === homeShard);
    const home = alone ? shard(homeShard) : null;
    if (home !== null) return home.tenants.create(actor, { slug, name });
    const chosen = await choose(wanted);
    if (!chosen.ok) return chosen;
    const fresh = (): Placement => ({
      slug,
      tenantId: chosen.value.ids.next("tenant"),
      shard: chosen.value.name,
    });
    let claimed = await placements.claim(fresh());
    for (let left = tries; left > 0; left -= 1) {
      if (!claimed.ok) return claimed;
      const standing = claimed.value;
      if (standing === null) return taken(slug);
      const standingShard = shard(standing.shard);
      if (standingShard === null) return err(notConfigured(standing));
      if (wanted === undefined || wanted === standing.shard) {
        const created = await standingShard.tenants.create(actor, {
          slug,
          name,
          id: standing.tenantId,
        });
        if (created.ok || created.error.reason !== "conflict") return created;
      }
      const there = await standingShard.tenants.exists(standing.tenantId);
      if (!there.ok) return there;
      if (there.value) return taken(slug);
      if (wanted !== undefined && wanted !== standing.shard)
        return err({
          reason: "conflict",
          detail: `On shard "${standing.shard}" a tenant "${slug}" was begun to be created or deleted, and not finished. Create it there to finish that.`,
        });
      // The tenant was deleted, and the deletion was cut off before it released the slug.
      claimed = await placements.replace(standing, fresh());
    }
    return err({ reason: "conflict", detail: `Others are creating a tenant "${slug}".` });
  };
}

export const notConfigured = ({ slug, shard }: Placement) =>
  ({
    reason: "conflict",
    detail: `The tenant "${slug}" is on shard "${shard}", which DATABASE_URLS does not name.`,
  }) as const;
