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
    summary: "Create an API key; it is shown this once",
    description:
      "The answer holds the API key. The router keeps a hash alone, so the key can not be shown again. A key that expires makes keys that expire no later: at its own end unless `expiresAt` is earlier.",
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
    summary: "List API keys, revoked ones included, newest first",
    description:
      "Keys without their secrets; a revoked key stays in the list with the time of its revocation.",
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
    summary: "Read an API key, without its secret",
    description: "Name, scopes, limits and end of the key, and when it was revoked.",
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
    summary: "Change an API key's name, limits or end, from the next request on",
    description:
      "A JSON merge patch (RFC 7396): what the body names changes, null takes a limit away, or the end. The secret and the scopes stay. A key that expires changes none that expires later, and sets no later end.",
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
    summary: "Revoke an API key, at once",
    description:
      "Requests that come with the key are refused from now on. A revoked key stays revoked.",
    params: idParams,
    run: ({ admin, actor, params }) => admin.keys.revoke(actor, params.tenant, params.id),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/keys/{id}/rotate",
    id: "rotateKey",
    tag,
    summary: "Replace an API key's secret; the old one stops at once",
    description:
      "The id, the scopes, the limits and the end stay; the answer holds the new secret. A key that expires rotates none that expires later.",
    params: idParams,
    answer: newKey,
    run: ({ admin, actor, params }) => admin.keys.rotate(actor, params.tenant, params.id),
  });
  return app;
}
