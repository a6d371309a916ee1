import type { JsonObject } from "../../domain/json.ts";
import type { Tenant } from "../../domain/ports/stores.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Listed } from "../../domain/ports/placements.ts";
import type { Region, Residency } from "../../domain/tenancy/residency.ts";
import type { Jurisdiction } from "../../domain/tenancy/tenant-databases.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, parsed, tenantParams } from "./endpoint.ts";
import { policy, policyPatch } from "./policy-schemas.ts";
import { pageQuery } from "./schemas.ts";
import { ceiling, listedTenant, tenant, tenantInput, tenantPatch } from "./tenant-schemas.ts";

const residencyOf = (residency: Residency | null) => ({
  region: residency?.region ?? null,
  jurisdiction: residency?.jurisdiction ?? null,
});

/** Without the ceiling, which only the operator may read. */
const placed = ({ ceiling: own, residency, ...placedTenant }: Tenant) => ({
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

const shown = (found: Result<Tenant, Refusal>) => (found.ok ? ok(placed(found.value)) : found);

export function tenantRoutes() {
  const app = adminApp();
  const tag = "Tenants";
  endpoint(app, {
    method: "post",
    path: "/",
    id: "createTenant",
    tag,
    summary: "Create a tenant (operator)",
    description: "`slug` names the tenant in every path. For the operator.",
    body: tenantInput,
    answer: tenant,
    status: 201,
    run: ({ admin, actor, body: { region, jurisdiction, ...body } }) =>
      admin.tenants
        .create(actor, { ...body, ...residencyAsked({ region, jurisdiction }) })
        .then(shown),
  });
  endpoint(app, {
    method: "get",
    path: "/",
    id: "listTenants",
    tag,
    summary: "List tenants, newest first",
    description:
      "The operator sees every tenant, a key its own. Policies and versions are read one by one.",
    query: pageQuery,
    answer: pageOf(listedTenant),
    async run({ admin, actor, query }) {
      const page = await admin.tenants.list(actor, pageRequestOf(query));
      return page.ok ? ok({ ...page.value, data: page.value.data.map(listed) }) : page;
    },
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}",
    id: "readTenant",
    tag,
    summary: "Read a tenant",
    description:
      "The tenant with its policy. `version` rises with each change of anything that the tenant owns.",
    params: tenantParams,
    answer: tenant,
    run: ({ admin, actor, params }) => admin.tenants.get(actor, params.tenant).then(shown),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}",
    id: "renameTenant",
    tag,
    summary: "Rename a tenant",
    description:
      "Changes the name that people read. The slug stays, and so does where the tenant's data lives.",
    params: tenantParams,
    body: tenantPatch,
    answer: tenant,
    run: ({ admin, actor, params, body }) =>
      admin.tenants.rename(actor, params.tenant, body.name).then(shown),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}",
    id: "deleteTenant",
    tag,
    summary: "Delete a tenant and all it owns, audit records included (operator)",
    description:
      "Nothing of the tenant can be restored; the log of admin actions keeps its events. For the operator.",
    params: tenantParams,
    run: ({ admin, actor, params }) => admin.tenants.remove(actor, params.tenant),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/policy",
    id: "readPolicy",
    tag: "Policy",
    summary: "Read the policy",
    description: "What was put last. An absent member means the default.",
    params: tenantParams,
    answer: policy,
    tagged: true,
    run: ({ admin, actor, params }) => admin.tenants.policy(actor, params.tenant),
  });
  endpoint(app, {
    method: "put",
    path: "/{tenant}/policy",
    id: "replacePolicy",
    tag: "Policy",
    summary: "Replace the policy",
    description:
      "The body becomes the whole policy: what it leaves out goes back to its default. A limit above the operator's ceiling is refused.",
    params: tenantParams,
    body: policy,
    answer: policy,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.tenants.replacePolicy(actor, params.tenant, { ifMatch, policy: body }),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/policy",
    id: "changePolicy",
    tag: "Policy",
    summary: "Change parts of the policy",
    description:
      "A JSON merge patch (RFC 7396): what the body names changes, null takes a member away, and the rest stays. Lists are replaced as a whole. Takes `application/merge-patch+json` too.",
    params: tenantParams,
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
  endpoint(app, {
    method: "get",
    path: "/{tenant}/ceiling",
    id: "readCeiling",
    tag: "Ceiling",
    summary: "Read the ceiling (operator)",
    description:
      "What was put last; no limits before that. An older tenant has leave for the providers of the operator's that it has credentials of. For the operator.",
    params: tenantParams,
    answer: ceiling,
    tagged: true,
    run: ({ admin, actor, params }) => admin.ceilings.get(actor, params.tenant),
  });
  endpoint(app, {
    method: "put",
    path: "/{tenant}/ceiling",
    id: "replaceCeiling",
    tag: "Ceiling",
    summary: "Replace the ceiling: what the tenant's policy can only narrow (operator)",
    description:
      "The body becomes the whole ceiling, from the next request on. Of each limit the smaller one holds, the ceiling's or the policy's; a refusal names it `ceiling.<limit>` where it is the ceiling's. For the operator.",
    params: tenantParams,
    body: ceiling,
    answer: ceiling,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.ceilings.replace(actor, params.tenant, { ifMatch, ceiling: body }),
  });
  return app;
}
