/** Follows a tenant's records as they begin and end. */
import type { FeedListener, RequestFeeds } from "../../../domain/ports/request-feed.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";

/** Listens to the records of the tenant of that name, if the actor may see the tenant. */
export const createFollowRequests =
  (deps: AdminDeps & { requestFeeds: RequestFeeds }) =>
  async (actor: Actor, slug: string, since: number | null): AsyncResult<FeedListener> => {
    const tenant = await tenantFor(deps, actor, slug);
    return tenant.ok ? deps.requestFeeds.listen(tenant.value.id, since) : tenant;
  };
