import type { z } from "@hono/zod-openapi";
import type { OauthInput } from "../../pipeline/admin/servers/server-input.ts";
import { err, ok } from "../../domain/result.ts";
import { installSnippets, keyVariable } from "../../domain/servers/install.ts";
import { adminApp, endpoint, pageOf, pageRequestOf, tenantParams } from "./endpoint.ts";
import { pageQuery, slug } from "./schemas.ts";
import {
  authorizationStart,
  server,
  serverCheck,
  serverInput,
  serverInstall,
  serverPatch,
} from "./server-schemas.ts";

export const serverParams = tenantParams.extend({ server: slug });

const addressUnknown = "The router doesn't know its own address: set PUBLIC_URL.";

const oauthOf = (oauth: NonNullable<z.output<typeof serverInput>["oauth"]>): OauthInput => ({
  grant: oauth.grant,
  clientId: oauth.clientId ?? null,
  clientSecret: oauth.clientSecret ?? null,
  tokenEndpoint: oauth.tokenEndpoint ?? null,
  authorizationEndpoint: oauth.authorizationEndpoint ?? null,
  scope: oauth.scope ?? null,
  resource: oauth.resource ?? null,
  ...(oauth.per === "user" && { per: "user" }),
});

export function serverRoutes() {
  const app = adminApp();
  const tag = "Servers";
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers",
    id: "createServer",
    tag,
    summary: "Register an MCP server for the proxy",
    description:
      "Clients then reach the server at `/mcp/{tenant}/{server}`. `sampling` says who answers what the server samples.",
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
        passHeaders: body.passHeaders ?? [],
        forwardAuthorization: body.forwardAuthorization ?? false,
        supportedModalities: body.supportedModalities ?? false,
        auth: body.auth ?? "both",
        bridge: body.bridge ?? "fallback",
        policy: body.policy ?? {},
        oauth: body.oauth ? oauthOf(body.oauth) : null,
      }),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/servers",
    id: "listServers",
    tag,
    summary: "List registered servers, newest first",
    description: "Registered servers. Header values and client secrets are in no answer.",
    params: tenantParams,
    query: pageQuery,
    answer: pageOf(server),
    run: ({ admin, actor, params, query }) =>
      admin.servers.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/servers/{server}",
    id: "readServer",
    tag,
    summary: "One registered server",
    description: "The entry, and what the router has learnt about the server by talking to it.",
    params: serverParams,
    answer: server,
    tagged: true,
    run: ({ admin, actor, params }) => admin.servers.get(actor, params),
  });
  endpoint(app, {
    method: "patch",
    path: "/{tenant}/servers/{server}",
    id: "updateServer",
    tag,
    summary: "Change a server; a new host needs its secrets given anew",
    description:
      "Changes what the body names. `headers`, `policy` and `oauth` are replaced as a whole. A URL of another origin, and other OAuth endpoints, need the secrets anew, and granted tokens go. Where the stored ones can't be opened, new ones need `url` too.",
    params: serverParams,
    body: serverPatch,
    answer: server,
    tagged: true,
    run: ({ admin, actor, params, body: { oauth, ...patch }, ifMatch }) =>
      admin.servers.update(actor, params, {
        ifMatch,
        patch: {
          ...patch,
          ...(oauth !== undefined && { oauth: oauth === null ? null : oauthOf(oauth) }),
        },
      }),
  });
  endpoint(app, {
    method: "delete",
    path: "/{tenant}/servers/{server}",
    id: "deleteServer",
    tag,
    summary: "Forget a server, its secrets and its tokens",
    description:
      "Removes the entry, its sealed secrets and its tokens. Clients are answered 404 from then on.",
    params: serverParams,
    run: ({ admin, actor, params }) => admin.servers.remove(actor, params),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers/{server}/authorize",
    id: "authorizeServer",
    tag,
    summary: "Begin OAuth by authorization code: where a person has to go, once",
    description:
      "Begins OAuth by authorization code. A person opens `authorizationUrl` within ten minutes, and comes back to `/oauth/callback`.",
    params: serverParams,
    answer: authorizationStart,
    run: ({ admin, actor, params, ownUrl }) => admin.authorizations.begin(actor, params, ownUrl),
  });
  endpoint(app, {
    method: "post",
    path: "/{tenant}/servers/{server}/check",
    id: "checkServer",
    tag,
    summary: "Try whether an MCP server is there and lets the router in",
    description:
      "Speaks MCP with the server as a client would: discovers or initializes, and lists the tools. `detail` says in words what was found, or what is wrong. A server that speaks another family of revisions than the router remembers is remembered by the new one.",
    params: serverParams,
    answer: serverCheck,
    run: ({ admin, actor, params }) => admin.checkServer(actor, params),
  });
  endpoint(app, {
    method: "get",
    path: "/{tenant}/servers/{server}/install",
    id: "readServerInstall",
    tag,
    summary: "What to paste into MCP clients, so that they reach the server",
    description:
      "A text for each client, and for VS Code and Cursor an address that adds the server. No key is in any of them: the texts name an environment variable, or have the client ask.",
    params: serverParams,
    answer: serverInstall,
    run: async ({ admin, actor, params, ownUrl }) => {
      const found = await admin.servers.get(actor, params);
      if (!found.ok) return found;
      if (ownUrl === null) return err({ reason: "conflict", detail: addressUnknown });
      const url = `${ownUrl}/mcp/${params.tenant}/${params.server}`;
      const snippets = installSnippets({ url, name: params.server, key: null });
      return ok({ url, keyVariable, snippets });
    },
  });
  return app;
}
