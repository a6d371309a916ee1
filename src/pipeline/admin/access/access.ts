/** A tenant that the actor may not see is reported as missing. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { actorName, type Actor } from "../../../domain/tenancy/access.ts";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import type { Ids } from "../../../domain/tenancy/ids.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { Tenant, TenantStore } from "../../../domain/ports/stores.ts";
import { err, ok } from "../../../domain/result.ts";

export interface AdminDeps {
  tenants: TenantStore;
  ids: Ids;
  now: () => number;
}

export async function tenantFor(deps: AdminDeps, actor: Actor, slug: string): AsyncResult<Tenant> {
  const found = await deps.tenants.bySlug(slug);
  if (!found.ok) return found;
  const tenant = found.value;
  const visible = tenant !== null && (actor.kind === "operator" || actor.tenantId === tenant.id);
  return visible ? ok(tenant) : err({ reason: "not_found", what: `tenant ${slug}` });
}

export const eventOf = (
  deps: AdminDeps,
  actor: Actor,
  what: { action: string; tenantId: string | null; target: string; detail?: JsonObject },
): AdminEvent => ({
  id: deps.ids.next("event"),
  at: deps.now(),
  actor: actorName(actor),
  action: what.action,
  tenantId: what.tenantId,
  target: what.target,
  detail: what.detail ?? {},
});

export async function present<T>(answer: AsyncResult<T | null>, what: string): AsyncResult<T> {
  const found = await answer;
  if (!found.ok) return found;
  return found.value === null ? err({ reason: "not_found", what }) : ok(found.value);
}
