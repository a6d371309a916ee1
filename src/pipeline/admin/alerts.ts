/** What a tenant's people were told of. */
import type { Alert } from "../../domain/alerts.ts";
import type { AlertStore } from "../../domain/ports/alerts.ts";
import type { Page, PageRequest } from "../../domain/ports/pages.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import { tenantFor, type AdminDeps } from "./access.ts";

export const createAlertAdmin = (deps: AdminDeps & { alerts: Pick<AlertStore, "list"> }) => ({
  async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<Alert>> {
    const tenant = await tenantFor(deps, actor, slug);
    return tenant.ok ? deps.alerts.list(tenant.value.id, page) : tenant;
  },
});
