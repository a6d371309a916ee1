/**
 * Deletes a tenant that the directory names. The directory says first that a deletion began, and forgets the tenant
 * last, so that a deletion that was cut off is finished by asking again.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type {
  Placement,
  PlacementState,
  PlacementStore,
} from "../../../domain/ports/placements.ts";
import { ok } from "../../../domain/result.ts";
import type { TenantAdmin } from "./tenants.ts";

interface RemovalDeps {
  placements: PlacementStore;
  placement: Placement & { state: PlacementState };
  database: {
    admin: { tenants: Pick<TenantAdmin, "get" | "remove"> };
    deliver: () => AsyncResult<number>;
  };
}

/** Deliveries of one deletion, at most. Of what is left the scheduled job takes care. */
const mostDeliveries = 50;

async function deliverAll(deliver: () => AsyncResult<number>): Promise<void> {
  for (let count = 0; count < mostDeliveries; count += 1) {
    const delivered = await deliver();
    if (!delivered.ok || delivered.value === 0) return;
  }
}

export const createRemoval =
  ({ placements, placement, database }: RemovalDeps) =>
  async (actor: Actor, slug: string): AsyncResult<null> => {
    const { admin, deliver } = database;
    const there = await admin.tenants.get(actor, slug);
    // A tenant that is being created is not there either, and its creation needs the placement.
    if (!there.ok && placement.state !== "deleting") return there;
    if (there.ok) {
      if (actor.kind === "operator") {
        const begun = await placements.beginDeletion(placement);
        if (!begun.ok) return begun;
      }
      const removed = await admin.tenants.remove(actor, slug);
      if (!removed.ok) return removed;
    } else if (there.error.reason !== "not_found") return there;
    // What can't be delivered now, the scheduled job delivers, before a storage of the tenant's own goes.
    await deliverAll(deliver);
    // A slug that is left over stops nobody: its placement says that a deletion began.
    await placements.release(placement);
    return ok(null);
  };
