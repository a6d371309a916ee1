import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { credential, credentialCheck, credentialInput, credentialPatch } from "./model-schemas.ts";
import { pageQuery } from "./schemas.ts";

export function credentialRoutes() {
  const app = adminApp();
  const tag = "Credentials";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/credentials",
    id: "createCredential",
    tag,
    summary: "Hold a provider's key for the tenant; it never comes back",
    description:
      "Stores the key of a provider, sealed. No endpoint gives the key back. A provider that the catalogue does not know needs `baseUrl`, and `models` that say what it serves.",
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
    id: "listCredentials",
    tag,
    summary: "List credentials, newest first",
    description:
      "The tenant's credentials without their keys. `failing` means that the provider refused the key.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(credential),
    run: ({ admin, actor, params, query }) =>
      admin.credentials.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/credentials/{id}",
    id: "readCredential",
    tag,
    summary: "Read a credential, without its key",
    description: "The credential as the list shows it.",
    params: idParams,
    answer: credential,
    tagged: true,
    run: ({ admin, actor, params }) => admin.credentials.get(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/credentials/{id}",
    id: "updateCredential",
    tag,
    summary: "Change a credential; a new key makes a failing one active",
    description:
      "Changes what the body names and nothing else. A `baseUrl` of another origin needs `apiKey` again. Where the stored key can't be opened, a new one needs `baseUrl` too. A new key makes a failing credential active.",
    params: idParams,
    body: credentialPatch,
    answer: credential,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.credentials.update(actor, params.tenant, { id: params.id, ifMatch, patch: body }),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/credentials/{id}",
    id: "deleteCredential",
    tag,
    summary: "Forget a credential",
    description:
      "Removes the credential and its sealed key. Calls that begin afterwards do not use the credential.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.credentials.remove(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/credentials/{id}/check",
    id: "checkCredential",
    tag,
    summary: "Try a credential with the cheapest real call",
    description:
      "Sends one word to the cheapest text model that the credential serves, and asks the provider which models it lists. The call may cost a fraction of a cent. A failing credential whose call is answered becomes active.",
    params: idParams,
    answer: credentialCheck,
    run: ({ admin, actor, params }) => admin.credentials.check(actor, params.tenant, params.id),
  });
  return app;
}
