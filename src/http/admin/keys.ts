import { adminApp, endpoint, idParams, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { pageQuery } from "./schemas.ts";
import { key, keyInput, keyPatch, newKey } from "./tenant-schemas.ts";

export function keyRoutes() {
  const app = adminApp();
  const tag = "Keys";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/keys",
    id: "createKey",
    tag,
    summary: "Create an API key",
    description:
      "The response contains the API key, which is shown only once. A key with an expiry can only create keys that expire at the same time (default) or earlier.",
    params: tenantParams,
    body: keyInput,
    answer: newKey,
    status: 201,
    run: ({ admin, actor, params, body }) =>
      admin.keys.create(actor, params.tenant, {
        name: body.name,
        scopes: body.scopes,
        expiresAt: body.expiresAt ?? null,
        limits: body.limits ?? {},
        userId: body.userId ?? null,
      }),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/keys",
    id: "listKeys",
    tag,
    summary: "List API keys, newest first",
    description: "Keys without their secrets, including revoked keys with the time of revocation.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(key),
    run: ({ admin, actor, params, query }) =>
      admin.keys.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/keys/{id}",
    id: "readKey",
    tag,
    summary: "Get an API key, without its secret",
    description: "Name, scopes, limits, expiry and revocation time of the key.",
    params: idParams,
    answer: key,
    tagged: true,
    run: ({ admin, actor, params }) => admin.keys.get(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/keys/{id}",
    id: "changeKey",
    tag,
    summary: "Update an API key",
    description:
      "A JSON merge patch (RFC 7396) of name, limits and expiry, effective from the next request; null removes a limit or the expiry. Secret and scopes can't be changed. A key with an expiry can't update keys that expire later, or set a later expiry.",
    params: idParams,
    body: keyPatch,
    answer: key,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.keys.update(actor, params.tenant, { id: params.id, ifMatch, patch: body }),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/keys/{id}",
    id: "revokeKey",
    tag,
    summary: "Revoke an API key",
    description: "Further requests with the key are refused. This can't be undone.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.keys.revoke(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/keys/{id}/rotate",
    id: "rotateKey",
    tag,
    summary: "Rotate an API key's secret",
    description:
      "Id, scopes, limits and expiry are kept. The response contains the new secret, and the old one stops working immediately. A key with an expiry can't rotate keys that expire later.",
    params: idParams,
    answer: newKey,
    run: ({ admin, actor, params }) => admin.keys.rotate(actor, params.tenant, params.id),
  });
  return app;
}
