import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { withheldBy } from "../../../domain/limits/ceilings.ts";
import { poolFrom } from "../../../domain/choice/model-pool.ts";
import { canonicalOf } from "../../../domain/models/canonical-name.ts";
import type { Measured } from "../../../domain/choice/health.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { nameOf, type Model, type ModelChange } from "../../../domain/models/model.ts";
import { modelsOf } from "../../../domain/models/tenant-models.ts";
import type {
  CredentialStore,
  HealthStore,
  Page,
  PageRequest,
} from "../../../domain/ports/stores.ts";
import type { OverrideStore } from "../../../domain/ports/overrides.ts";
import { takesPrefill } from "../../../domain/wires/rules.ts";
import { sourcesFrom, type Sources } from "../../../domain/models/provenance.ts";
import { err, ok } from "../../../domain/result.ts";
import type { CatalogueReader } from "../../sampling/choice/catalogue.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";
import { mayDescribe } from "./ceilings.ts";

export interface TenantModel extends Omit<Model, "synced" | "estimated" | "unverified"> {
  canonicalName: string | null;
  prefill: boolean;
  sources: Sources;
  /** active credential, allowed, and no open circuit */
  available: boolean;
  measured: Measured | null;
}

/** Models and the version of the catalogue that their figures are from. */
type ModelPage = Page<TenantModel> & { catalogueVersion: string };

const everyCredential: PageRequest = { cursor: null, limit: 1_000 };

export function createModelAdmin(
  deps: AdminDeps & {
    overrides: OverrideStore;
    credentials: CredentialStore;
    health: HealthStore;
    catalogue: CatalogueReader;
  },
) {
  const { overrides, credentials, health, catalogue } = deps;
  return {
    async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<ModelPage> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id, policy, ceiling } = tenant.value;
      const withheldProviders = withheldBy(ceiling);
      const [known, changes, held, seen] = await Promise.all([
        catalogue(),
        overrides.list(id),
        credentials.list(id, everyCredential),
        health.list(id),
      ]);
      if (!known.ok) return known;
      if (!changes.ok) return changes;
      if (!held.ok) return held;
      if (!seen.ok) return seen;
      const after = page.cursor;
      const merged = [known.value, held.value.data, changes.value] as const;
      const sourcesOf = sourcesFrom(...merged);
      const pool = poolFrom({
        models: modelsOf(...merged),
        credentials: held.value.data,
        catalogueVersion: known.value.version,
        policy: { ...policy, ...(withheldProviders !== undefined && { withheldProviders }) },
        health: seen.value,
        now: deps.now(),
      });
      const ranked = new Map(pool.ranked.map((entry) => [entry.model, entry]));
      const rest = pool.models
        .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .filter((model) => after === null || nameOf(model) > after);
      const data = rest.slice(0, page.limit).map((model) => {
        const { synced: _, unverified: __, estimated: ___, ...shown } = model;
        return {
          ...shown,
          canonicalName: canonicalOf(model),
          prefill: takesPrefill(model),
          sources: sourcesOf(model),
          available: ranked.get(model)?.exclusion === null,
          measured: ranked.get(model)?.measured ?? null,
        };
      });
      const last = data.at(-1);
      return ok({
        data,
        nextCursor: rest.length > data.length && last !== undefined ? nameOf(last) : null,
        catalogueVersion: known.value.version,
      });
    },

    async put(
      actor: Actor,
      slug: string,
      model: { provider: string; id: string; change: ModelChange },
    ): AsyncResult<null> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const described = mayDescribe(actor, model.provider);
      if (!described.ok) return described;
      const { id } = tenant.value;
      return overrides.put(
        id,
        model,
        deps.now(),
        eventOf(deps, actor, {
          action: "model.put",
          tenantId: id,
          target: nameOf(model),
          detail: model.change as unknown as JsonObject,
        }),
      );
    },

    async remove(actor: Actor, slug: string, provider: string, model: string): AsyncResult<null> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const described = mayDescribe(actor, provider);
      if (!described.ok) return described;
      const tenantId = tenant.value.id;
      const known = await overrides.list(tenantId);
      if (!known.ok) return known;
      const target = nameOf({ provider, id: model });
      if (!known.value.some((override) => nameOf(override) === target))
        return err({ reason: "not_found", what: `override of ${target}` });
      return overrides.remove(
        tenantId,
        provider,
        model,
        eventOf(deps, actor, { action: "model.delete", tenantId, target }),
      );
    },
  };
}
