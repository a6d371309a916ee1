/**
 * The catalogue that all tenants share: the version at hand, and a sync on demand. Only the operator may use
 * it.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { CatalogueStore } from "../../../domain/ports/catalogues.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { err, ok } from "../../../domain/result.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { syncNow, type CatalogueSyncDeps, type SyncOutcome } from "../../scheduled/catalogue.ts";
import { eventOf, type AdminDeps } from "../access/access.ts";

/** Times are ms since the epoch. */
export interface CatalogueShown {
  version: string;
  models: number;
  /** null: no sync has happened yet, so the catalogue is the seed */
  syncedAt: number | null;
  /** null: unknown yet */
  dueAt: number | null;
  /** why the last file was refused; null: the last file was taken */
  fault: string | null;
}

const refused = err({ reason: "forbidden", action: "the catalogue is the operator's" } as const);

/** What the log of events says of a sync: how many models changed, and not which. */
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
    /** null: this deployment syncs no catalogue */
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

    /** Syncs now, due or not. A refused file is an outcome, and no refusal of the request. */
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
      // This isolate has the new catalogue at once. Other isolates look for it within minutes.
      if (outcome.ok) await catalogue();
      return outcome;
    },
  };
}
