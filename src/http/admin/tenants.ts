import type { Tenant } from "../../domain/ports.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import { shardOf } from "../../domain/shards.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { policy } from "./policy-schemas.ts";
import { pageQuery } from "./schemas.ts";
import { tenant, tenantInput, tenantPatch } from "./tenant-schemas.ts";

const placed = (tenant: Tenant) => ({ ...tenant, shard: shardOf(tenant.id) });
const shown = (found: Result<Tenant, Refusal>) => (found.ok ? ok(placed(found.value)) : found);

export function tenantRoutes() {
  const app = adminApp();
  const tag = "Tenants";
  endpoint(app, {
    method: "post",
    path: "/",
    tag,
    summary: "Create a tenant (operator)",
    body: tenantInput,
    answer: tenant,
    status: 201,
    run: ({ admin, actor, body }) => admin.tenants.create(actor, body).then(shown),
  });
  endpoint(app, {
    method: "get",
    path: "/",
    tag,
    summary: "List tenants, newest first",
    query: pageQuery,
    answer: pageOf(tenant),
    async run({ admin, actor, query }) {
      const page = await admin.tenants.list(actor, pageRequestOf(query));
      return page.ok ? ok({ ...page.value, data: page.value.data.map(placed) }) : page;
    },
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}",
    tag,
    summary: "Read a tenant",
    params: tenantParams,
    answer: tenant,
    run: ({ admin, actor, params }) => admin.tenants.get(actor, params.tenant).then(shown),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}",
    tag,
    summary: "Rename a tenant",
    params: tenantParams,
    body: tenantPatch,
    answer: tenant,
    run: ({ admin, actor, params, body }) =>
      admin.tenants.rename(actor, params.tenant, body.name).then(shown),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}",
    tag,
    summary: "Delete a tenant and all it owns, audit records included (operator)",
    params: tenantParams,
    run: ({ admin, actor, params }) => admin.tenants.remove(actor, params.tenant),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/policy",
    tag: "Policy",
    summary: "Read the policy",
    params: tenantParams,
    answer: policy,
    run: ({ admin, actor, params }) => admin.tenants.policy(actor, params.tenant),
  });
  endpoint(app, {
    method: "put",
    path: "/{tenant}/policy",
    tag: "Policy",
    summary: "Replace the policy",
    params: tenantParams,
    body: policy,
    answer: policy,
    run: ({ admin, actor, params, body }) =>
      admin.tenants.replacePolicy(actor, params.tenant, body),
  });
  return app;
}
