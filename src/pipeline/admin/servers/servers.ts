import type { Actor } from "../../../domain/tenancy/access.ts";
import type { Policy } from "../../../domain/choice/policy.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { mergePatch } from "../../../domain/merge-patch.ts";
import type { OauthClient } from "../../../domain/servers/oauth.ts";
import type { ServerPolicy } from "../../../domain/choice/policy.ts";
import type { Page, PageRequest, Vault } from "../../../domain/ports/stores.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, mapped, ok, type Result } from "../../../domain/result.ts";
import type { ServerChange, ServerStore } from "../../../domain/ports/server-stores.ts";
import { problemWithServer } from "../../../domain/servers/server-entry.ts";
import {
  isSameDestination,
  secretsOf,
  shownServer,
  type Learned,
  type McpServer,
  type SealedServer,
  type ServerSecrets,
} from "../../../domain/servers/server.ts";
import { eventOf, present, tenantFor, type AdminDeps } from "../access/access.ts";
import { calendarOf } from "../../callers/time-zones.ts";
import { pathOfResource, type OauthResource } from "../../../domain/tenancy/oauth-resources.ts";
import type { Grants } from "../keys/grants.ts";
import { edit, type IfMatch } from "../access/editing.ts";
import { createServerSecrets } from "../../servers/server-secrets.ts";
import { checkedWebhook } from "../access/webhook-url.ts";
import {
  missingSecret,
  requiredAgain,
  withSecret,
  type OauthInput,
  type ServerInput,
  type ServerPatch,
} from "./server-input.ts";

const plainOf = (
  {
    url,
    sampling,
    passHeaders,
    forwardAuthorization,
    supportedModalities,
    auth,
    bridge,
    parking,
    policy,
  }: ServerPatch,
  current: ServerPolicy,
): Partial<Omit<ServerInput, "slug" | "headers" | "oauth">> => ({
  ...(url !== undefined && { url }),
  ...(sampling !== undefined && { sampling }),
  ...(passHeaders !== undefined && { passHeaders: passHeaders ?? [] }),
  ...(forwardAuthorization !== undefined && {
    forwardAuthorization: forwardAuthorization ?? false,
  }),
  ...(supportedModalities !== undefined && { supportedModalities: supportedModalities ?? false }),
  ...(auth !== undefined && { auth }),
  ...(bridge !== undefined && { bridge: bridge ?? "fallback" }),
  ...(parking !== undefined && { parking: parking ?? false }),
  ...(policy !== undefined && {
    policy: policy === null ? {} : mergePatch(current as JsonObject, policy),
  }),
});

export interface ServerAdminDeps extends AdminDeps {
  servers: ServerStore;
  vault: Vault;
  allowPrivateUpstreams: boolean;
  ownOrigins: readonly string[];
}

const clientOf = ({ clientSecret, ...client }: OauthInput): OauthClient => ({
  ...client,
  hasSecret: clientSecret !== null,
});

/** Another client has another authorization server and other scopes. */
const withoutOauth = ({ issuer: _, scopes: _asked, ...rest }: Learned): Learned => rest;

export async function findServer(
  deps: Pick<ServerAdminDeps, "tenants" | "servers" | "ids" | "now">,
  actor: Actor,
  of: { tenant: string; server: string },
): AsyncResult<SealedServer> {
  const tenant = await tenantFor(deps, actor, of.tenant);
  return tenant.ok
    ? present(deps.servers.bySlug(tenant.value.id, of.server), `server ${of.server}`)
    : tenant;
}

async function endGrantsFor(
  { grants: current }: ServerGrants,
  tenantId: string,
  resource: OauthResource,
): AsyncResult<null> {
  const grants = current();
  const found = await (grants?.grantsOf(tenantId) ?? ok([]));
  if (!found.ok) return found;
  for (const grant of found.value) {
    if (grants === null || URL.parse(grant.resource)?.pathname !== pathOfResource(resource))
      continue;
    const revoked = await grants.revoke(tenantId, grant.id);
    if (!revoked.ok) return revoked;
  }
  return ok(null);
}

interface ServerGrants {
  grants: () => Grants | null;
}

export function createServerAdmin(deps: ServerAdminDeps & ServerGrants) {
  const { servers, vault } = deps;

  const checked = (
    entry: Omit<ServerInput, "slug">,
    before: McpServer | null,
  ): Result<null, Refusal> => {
    const problem = problemWithServer(entry, {
      allowPrivate: deps.allowPrivateUpstreams,
      ownOrigins: deps.ownOrigins,
    });
    if (problem !== null) return err({ reason: "invalid_params", ...problem });
    return checkedWebhook(
      {
        url: entry.policy.approval?.webhookUrl,
        path: "policy.approval.webhookUrl",
        before: [before?.policy.approval?.webhookUrl],
      },
      deps,
    );
  };

  const seal = async (
    server: Pick<McpServer, "tenantId" | "id" | "url" | "oauth">,
    secrets: ServerSecrets,
  ): Promise<string | null> =>
    Object.keys(secrets.headers).length === 0 && secrets.clientSecret === null
      ? null
      : vault.seal(JSON.stringify(secrets), secretsOf(server));

  const change = async ({
    actor,
    server,
    patch,
    ifVersion,
    policy,
  }: {
    actor: Actor;
    server: SealedServer;
    patch: ServerPatch;
    ifVersion: number;
    policy: Policy;
  }): AsyncResult<null> => {
    const url = patch.url ?? server.url;
    const { oauth } = patch;
    const headers = patch.headers === null ? {} : patch.headers;
    const plain = plainOf(patch, server.policy);
    const kept = await createServerSecrets(deps).open(server);
    const client = oauth === undefined ? server.oauth : oauth === null ? null : clientOf(oauth);
    const hasNewSecrets = headers !== undefined || oauth !== undefined;
    const isMoved = !isSameDestination(server, { ...server, url, oauth: client });
    const missing = missingSecret(server, patch, kept === null && (hasNewSecrets || isMoved));
    if (missing !== null) return requiredAgain(missing);
    const entry = {
      ...server,
      ...plain,
      headers: headers ?? kept?.headers ?? {},
      oauth: oauth === undefined ? withSecret(server.oauth, kept?.clientSecret ?? null) : oauth,
    };
    const usable = checked(entry, server);
    if (!usable.ok) return usable;
    const secrets = { headers: entry.headers, clientSecret: entry.oauth?.clientSecret ?? null };
    const moved = url !== server.url;
    const values: ServerChange = {
      ...plain,
      ...(headers !== undefined && { headerNames: Object.keys(headers) }),
      ...(oauth !== undefined && { oauth: client }),
      // Resealed only if changed: a seal that can't be opened now must not be lost.
      ...((hasNewSecrets || isMoved) && {
        sealed: await seal({ ...server, url, oauth: client }, secrets),
      }),
      ...((hasNewSecrets || moved) && { status: "active" }),
      ...(moved || oauth !== undefined
        ? { learned: moved ? {} : withoutOauth(server.learned) }
        : {}),
    };
    return servers.update(server.tenantId, server.id, values, {
      now: deps.now(),
      ifVersion,
      calendar: calendarOf(policy.timeZone, deps.now()),
      tokens: moved || oauth !== undefined ? "forget" : "keep",
      event: eventOf(deps, actor, {
        action: "server.update",
        tenantId: server.tenantId,
        target: server.id,
        detail: { changed: Object.keys(patch), ...(moved && { url }) },
      }),
    });
  };

  return {
    async create(actor: Actor, slug: string, input: ServerInput): AsyncResult<McpServer> {
      const tenant = await tenantFor(deps, actor, slug);
      if (!tenant.ok) return tenant;
      const usable = checked(input, null);
      if (!usable.ok) return usable;
      const { headers, oauth, ...rest } = input;
      const at = deps.now();
      const server: McpServer = {
        id: deps.ids.next("server"),
        tenantId: tenant.value.id,
        ...rest,
        headerNames: Object.keys(headers),
        oauth: oauth === null ? null : clientOf(oauth),
        learned: {},
        status: "active",
        createdAt: at,
        updatedAt: at,
      };
      const secrets = { headers, clientSecret: oauth?.clientSecret ?? null };
      const created = await servers.create(
        { ...server, sealed: await seal(server, secrets) },
        eventOf(deps, actor, {
          action: "server.create",
          tenantId: server.tenantId,
          target: server.id,
          detail: { slug: input.slug, url: input.url, sampling: input.sampling },
        }),
      );
      if (created.ok) return ok(server);
      return created.error.reason === "conflict"
        ? err({ reason: "conflict", detail: `A server "${input.slug}" exists already.` })
        : created;
    },

    async list(actor: Actor, slug: string, page: PageRequest): AsyncResult<Page<McpServer>> {
      const tenant = await tenantFor(deps, actor, slug);
      return tenant.ok ? servers.list(tenant.value.id, page) : tenant;
    },

    get: (actor: Actor, of: { tenant: string; server: string }): AsyncResult<McpServer> =>
      mapped(findServer(deps, actor, of), shownServer),

    update: (
      actor: Actor,
      of: { tenant: string; server: string },
      { ifMatch, patch }: { ifMatch: IfMatch; patch: ServerPatch },
    ): AsyncResult<McpServer> =>
      edit(ifMatch, {
        async read() {
          const tenant = await tenantFor(deps, actor, of.tenant);
          if (!tenant.ok) return tenant;
          const found = await findServer(deps, actor, of);
          if (!found.ok) return found;
          const { policy, version } = tenant.value;
          const current = { server: found.value, policy };
          return ok({ current, shown: shownServer(found.value), version });
        },
        async write({ server, policy }, ifVersion) {
          const changed = await change({ actor, server, policy, patch, ifVersion });
          if (!changed.ok) return changed;
          const again = await findServer(deps, actor, of);
          return again.ok ? ok(shownServer(again.value)) : again;
        },
      }),

    async remove(actor: Actor, of: { tenant: string; server: string }): AsyncResult<null> {
      const found = await findServer(deps, actor, of);
      if (!found.ok) return found;
      const { tenantId, id, slug } = found.value;
      const event = eventOf(deps, actor, {
        action: "server.delete",
        tenantId,
        target: id,
        detail: { slug },
      });
      // The entry goes last, so that a failed request can be repeated.
      const ended = await endGrantsFor(deps, tenantId, {
        kind: "server",
        tenant: of.tenant,
        server: slug,
      });
      return ended.ok ? servers.remove(tenantId, id, event) : ended;
    },
  };
}
