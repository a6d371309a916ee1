import type { z } from "@hono/zod-openapi";
import type { OauthInput } from "../../pipeline/admin/servers.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { pageQuery, slug } from "./schemas.ts";
import {
  authorizationStart,
  server,
  serverCheck,
  serverInput,
  serverPatch,
} from "./server-schemas.ts";

export const serverParams = tenantParams.extend({ server: slug });

const oauthOf = (oauth: NonNullable<z.output<typeof serverInput>["oauth"]>): OauthInput => ({
  grant: oauth.grant,
  clientId: oauth.clientId,
  clientSecret: oauth.clientSecret ?? null,
  tokenEndpoint: oauth.tokenEndpoint ?? null,
  authorizationEndpoint: oauth.authorizationEndpoint ?? null,
  scope: oauth.scope ?? null,
  resource: oauth.resource ?? null,
});

export function serverRoutes() {
  const app = adminApp();
  const tag = "Servers";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers",
    tag,
    summary: "Register an MCP server for the proxy",
    params: tenantParams,
    body: serverInput,
    answer: server,
    status: 201,
    run: ({ admin, actor, params, body }) =>
      admin.servers.create(actor, params.tenant, {
        slug: body.slug,
        url: body.url,
        sampling: body.sampling,
        headers: body.headers ?? {},
        forwardAuthorization: body.forwardAuthorization ?? false,
        supportedModalities: body.supportedModalities ?? false,
        bridge: body.bridge ?? "fallback",
        policy: body.policy ?? {},
        oauth: body.oauth ? oauthOf(body.oauth) : null,
      }),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/servers",
    tag,
    summary: "List registered servers, newest first",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(server),
    run: ({ admin, actor, params, query }) =>
      admin.servers.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/servers/{server}",
    tag,
    summary: "One registered server",
    params: serverParams,
    answer: server,
    run: ({ admin, actor, params }) => admin.servers.get(actor, params),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/servers/{server}",
    tag,
    summary: "Change a server; a new host needs its secrets given anew",
    params: serverParams,
    body: serverPatch,
    answer: server,
    run: ({ admin, actor, params, body: { oauth, ...patch } }) =>
      admin.servers.update(actor, params, {
        ...patch,
        ...(oauth !== undefined && { oauth: oauth === null ? null : oauthOf(oauth) }),
      }),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/servers/{server}",
    tag,
    summary: "Forget a server, its secrets and its tokens",
    params: serverParams,
    run: ({ admin, actor, params }) => admin.servers.remove(actor, params),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers/{server}/authorize",
    tag,
    summary: "Begin OAuth by authorization code: where a person has to go, once",
    params: serverParams,
    answer: authorizationStart,
    run: ({ admin, actor, params, origin }) => admin.authorizations.begin(actor, params, origin),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers/{server}/check",
    tag,
    summary: "Try whether the server lets the router in",
    params: serverParams,
    answer: serverCheck,
    run: ({ admin, actor, params }) => admin.authorizations.check(actor, params),
  });
  return app;
}
