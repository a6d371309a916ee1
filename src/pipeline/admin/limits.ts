/** Every limit of a tenant, its ceiling, its keys and its servers, and what is left of each. */
import type { Limits } from "../../domain/choice/policy.ts";
import { holdsOf, type Hold, type LimitedScope } from "../../domain/limits/holds.ts";
import { isMoney, measureOf, type Measure } from "../../domain/limits/resources.ts";
import type { Room } from "../../domain/limits/room.ts";
import { standingOf, type Standing } from "../../domain/limits/standings.ts";
import type { LimitStore } from "../../domain/ports/ledger.ts";
import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { KeyStore, Page, PageRequest, Tenant } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { isExpired, type Actor } from "../../domain/tenancy/access.ts";
import { idPrefixes } from "../../domain/tenancy/ids.ts";
import { subjectOfTag } from "../scopes.ts";
import { calendarOf } from "../time-zones.ts";
import { tenantFor, type AdminDeps } from "./access.ts";

/** A limit as the API shows it: money in USD, everything else in whole numbers. */
export interface ShownLimit extends Standing {
  unit: Measure | "bytes";
}

const microUsd = 1_000_000;

function shown({ resource }: Hold, standing: Standing): ShownLimit {
  const { name, subject, limit, used, reserved, left, freesAt } = standing;
  const inUnit = (amount: number): number => (isMoney(resource) ? amount / microUsd : amount);
  return {
    name,
    subject,
    unit: measureOf(resource),
    limit: inUnit(limit),
    used: inUnit(used),
    reserved: inUnit(reserved),
    left: inUnit(left),
    freesAt,
  };
}

/** The room of the tenant's own database is one more limit, which deletions and retention free. */
const shownRoom = (subject: string, { usedBytes, limitBytes }: Room): ShownLimit => ({
  name: "tenant.storageBytes",
  subject,
  unit: "bytes",
  limit: limitBytes,
  used: usedBytes,
  reserved: 0,
  left: Math.max(0, limitBytes - usedBytes),
  freesAt: null,
});

const hasLimits = (limits: Limits | undefined): boolean => Object.keys(limits ?? {}).length > 0;

/** The tenant's own limits and the operator's are counted alike, and both are shown. */
const scopesOf = ({ id, policy, ceiling }: Tenant): LimitedScope[] => {
  const ceilingLimits = ceiling?.limits ?? {};
  return [
    { scope: "tenant", subject: id, limits: policy.limits ?? {} },
    {
      scope: "tenant",
      subject: id,
      limits: ceilingLimits,
      fromCeiling: new Set(Object.keys(ceilingLimits) as (keyof Limits)[]),
    },
    ...Object.entries(policy.tags?.limits ?? {}).map(([tag, limits]): LimitedScope => ({
      scope: "tag",
      subject: subjectOfTag(tag),
      limits,
    })),
  ];
};

type LimitDeps = AdminDeps & {
  keys: Pick<KeyStore, "list">;
  servers: Pick<ServerStore, "list">;
  limits: LimitStore;
  /** null: this database's size is not bounded */
  roomNow: (() => AsyncResult<Room>) | null;
};

/**
 * Servers, then keys, newest first. Those without limits count for the page's size, and are not shown. A cursor
 * of a server goes on with servers.
 */
async function pageOfScopes(
  { keys, servers, now }: LimitDeps,
  tenantId: string,
  { cursor, limit }: PageRequest,
): AsyncResult<Page<LimitedScope>> {
  const scopes: LimitedScope[] = [];
  const isAmongKeys = cursor?.startsWith(`${idPrefixes.key}_`) === true;
  if (!isAmongKeys) {
    const found = await servers.list(tenantId, { cursor, limit });
    if (!found.ok) return found;
    for (const { id, policy } of found.value.data)
      if (hasLimits(policy.limits))
        scopes.push({ scope: "server", subject: id, limits: policy.limits ?? {} });
    if (found.value.nextCursor !== null)
      return ok({ data: scopes, nextCursor: found.value.nextCursor });
  }
  const found = await keys.list(tenantId, { cursor: isAmongKeys ? cursor : null, limit });
  if (!found.ok) return found;
  const at = now();
  for (const key of found.value.data)
    if (key.revokedAt === null && !isExpired(key, at) && hasLimits(key.limits))
      scopes.push({ scope: "key", subject: key.id, limits: key.limits });
  return ok({ data: scopes, nextCursor: found.value.nextCursor });
}

/** On the first page alone, after the tenant's own limits. */
async function roomShown(
  { roomNow }: LimitDeps,
  subject: string,
  { cursor }: PageRequest,
): AsyncResult<ShownLimit[]> {
  if (roomNow === null || cursor !== null) return ok([]);
  const room = await roomNow();
  return room.ok ? ok([shownRoom(subject, room.value)]) : room;
}

export const createLimitAdmin =
  (deps: LimitDeps) =>
  async (actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<ShownLimit>> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const others = await pageOfScopes(deps, id, page);
    if (!others.ok) return others;
    const scopes = [...(page.cursor === null ? scopesOf(tenant.value) : []), ...others.value.data];
    const now = deps.now();
    const holds = holdsOf({
      now,
      scopes,
      tokens: 0,
      microUsd: 0,
      calendar: calendarOf(tenant.value.policy.timeZone, now),
    });
    const sums = await deps.limits.sum(id, holds, now);
    if (!sums.ok) return sums;
    const room = await roomShown(deps, id, page);
    if (!room.ok) return room;
    const data = holds.flatMap((hold, at): ShownLimit[] => {
      const summed = sums.value[at];
      return summed === undefined ? [] : [shown(hold, standingOf(hold, summed))];
    });
    const ofTenant = holds.filter(({ scope }) => scope === "tenant").length;
    data.splice(ofTenant, 0, ...room.value);
    return ok({ data, nextCursor: others.value.nextCursor });
  };
