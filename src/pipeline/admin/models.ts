import type { Actor } from "../../domain/access.ts";
import type { JsonObject } from "../../domain/json.ts";
import {
  credentialsFor,
  isAllowed,
  modelsOf,
  nameOf,
  type Catalogue,
  type Model,
  type ModelChange,
} from "../../domain/models.ts";
import type {
  Answer,
  CredentialStore,
  OverrideStore,
  Page,
  PageRequest,
} from "../../domain/ports.ts";
import { err, ok } from "../../domain/result.ts";
import { eventOf, tenantFor, type AdminDeps } from "./access.ts";

/** A model as one tenant sees it. */
export interface TenantModel extends Model {
  /** has a credential and the policy allows it */
  available: boolean;
}

/** More credentials than any tenant has. */
const everyCredential: PageRequest = { cursor: null, limit: 1_000 };

export function createModelAdmin(
  deps: AdminDeps & {
    overrides: OverrideStore;
    credentials: CredentialStore;
    catalogue: Catalogue;
  },
) {
  const { overrides, credentials, catalogue } = deps;
  return {
    /** Sorted by name; the cursor is the last name. */
    async list(actor: Actor, slug: string, page: PageRequest): Answer<Page<TenantModel>> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { id, policy } = tenant.value;
      const [changes, held] = await Promise.all([
        overrides.list(id),
        credentials.list(id, everyCredential),
      ]);
      if (!changes.ok) return changes;
      if (!held.ok) return held;
      const after = page.cursor;
      const rest = modelsOf(catalogue, held.value.data, changes.value)
        .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .filter((model) => after === null || nameOf(model) > after);
      const data = rest.slice(0, page.limit).map((model) => ({
        ...model,
        available:
          model.status !== "retired" &&
          isAllowed(model, policy) &&
          credentialsFor(model, held.value.data).some(({ status }) => status === "active"),
      }));
      const last = data.at(-1);
      return ok({
        data,
        nextCursor: rest.length > data.length && last !== undefined ? nameOf(last) : null,
      });
    },

    async put(
      actor: Actor,
      slug: string,
      model: { provider: string; id: string; change: ModelChange },
    ): Answer<null> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
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

    async remove(actor: Actor, slug: string, provider: string, model: string): Answer<null> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
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
