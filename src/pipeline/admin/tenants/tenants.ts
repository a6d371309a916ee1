import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { actorName, type Actor } from "../../../domain/tenancy/access.ts";
import { beyondCeiling, firstCeiling } from "../../../domain/limits/ceilings.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { mergePatch } from "../../../domain/merge-patch.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import type { Attention } from "../../../domain/alerts.ts";
import type { AlertStore } from "../../../domain/ports/alerts.ts";
import type { ApprovalStore } from "../../../domain/ports/approvals.ts";
import type { Listed, PlacementStore } from "../../../domain/ports/placements.ts";
import type { Page, PageRequest, Tenant } from "../../../domain/ports/stores.ts";
import type { Residency } from "../../../domain/tenancy/residency.ts";
import { databaseOf } from "../../../domain/tenancy/database-names.ts";
import { err, mapped, ok, type Result } from "../../../domain/result.ts";
import { eventOf, tenantFor, type AdminDeps } from "../access/access.ts";
import { edit, type IfMatch } from "../access/editing.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { checkedNames, type NamedDeps } from "./named-in-policy.ts";
import { withRaisers } from "./raises.ts";
import { checkedWebhook } from "../access/webhook-url.ts";

const operatorOnly = (action: string) => err({ reason: "forbidden", action } as const);

export interface NewTenant {
  slug: string;
  name: string;
  residency?: Residency;
}

const listedOf = ({ id, slug, name, createdAt, residency }: Tenant): Listed => ({
  id,
  slug,
  name,
  createdAt,
  residency,
  database: databaseOf(id),
  state: "active",
});

export interface ShownTenant extends Tenant {
  waitingApprovals: number;
  attention: Attention;
}

type TenantAdminDeps = AdminDeps &
  NamedDeps & {
    approvals: Pick<ApprovalStore, "count">;
    alerts: Pick<AlertStore, "attention">;
    placements: PlacementStore;
    allowPrivateUpstreams: boolean;
    ownOrigins: readonly string[];
  };

export type ParsePolicy = (value: unknown) => Result<Policy, Refusal>;

function checkedWebhooks(
  deps: TenantAdminDeps,
  { approval, alerts }: Policy,
  before: Policy,
): Result<null, Refusal> {
  const known = before.alerts?.receivers?.map(({ webhookUrl }) => webhookUrl) ?? [];
  const webhooks = [
    {
      url: approval?.webhookUrl,
      path: "approval.webhookUrl",
      before: [before.approval?.webhookUrl],
    },
    ...(alerts?.receivers ?? []).map(({ webhookUrl: url }, at) => ({
      url,
      path: `alerts.receivers.${at}.webhookUrl`,
      before: known,
    })),
  ];
  return (
    webhooks.map((each) => checkedWebhook(each, deps)).find((checked) => !checked.ok) ?? ok(null)
  );
}

const editPolicy = (
  deps: TenantAdminDeps,
  { actor, slug, ifMatch }: { actor: Actor; slug: string; ifMatch: IfMatch },
  wantedFrom: (current: Policy) => Result<Policy, Refusal>,
): AsyncResult<Policy> =>
  edit(ifMatch, {
    async read() {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const { policy, version } = tenant.value;
      return ok({ current: tenant.value, shown: policy, version });
    },
    async write(tenant, ifVersion) {
      const { id, ceiling, policy: current } = tenant;
      const wanted = wantedFrom(current);
      if (!wanted.ok) return wanted;
      const about = { tenant, actor: actorName(actor), now: deps.now() };
      const policy = withRaisers(wanted.value, about);
      if (!policy.ok) return policy;
      const beyond = beyondCeiling(policy.value.limits ?? {}, ceiling.limits);
      if (beyond !== null)
        return err({
          reason: "invalid_params",
          path: `limits.${beyond.name}`,
          detail: `At most ${beyond.max}, which is the operator's ceiling for this tenant.`,
        });
      const checked = checkedWebhooks(deps, policy.value, current);
      if (!checked.ok) return checked;
      const there = await checkedNames(deps, wanted.value, tenant);
      if (!there.ok) return there;
      const event = eventOf(deps, actor, {
        action: "policy.replace",
        tenantId: id,
        target: id,
        detail: policy.value as JsonObject,
      });
      const change = {
        policy: policy.value,
        calendar: calendarOf(policy.value.timeZone, event.at),
        resetsCounters: policy.value.timeZone !== current.timeZone,
      };
      const updated = await deps.tenants.update(id, change, event, ifVersion);
      return updated.ok ? policy : updated;
    },
  });

const readTenant = async (
  deps: TenantAdminDeps,
  actor: Actor,
  slug: string,
): AsyncResult<ShownTenant> => {
  const tenant = await tenantFor(deps, actor, slug);
  if (!tenant.ok) return tenant;
  const of = { tenantId: tenant.value.id, keyId: "", serverId: null };
  const [waiting, attention] = await Promise.all([
    deps.approvals.count(of),
    deps.alerts.attention(of.tenantId, deps.now()),
  ]);
  if (!waiting.ok) return waiting;
  if (!attention.ok) return attention;
  const { tenant: waitingApprovals } = waiting.value;
  return ok({ ...tenant.value, waitingApprovals, attention: attention.value });
};

export const createTenantAdmin = (deps: TenantAdminDeps) => ({
  async create(actor: Actor, input: NewTenant & { id?: string }): AsyncResult<Tenant> {
    if (actor.kind !== "operator") return operatorOnly("only the operator can create tenants");
    const tenant: Tenant = {
      id: input.id ?? deps.ids.next("tenant"),
      slug: input.slug,
      name: input.name,
      policy: {},
      ceiling: firstCeiling,
      version: 1,
      createdAt: deps.now(),
      residency: input.residency ?? null,
    };
    const created = await deps.tenants.create(
      tenant,
      eventOf(deps, actor, {
        action: "tenant.create",
        tenantId: tenant.id,
        target: tenant.id,
        detail: { slug: input.slug, name: input.name },
      }),
    );
    if (created.ok) return ok(tenant);
    return created.error.reason === "conflict"
      ? err({ reason: "conflict", detail: `A tenant "${input.slug}" exists already.` })
      : created;
  },

  exists: (id: string): AsyncResult<boolean> =>
    mapped(deps.tenants.byId(id), (found) => found !== null),

  /** The directory also has tenants of other databases. */
  async list(actor: Actor, page: PageRequest): AsyncResult<Page<Listed>> {
    if (actor.kind === "operator") return deps.placements.list(page);
    const own = await deps.tenants.byId(actor.tenantId);
    if (!own.ok) return own;
    const first = page.cursor === null && own.value !== null ? [listedOf(own.value)] : [];
    return ok({ data: first, nextCursor: null });
  },

  get: (actor: Actor, slug: string): AsyncResult<Tenant> => tenantFor(deps, actor, slug),

  read: (actor: Actor, slug: string): AsyncResult<ShownTenant> => readTenant(deps, actor, slug),

  async rename(actor: Actor, slug: string, name: string): AsyncResult<ShownTenant> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const updated = await deps.tenants.update(
      id,
      { name, calendar: calendarOf(tenant.value.policy.timeZone, deps.now()) },
      eventOf(deps, actor, {
        action: "tenant.update",
        tenantId: id,
        target: id,
        detail: { name },
      }),
    );
    return updated.ok ? readTenant(deps, actor, slug) : updated;
  },

  async remove(actor: Actor, slug: string): AsyncResult<null> {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    if (actor.kind !== "operator") return operatorOnly("only the operator can delete tenants");
    const { id } = tenant.value;
    return deps.tenants.remove(
      id,
      eventOf(deps, actor, {
        action: "tenant.delete",
        tenantId: id,
        target: id,
        detail: { slug },
      }),
    );
  },

  policy: (actor: Actor, slug: string): AsyncResult<Policy> =>
    mapped(tenantFor(deps, actor, slug), (tenant) => tenant.policy),

  replacePolicy: (
    actor: Actor,
    slug: string,
    { ifMatch, policy }: { ifMatch: IfMatch; policy: Policy },
  ): AsyncResult<Policy> => editPolicy(deps, { actor, slug, ifMatch }, () => ok(policy)),

  patchPolicy: (
    actor: Actor,
    slug: string,
    {
      ifMatch,
      patch,
      parsePolicy,
    }: { ifMatch: IfMatch; patch: JsonObject; parsePolicy: ParsePolicy },
  ): AsyncResult<Policy> =>
    editPolicy(deps, { actor, slug, ifMatch }, (current) =>
      parsePolicy(mergePatch(current as JsonObject, patch)),
    ),
});

export type TenantAdmin = ReturnType<typeof createTenantAdmin>;
