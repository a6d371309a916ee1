import type { AuthorizationServer, Grant } from "../../../domain/ports/authorization-server.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { EventStore } from "../../../domain/ports/stores.ts";
import type { Page, PageRequest } from "../../../domain/ports/pages.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";

export type Grants = Pick<AuthorizationServer, "grantsOf" | "revoke">;

const placeOf = ({ createdAt, id }: Pick<Grant, "createdAt" | "id">): string =>
  `${String(createdAt).padStart(16, "0")}_${id}`;

function pageAfter(grants: readonly Grant[], { cursor, limit }: PageRequest): Page<Grant> {
  const rest = grants
    .map((grant) => ({ grant, place: placeOf(grant) }))
    .toSorted((a, b) => (a.place < b.place ? 1 : -1))
    .filter(({ place }) => cursor === null || place < cursor);
  const shown = rest.slice(0, limit);
  return {
    data: shown.map(({ grant }) => grant),
    nextCursor: rest.length > limit ? (shown.at(-1)?.place ?? null) : null,
  };
}

export const createGrantAdmin = (
  deps: AdminDeps & {
    events: Pick<EventStore, "append">;
    grants: () => Grants | null;
    names: NameStore;
  },
) => ({
  /** With the names of the keys that the programs act as. */
  async list(
    actor: Actor,
    slug: string,
    page: PageRequest,
  ): AsyncResult<Page<Grant> & { names: Record<string, string> }> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const found = await (deps.grants()?.grantsOf(tenant.value.id) ?? ok([]));
    if (!found.ok) return found;
    const shown = pageAfter(found.value, page);
    const ids = shown.data.map(({ keyId }) => keyId);
    const names = await deps.names.of(tenant.value.id, ids);
    return names.ok ? ok({ ...shown, names: names.value }) : names;
  },

  async revoke(actor: Actor, slug: string, id: string): AsyncResult<null> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const tenantId = tenant.value.id;
    const grants = deps.grants();
    const found = await (grants?.grantsOf(tenantId) ?? ok([]));
    if (!found.ok) return found;
    const grant = found.value.find((each) => each.id === id);
    if (grants === null || grant === undefined)
      return err({ reason: "not_found", what: `grant ${id}` });
    // Logged before the grant ends: a superfluous event is better than a missing one.
    const { clientId, keyId } = grant;
    const noted = await deps.events.append(
      eventOf(deps, actor, {
        action: "grant.revoke",
        tenantId,
        target: id,
        detail: { clientId, keyId },
      }),
    );
    if (!noted.ok) return noted;
    const revoked = await grants.revoke(tenantId, id);
    return revoked.ok ? ok(null) : revoked;
  },
});
