import type { Alert } from "../../../domain/alerts.ts";
import type { AlertStore } from "../../../domain/ports/alerts.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { Page, PageRequest } from "../../../domain/ports/pages.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { namesOfSubjects } from "../access/subject-names.ts";

export const createAlertAdmin = (
  deps: AdminDeps & { alerts: Pick<AlertStore, "list">; names: NameStore },
) => ({
  async list(
    actor: Actor,
    slug: string,
    page: PageRequest,
  ): AsyncResult<Page<Alert> & { names: Record<string, string> }> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const listed = await deps.alerts.list(id, page);
    if (!listed.ok) return listed;
    const subjects = listed.value.data.map(({ subject }) => subject);
    const names = await namesOfSubjects(deps.names, id, subjects);
    return names.ok ? ok({ ...listed.value, names: names.value }) : names;
  },
});
