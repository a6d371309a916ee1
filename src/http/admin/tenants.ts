import { noAttention } from "../../domain/alerts.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ShownTenant } from "../../pipeline/admin/tenants/tenants.ts";
import { mapped } from "../../domain/result.ts";
import type { Listed } from "../../domain/ports/placements.ts";
import type { Region, Residency } from "../../domain/tenancy/residency.ts";
import type { Jurisdiction } from "../../domain/tenancy/tenant-databases.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf, parsed } from "./endpoint.ts";
import { policy, policyPatch } from "./policy-schemas.ts";
import { pageQuery } from "./schemas.ts";
import { ceiling, listedTenant, tenant, tenantInput, tenantPatch } from "./tenant-schemas.ts";

const residencyOf = (residency: Residency | null) => ({
  region: residency?.region ?? null,
  jurisdiction: residency?.jurisdiction ?? null,
});

/** Without the ceiling, which only the operator may read. */
const shown = ({ ceiling: own, residency, ...placedTenant }: ShownTenant) => ({
  ...placedTenant,
  stoppedByOperator: own?.stopped ?? null,
  ...residencyOf(residency),
});

const listed = ({ residency, state, database: _, ...entry }: Listed) => ({
  ...entry,
  ...residencyOf(residency),
  // A tenant under creation is not listed.
  state: state === "deleting" ? ("deleting" as const) : ("active" as const),
});

interface Asked {
  region?: Region | undefined;
  jurisdiction?: Jurisdiction | undefined;
}

function residencyAsked({ region, jurisdiction }: Asked): { residency?: Residency } {
  if (region === undefined && jurisdiction === undefined) return {};
  return {
    residency: {
      ...(region !== undefined && { region }),
      ...(jurisdiction !== undefined && { jurisdiction }),
    },
  };
}

export function tenantRoutes() {
  const app = adminApp();
  const tenantEndpoint = endpointsOf(app, "Tenants");
  const policyEndpoint = endpointsOf(app, "Policy");
  const ceilingEndpoint = endpointsOf(app, "Ceiling");
  tenantEndpoint({
    route: "post /",
    id: "createTenant",
    summary: "Create a tenant (operator)",
    description: "`slug` is the tenant's name in paths.",
    body: tenantInput,
    answer: tenant,
    status: 201,
    run: ({ admin, actor, body: { region, jurisdiction, ...body } }) =>
      mapped(
        admin.tenants.create(actor, { ...body, ...residencyAsked({ region, jurisdiction }) }),
        (created) => shown({ ...created, waitingApprovals: 0, attention: noAttention }),
      ),
  });
  tenantEndpoint({
    route: "get /",
    id: "listTenants",
    summary: "List tenants, newest first",
    description: "The operator sees every tenant, a key its own. Without policies and versions.",
    query: pageQuery,
    answer: pageOf(listedTenant),
    run: ({ admin, actor, query }) =>
      mapped(admin.tenants.list(actor, pageRequestOf(query)), (page) => ({
        ...page,
        data: page.data.map(listed),
      })),
  });
  tenantEndpoint({
    route: "get /{tenant}",
    id: "readTenant",
    summary: "Get a tenant",
    description:
      "The tenant with its policy. `version` increases with each change of the tenant's objects.",
    answer: tenant,
    run: ({ admin, actor, params }) => mapped(admin.tenants.read(actor, params.tenant), shown),
  });
  tenantEndpoint({
    route: "patch /{tenant}",
    id: "renameTenant",
    summary: "Rename a tenant",
    description: "Changes the display name. The slug and the data location can't be changed.",
    body: tenantPatch,
    answer: tenant,
    run: ({ admin, actor, params, body }) =>
      mapped(admin.tenants.rename(actor, params.tenant, body.name), shown),
  });
  tenantEndpoint({
    route: "delete /{tenant}",
    id: "deleteTenant",
    summary: "Delete a tenant and all its data (operator)",
    description:
      "Deletes all data including audit records; this can't be undone. The event log is kept.",
    run: ({ admin, actor, params }) => admin.tenants.remove(actor, params.tenant),
  });
  policyEndpoint({
    route: "get /{tenant}/policy",
    id: "readPolicy",
    summary: "Get the policy",
    description: "The policy as last set. Missing members have their defaults.",
    answer: policy,
    tagged: true,
    run: ({ admin, actor, params }) => admin.tenants.policy(actor, params.tenant),
  });
  policyEndpoint({
    route: "put /{tenant}/policy",
    id: "replacePolicy",
    summary: "Replace the policy",
    description:
      "Replaces the whole policy; missing members are reset to their defaults. A limit above the operator's ceiling is refused.",
    body: policy,
    answer: policy,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.tenants.replacePolicy(actor, params.tenant, { ifMatch, policy: body }),
  });
  policyEndpoint({
    route: "patch /{tenant}/policy",
    id: "changePolicy",
    summary: "Update the policy",
    description:
      "A JSON merge patch (RFC 7396): null removes a member, and missing members are kept. Lists are replaced as a whole. `application/merge-patch+json` is accepted too.",
    body: policyPatch,
    answer: policy,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.tenants.patchPolicy(actor, params.tenant, {
        ifMatch,
        patch: body as JsonObject,
        parsePolicy: (value) => parsed(policy, value),
      }),
  });
  ceilingEndpoint({
    route: "get /{tenant}/ceiling",
    id: "readCeiling",
    summary: "Get the ceiling (operator)",
    description:
      "The ceiling as last set. The default has no limits. Older tenants may use the operator-paid providers for which they have credentials.",
    answer: ceiling,
    tagged: true,
    run: ({ admin, actor, params }) => admin.ceilings.get(actor, params.tenant),
  });
  ceilingEndpoint({
    route: "put /{tenant}/ceiling",
    id: "replaceCeiling",
    summary: "Replace the ceiling (operator)",
    description:
      "Replaces the whole ceiling, effective from the next request. The smaller limit of ceiling and policy applies; refusals name a ceiling's limit `ceiling.<limit>`.",
    body: ceiling,
    answer: ceiling,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.ceilings.replace(actor, params.tenant, { ifMatch, ceiling: body }),
  });
  return app;
}
