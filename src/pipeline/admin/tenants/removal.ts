/** Marks the deletion first and removes the placement last, so that an interrupted deletion can be repeated. */
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

const maxDeliveries = 50;

async function deliverAll(deliver: () => AsyncResult<number>): Promise<void> {
  for (let count = 0; count < maxDeliveries; count += 1) {
    const delivered = await deliver();
    if (!delivered.ok || delivered.value === 0) return;
  }
}

export const createRemoval =
  ({ placements, placement, database }: RemovalDeps) =>
  async (actor: Actor, slug: string): AsyncResult<null> => {
    const { admin, deliver } = database;
    const there = await admin.tenants.get(actor, slug);
    // A tenant under creation still needs its placement.
    if (!there.ok && placement.state !== "deleting") return there;
    if (there.ok) {
      if (actor.kind === "operator") {
        const begun = await placements.beginDeletion(placement);
        if (!begun.ok) return begun;
      }
      const removed = await admin.tenants.remove(actor, slug);
      if (!removed.ok) return removed;
    } else if (there.error.reason !== "not_found") return there;
    // The scheduled job delivers the rest before the storage is deleted.
    await deliverAll(deliver);
    // A leftover slug is harmless: its placement is marked as deleting.
    await placements.release(placement);
    return ok(null);
  };
