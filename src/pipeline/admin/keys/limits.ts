import type { Limits, Policy } from "../../../domain/choice/policy.ts";
import {
  limitChecksOf,
  limitScopes,
  type LimitCheck,
  type LimitedScope,
  type LimitScope,
} from "../../../domain/limits/limit-checks.ts";
import { raisedLimits, raisedUntil } from "../../../domain/limits/raises.ts";
import type { NodeLimits } from "../../../domain/limits/resources.ts";
import type { Room } from "../../../domain/limits/room.ts";
import { currentUsageOf, type SummedLimit } from "../../../domain/limits/current-usage.ts";
import type { LimitStore } from "../../../domain/ports/ledger.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { ServerStore } from "../../../domain/ports/server-stores.ts";
import type { KeyStore, Page, PageRequest, Tenant } from "../../../domain/ports/stores.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import { ok } from "../../../domain/result.ts";
import { isExpired, type Actor } from "../../../domain/tenancy/access.ts";
import { idPrefixes } from "../../../domain/tenancy/ids.ts";
import type { KeyCodes } from "../../callers/key-codes.ts";
import { limitsOfNode, subjectOfGroup, subjectOfTag } from "../../callers/scopes.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";
import { genuineKeys } from "./keys.ts";
import { raisedScope, shownLimit, tenantScopes, type ShownLimit } from "../access/shown-limits.ts";
import { namesOfSubjects } from "../../callers/subject-names.ts";

/** The size of the tenant's own database, shown as a limit that deletions free. */
const shownRoom = (subject: string, { usedBytes, limitBytes }: Room): ShownLimit => ({
  name: "tenant.storageBytes",
  subject,
  unit: "bytes",
  limit: limitBytes,
  used: usedBytes,
  reserved: 0,
  left: Math.max(0, limitBytes - usedBytes),
  resetsAt: null,
});

const limitNamesOf = (limits: Limits): (keyof Limits)[] => Object.keys(limits) as (keyof Limits)[];
const hasLimits = (limits: Limits | undefined): boolean => Object.keys(limits ?? {}).length > 0;

const ownScopes = (tenant: Tenant): LimitedScope[] => {
  const { policy } = tenant;
  return [
    ...tenantScopes(tenant),
    ...Object.entries(policy.tags?.limits ?? {}).map(([tag, limits]): LimitedScope => ({
      scope: "tag",
      subject: subjectOfTag(tag),
      limits,
    })),
    ...Object.entries(policy.groups?.limits ?? {}).map(([group, limits]): LimitedScope => ({
      scope: "group",
      subject: subjectOfGroup(group),
      limits,
    })),
  ];
};

type LimitDeps = AdminDeps & {
  keys: Pick<KeyStore, "list">;
  keyCodes: Pick<KeyCodes, "isKnown">;
  servers: Pick<ServerStore, "list">;
  limits: LimitStore;
  names: NameStore;
  roomNow: (() => AsyncResult<Room>) | null;
};

type Listed = AsyncResult<Page<LimitedScope>>;

async function serversOf({ servers }: LimitDeps, tenantId: string, page: PageRequest): Listed {
  const found = await servers.list(tenantId, page);
  if (!found.ok) return found;
  const data = found.value.data
    .filter(({ policy }) => hasLimits(policy.limits))
    .map(({ id, policy }): LimitedScope => ({
      scope: "server",
      subject: id,
      limits: policy.limits ?? {},
    }));
  return ok({ data, nextCursor: found.value.nextCursor });
}

async function keysOf(deps: LimitDeps, tenant: Tenant, page: PageRequest): Listed {
  const found = await genuineKeys(deps, tenant.id, page);
  if (!found.ok) return found;
  const at = deps.now();
  const { newRunsPerDay } = tenant.policy.runs ?? {};
  const ofAll = newRunsPerDay === undefined ? {} : { newRunsPerDay };
  const data = found.value.data
    .filter((key) => key.revokedAt === null && !isExpired(key, at))
    .map(({ id, limits }): LimitedScope => ({
      scope: "key",
      subject: id,
      limits: { ...limits, ...ofAll },
    }))
    .filter(({ limits }) => hasLimits(limits));
  return ok({ data, nextCursor: found.value.nextCursor });
}

const scopeOfNode = (subject: string): LimitScope | null =>
  limitScopes.find((scope) => subject.startsWith(`${scope}:`)) ?? null;

async function nodesOf(
  { limits }: Pick<LimitDeps, "limits">,
  tenant: Tenant,
  page: PageRequest,
): Listed {
  const after = page.cursor === null ? {} : { after: page.cursor };
  const found = await limits.nodes(tenant.id, { ...after, limit: page.limit + 1 });
  if (!found.ok) return found;
  const subjects = found.value.slice(0, page.limit);
  const shownBefore = new Set(ownScopes(tenant).map(({ subject }) => subject));
  const data = subjects.flatMap((subject): LimitedScope[] => {
    const scope = scopeOfNode(subject);
    if (scope === null || shownBefore.has(subject)) return [];
    return [{ scope, subject, limits: limitsOfNode(tenant.policy, { scope, subject }) }];
  });
  const hasMore = found.value.length > page.limit;
  return ok({ data, nextCursor: hasMore ? (subjects.at(-1) ?? null) : null });
}

/**
 * Servers, keys, then other nodes, newest first. Nodes without limits count toward the page size. The cursor
 * names the list.
 */
async function pageOfScopes(deps: LimitDeps, tenant: Tenant, page: PageRequest): Listed {
  const { cursor, limit } = page;
  const isNode = cursor !== null && scopeOfNode(cursor) !== null;
  const isKey = cursor?.startsWith(`${idPrefixes.key}_`) === true;
  const first = { cursor: null, limit };
  const steps = [
    () => serversOf(deps, tenant.id, page),
    () => keysOf(deps, tenant, isKey ? page : first),
    () => nodesOf(deps, tenant, isNode ? page : first),
  ];
  const data: LimitedScope[] = [];
  for (const step of steps.slice(isNode ? 2 : isKey ? 1 : 0)) {
    const found = await step();
    if (!found.ok) return found;
    data.push(...found.value.data);
    if (found.value.nextCursor !== null) return ok({ data, nextCursor: found.value.nextCursor });
  }
  return ok({ data, nextCursor: null });
}

async function roomShown(
  { roomNow }: LimitDeps,
  subject: string,
  { cursor }: PageRequest,
): AsyncResult<ShownLimit[]> {
  if (roomNow === null || cursor !== null) return ok([]);
  const room = await roomNow();
  return room.ok ? ok([shownRoom(subject, room.value)]) : room;
}

function endsOfRaises(
  scopes: readonly LimitedScope[],
  { raises }: Policy,
  now: number,
): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { scope, subject, limits, fromCeiling } of scopes)
    for (const name of fromCeiling === undefined ? limitNamesOf(limits) : []) {
      const end = raisedUntil(limits, name, { subject, raises, now });
      if (end !== null) ends.set(`${scope}.${name} ${subject}`, end);
    }
  return ends;
}

/** Counters of a finished run remain for a while. */
const isForgotten = ({ scope }: LimitCheck, { counted }: SummedLimit): boolean =>
  scope === "run" && counted === 0;

type SumDeps = Pick<LimitDeps, "limits" | "now">;

/** Limits with their current usage. */
async function limitsOf(
  deps: SumDeps,
  { id, policy }: Tenant,
  listed: readonly LimitedScope[],
): AsyncResult<ShownLimit[]> {
  const now = deps.now();
  const ends = endsOfRaises(listed, policy, now);
  const scopes = listed.map((scope) => raisedScope(scope, policy, now));
  const calendar = calendarOf(policy.timeZone, now);
  const limitChecks = limitChecksOf({ now, scopes, tokens: 0, microUsd: 0, calendar });
  const sums = await deps.limits.sum(id, limitChecks, now);
  if (!sums.ok) return sums;
  const shown = limitChecks.flatMap((check, at): ShownLimit[] => {
    const summed = sums.value[at];
    if (summed === undefined || isForgotten(check, summed)) return [];
    const limit = shownLimit(check, currentUsageOf(check, summed));
    const end = ends.get(`${limit.name} ${limit.subject}`);
    return [end === undefined ? limit : { ...limit, raisedUntil: end }];
  });
  return ok(shown);
}

export const createLimitAdmin =
  (deps: LimitDeps) =>
  async (
    actor: Actor,
    slug: string,
    page: PageRequest,
  ): AsyncResult<Page<ShownLimit> & { names: Record<string, string> }> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const others = await pageOfScopes(deps, tenant.value, page);
    if (!others.ok) return others;
    const own = page.cursor === null ? ownScopes(tenant.value) : [];
    const listed = await limitsOf(deps, tenant.value, [...own, ...others.value.data]);
    if (!listed.ok) return listed;
    const room = await roomShown(deps, id, page);
    if (!room.ok) return room;
    const data = listed.value;
    const ofTenant = data.filter(({ subject }) => subject === id).length;
    data.splice(ofTenant, 0, ...room.value);
    const subjects = data.map(({ subject }) => subject);
    const names = await namesOfSubjects(deps.names, id, subjects);
    if (!names.ok) return names;
    return ok({ data, nextCursor: others.value.nextCursor, names: names.value });
  };

const maxNodesTried = 1_000;

/** Changed limits of the tenant, people, groups, tags and runs that leave nothing under another policy. */
export async function usedUpUnder(
  policy: Policy,
  tenant: Tenant,
  deps: SumDeps & Pick<LimitDeps, "names">,
): AsyncResult<{ usedUp: ShownLimit[]; names: Record<string, string> }> {
  const changed = { ...tenant, policy };
  const nodes = await nodesOf(deps, changed, { cursor: null, limit: maxNodesTried });
  if (!nodes.ok) return nodes;
  const scopes = [...ownScopes(changed), ...nodes.value.data].filter(
    ({ fromCeiling }) => fromCeiling === undefined,
  );
  const limits = await limitsOf(deps, changed, scopes);
  if (!limits.ok) return limits;
  const { raises } = tenant.policy;
  const limitBefore = ({ name, subject }: ShownLimit): number | undefined => {
    const [scope, limit] = name.split(".") as [LimitScope, keyof NodeLimits];
    const ofTenant = tenant.policy.limits ?? {};
    const own = scope === "tenant" ? ofTenant : limitsOfNode(tenant.policy, { scope, subject });
    return raisedLimits<NodeLimits>(own, { subject, raises, now: deps.now() })[limit];
  };
  const usedUp = limits.value.filter((each) => each.left === 0 && each.limit !== limitBefore(each));
  const subjects = usedUp.map(({ subject }) => subject);
  const names = await namesOfSubjects(deps.names, tenant.id, subjects);
  return names.ok ? ok({ usedUp, names: names.value }) : names;
}
