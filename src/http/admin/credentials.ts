import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { credential, credentialCheck, credentialInput, credentialPatch } from "./model-schemas.ts";
import { pageQuery } from "./schemas.ts";

export function credentialRoutes() {
  const app = adminApp();
  const tag = "Credentials";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/credentials",
    tag,
    summary: "Hold a provider's key for the tenant; it never comes back",
    params: tenantParams,
    body: credentialInput,
    answer: credential,
    status: 201,
    run: ({ admin, actor, params, body }) =>
      admin.credentials.create(actor, params.tenant, {
        ...body,
        baseUrl: body.baseUrl ?? null,
        models: body.models ?? null,
      }),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/credentials",
    tag,
    summary: "List credentials, newest first",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(credential),
    run: ({ admin, actor, params, query }) =>
      admin.credentials.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/credentials/{id}",
    tag,
    summary: "Change a credential; a new key makes a failing one active",
    params: idParams,
    body: credentialPatch,
    answer: credential,
    run: ({ admin, actor, params, body }) =>
      admin.credentials.update(actor, params.tenant, params.id, body),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/credentials/{id}",
    tag,
    summary: "Forget a credential",
    params: idParams,
    run: ({ admin, actor, params }) => admin.credentials.remove(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/credentials/{id}/check",
    tag,
    summary: "Try a credential with the cheapest real call",
    params: idParams,
    answer: credentialCheck,
    run: ({ admin, actor, params }) => admin.credentials.check(actor, params.tenant, params.id),
  });
  return app;
}
