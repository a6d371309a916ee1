import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { names } from "./record-schemas.ts";
import { pageQuery } from "./schemas.ts";
import { key, keyInput, keyPatch, newKey } from "./tenant-schemas.ts";

export function keyRoutes() {
  const app = adminApp();
  const endpoint = endpointsOf(app, "Keys");
  endpoint({
    route: "post /{tenant}/keys",
    id: "createKey",
    summary: "Create an API key",
    description:
      "The response contains the API key, which is shown only once. A key with an expiry can only create keys that expire at the same time (default) or earlier.",
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
  endpoint({
    route: "get /{tenant}/keys",
    id: "listKeys",
    summary: "List API keys, newest first",
    description:
      "Keys without their secrets, including revoked keys with the time of revocation, and the names of their people and of who created them.",
    query: pageQuery,
    answer: pageOf(key).extend({ names }),
    run: ({ admin, actor, params, query }) =>
      admin.keys.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "get /{tenant}/keys/{id}",
    id: "readKey",
    summary: "Get an API key, without its secret",
    description: "Name, scopes, limits, expiry and revocation time of the key.",
    answer: key,
    tagged: true,
    run: ({ admin, actor, params }) => admin.keys.get(actor, params.tenant, params.id),
  });
  endpoint({
    route: "patch /{tenant}/keys/{id}",
    id: "changeKey",
    summary: "Update an API key",
    description:
      "A JSON merge patch (RFC 7396) of name, limits and expiry, effective from the next request; null removes a limit or the expiry. Secret and scopes can't be changed. A key with an expiry can't update keys that expire later, or set a later expiry.",
    body: keyPatch,
    answer: key,
    tagged: true,
    run: ({ admin, actor, params, body, ifMatch }) =>
      admin.keys.update(actor, params.tenant, { id: params.id, ifMatch, patch: body }),
  });
  endpoint({
    route: "delete /{tenant}/keys/{id}",
    id: "revokeKey",
    summary: "Revoke an API key",
    description: "Further requests with the key are refused. This can't be undone.",
    run: ({ admin, actor, params }) => admin.keys.revoke(actor, params.tenant, params.id),
  });
  endpoint({
    route: "post /{tenant}/keys/{id}/rotate",
    id: "rotateKey",
    summary: "Rotate an API key's secret",
    description:
      "Id, scopes, limits and expiry are kept. The response contains the new secret, and the old one stops working immediately. A key with an expiry can't rotate keys that expire later.",
    answer: newKey,
    run: ({ admin, actor, params }) => admin.keys.rotate(actor, params.tenant, params.id),
  });
  return app;
}
