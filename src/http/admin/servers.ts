import type { z } from "@hono/zod-openapi";
import type { OauthInput } from "../../pipeline/admin/servers/server-input.ts";
import { err, ok } from "../../domain/result.ts";
import { installSnippets, keyVariable } from "../../domain/servers/install.ts";
import { adminApp, endpointsOf, pageOf, pageRequestOf } from "./endpoint.ts";
import { pageQuery } from "./schemas.ts";
import {
  authorizationStart,
  server,
  serverCheck,
  serverInput,
  serverInstall,
  serverPatch,
} from "./server-schemas.ts";

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
  const endpoint = endpointsOf(app, "Servers");
  endpoint({
    route: "post /{tenant}/servers",
    id: "createServer",
    summary: "Register an MCP server for the proxy",
    description:
      "Clients use the server at `/mcp/{tenant}/{server}`. `sampling` determines who answers its sampling requests.",
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
        parking: body.parking ?? false,
        policy: body.policy ?? {},
        oauth: body.oauth ? oauthOf(body.oauth) : null,
      }),
  });
  endpoint({
    route: "get /{tenant}/servers",
    id: "listServers",
    summary: "List registered servers, newest first",
    description: "Registered servers, without header values and client secrets.",
    query: pageQuery,
    answer: pageOf(server),
    run: ({ admin, actor, params, query }) =>
      admin.servers.list(actor, params.tenant, pageRequestOf(query)),
  });
  endpoint({
    route: "get /{tenant}/servers/{server}",
    id: "readServer",
    summary: "Get a registered server",
    description:
      "The server's settings, and what the router learned about the server when connecting to it.",
    answer: server,
    tagged: true,
    run: ({ admin, actor, params }) => admin.servers.get(actor, params),
  });
  endpoint({
    route: "patch /{tenant}/servers/{server}",
    id: "updateServer",
    summary: "Update a server",
    description:
      "Updates the members in the body. `policy` is merged; `headers` and `oauth` are replaced as a whole. If the URL's origin or the OAuth endpoints change, send the secrets again. Changing `url` or sending `oauth` deletes granted tokens. If the stored secrets can't be decrypted, send `url` with the new secrets.",
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
  endpoint({
    route: "delete /{tenant}/servers/{server}",
    id: "deleteServer",
    summary: "Delete a server",
    description: "Deletes the server with its secrets and tokens. Clients then get 404.",
    run: ({ admin, actor, params }) => admin.servers.remove(actor, params),
  });
  endpoint({
    route: "post /{tenant}/servers/{server}/authorize",
    id: "authorizeServer",
    summary: "Start OAuth with an authorization code",
    description:
      "A person opens `authorizationUrl` within ten minutes, and returns to `/oauth/callback`.",
    answer: authorizationStart,
    run: ({ admin, actor, params, ownUrl }) => admin.authorizations.begin(actor, params, ownUrl),
  });
  endpoint({
    route: "post /{tenant}/servers/{server}/check",
    id: "checkServer",
    summary: "Check the connection to a server",
    description:
      "Connects to the server as a client (`server/discover` or `initialize`), and lists its tools. `detail` describes the result or problem. The detected era is stored.",
    answer: serverCheck,
    run: ({ admin, actor, params }) => admin.checkServer(actor, params),
  });
  endpoint({
    route: "get /{tenant}/servers/{server}/install",
    id: "readServerInstall",
    summary: "Get client configurations for a server",
    description:
      "A configuration for each client, and one-click links for VS Code and Cursor. Instead of a key, they contain an environment variable or a prompt.",
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
