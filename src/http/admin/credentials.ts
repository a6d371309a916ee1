import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { credential, credentialCheck, credentialInput, credentialPatch } from "./model-schemas.ts";
import { pageQuery } from "./schemas.ts";

export function credentialRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Credentials");
  endpoint({
    route: "post /{tenant}/credentials",
    id: "createCredential",
    summary: "Add a provider's key",
    description:
      "Stores a provider's key encrypted. No endpoint returns it. A provider that the catalogue doesn't know needs `baseUrl` and `models`.",
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
  endpoint({
    route: "get /{tenant}/credentials",
    id: "listCredentials",
    summary: "List credentials, newest first",
    description:
      "The tenant's credentials without their keys, with how their last call ended. `failing`: the provider rejected the key.",
    query: pageQuery,
    answer: pageOf(credential),
    run: ({ admin, actor, params, query }) =>
      admin.credentials.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "get /{tenant}/credentials/{id}",
    id: "readCredential",
    summary: "Get a credential, without its key",
    description: "The credential as in the list.",
    answer: credential,
    tagged: true,
    run: ({ admin, actor, params }) => admin.credentials.get(actor, params.tenant, params.id),
  });
  endpoint({
    route: "patch /{tenant}/credentials/{id}",
    id: "updateCredential",
    summary: "Update a credential",
    description:
      "Updates the members in the body. A `baseUrl` with another origin requires `apiKey`. If the stored key can't be decrypted, a new one requires `baseUrl`. A new key makes a failing credential active.",
    body: credentialPatch,
    answer: credential,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.credentials.update(actor, params.tenant, { id: params.id, ifMatch, patch: body }),
  });
  endpoint({
    route: "delete /{tenant}/credentials/{id}",
    id: "deleteCredential",
    summary: "Delete a credential",
    description: "Deletes the credential and its key. New calls don't use it.",
    run: ({ admin, actor, params }) => admin.credentials.remove(actor, params.tenant, params.id),
  });
  endpoint({
    route: "post /{tenant}/credentials/{id}/check",
    id: "checkCredential",
    summary: "Check a credential with a cheap call",
    description:
      "Sends one word to the credential's cheapest text model, and reads the provider's model list. The call can cost a fraction of a cent. A failing credential becomes active if it is answered.",
    answer: credentialCheck,
    run: ({ admin, actor, params }) => admin.credentials.check(actor, params.tenant, params.id),
  });
  return app;
}
