import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { CatalogueStore } from "../../../domain/ports/catalogues.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { err, ok } from "../../../domain/result.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { syncNow, type CatalogueSyncDeps, type SyncOutcome } from "../../scheduled/catalogue.ts";
import { eventOf, type AdminDeps } from "../access/access.ts";

export interface CatalogueShown {
  version: string;
  models: number;
  syncedAt: number | null;
  dueAt: number | null;
  fault: string | null;
}

const refused = err({
  reason: "forbidden",
  action: "only the operator can read and sync the catalogue",
} as const);

const detailOf = (outcome: SyncOutcome): JsonObject =>
  outcome.state === "synced"
    ? {
        state: outcome.state,
        version: outcome.version,
        added: outcome.changes.added.length,
        retired: outcome.changes.retired.length,
        repriced: outcome.changes.repriced.length,
      }
    : { ...outcome };

export function createCatalogueAdmin(
  deps: AdminDeps & {
    catalogues: CatalogueStore;
    catalogue: CatalogueReader;
    catalogueSync: CatalogueSyncDeps | null;
  },
) {
  const { catalogues, catalogue, catalogueSync } = deps;
  return {
    async show(actor: Actor): AsyncResult<CatalogueShown> {
      if (actor.kind !== "operator") return refused;
      const [known, state] = await Promise.all([catalogue(), catalogues.state()]);
      if (!known.ok) return known;
      if (!state.ok) return state;
      const { version, models } = known.value;
      const { syncedAt = null, dueAt = null, fault = null } = state.value ?? {};
      return ok({ version, models: models.length, syncedAt, dueAt, fault });
    },

    /** Regardless of the schedule. A rejected file is an outcome, not a refusal. */
    async sync(actor: Actor): AsyncResult<SyncOutcome> {
      if (actor.kind !== "operator") return refused;
      if (catalogueSync === null)
        return err({ reason: "conflict", detail: "CATALOGUE_URL is off: nothing to sync with." });
      const outcome = await syncNow(catalogueSync, (done) =>
        eventOf(deps, actor, {
          action: "catalogue.sync",
          tenantId: null,
          target: "catalogue",
          detail: detailOf(done),
        }),
      );
      // Other isolates notice the new catalogue within minutes.
      if (outcome.ok) await catalogue();
      return outcome;
    },
  };
}
