import type { FeedListener, RequestFeeds } from "../../../domain/ports/request-feed.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";

export const createFollowRequests =
  (deps: AdminDeps & { requestFeeds: RequestFeeds }) =>
  async (actor: Actor, slug: string, since: number | null): AsyncResult<FeedListener> => {
    const tenant = await tenantFor(deps, actor, slug);
    return tenant.ok ? deps.requestFeeds.listen(tenant.value.id, since) : tenant;
  };
