import type { AsyncResult } from "../../domain/refusals.ts";
import { supportedModalities, supports } from "../../domain/sampling/capabilities.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { SessionStore, Snapshot } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import { parkedLeaseMs } from "../../domain/tenancy/parked.ts";
import { problemWithSize, storedClientInfo } from "../../domain/tenancy/session-limits.ts";
import type { HostedCapabilities, RouterCapabilities } from "../../domain/servers/offer.ts";
import type { McpServer } from "../../domain/servers/server.ts";
import { modalities } from "../../domain/modality.ts";
import type { BridgeChange, Session } from "../../domain/tenancy/session.ts";
import type { Caller } from "../callers/authenticate.ts";
import type { CallerMemory } from "../callers/caller-memory.ts";
import type { Chooser } from "./choice/choose.ts";

/** ms between updates of `lastUsedAt` by messages without sampling. */
const touchIntervalMs = 60_000;

export function createSessions(deps: {
  sessions: SessionStore;
  chooser: Chooser;
  memory: Pick<CallerMemory, "get" | "amend">;
  ids: Ids;
  now: () => number;
  sessionTtlMs: number;
}) {
  const { sessions, chooser, memory, ids, now, sessionTtlMs } = deps;

  const store = async (
    given: Session,
    write: (session: Session) => AsyncResult<null>,
  ): AsyncResult<Session> => {
    const problem = problemWithSize(given);
    if (problem !== null) return err(problem);
    const session = { ...given, clientInfo: storedClientInfo(given.clientInfo) };
    const written = await write(session);
    return written.ok ? ok(session) : written;
  };

  return {
    offerFor(snapshot: Snapshot, { policy }: Pick<McpServer, "policy">): RouterCapabilities {
      const { able } = chooser.poolFor(snapshot);
      const outputs = modalities.filter((modality) => able.outputs.has(modality));
      if (outputs.length === 0 || policy.disabled === true) return null;
      return { tools: able.tools, supportedModalities: outputs };
    },

    capabilitiesFor(snapshot: Snapshot, capabilities: JsonObject): HostedCapabilities {
      const { able } = chooser.poolFor(snapshot);
      const offered = {
        supportedModalities: modalities.filter((modality) => able.outputs.has(modality)),
        tools: able.tools,
        context: false,
      };
      const declared = supports(capabilities, "sampling") ? supportedModalities(capabilities) : [];
      return {
        supportedModalities: declared.filter((modality) => able.outputs.has(modality)),
        tools: supports(capabilities, "sampling.tools") && able.tools,
        context: false,
        offered,
      };
    },

    async begin(
      snapshot: Snapshot,
      negotiated: { revision: string; capabilities: JsonObject; clientInfo: JsonObject },
    ): AsyncResult<Session> {
      const at = now();
      const session = {
        id: ids.next("session"),
        tenantId: snapshot.tenant.id,
        keyId: snapshot.key.id,
        ...negotiated,
        serverId: null,
        upstreamId: null,
        advertisedCapabilities: null,
        bridge: null,
        clientStreamUntil: null,
        routerStreamUntil: null,
        parkedUntil: null,
        createdAt: at,
        lastUsedAt: at,
        expiresAt: at + sessionTtlMs,
      };
      return store(session, sessions.begin);
    },

    /** Checks sizes and limits before the server is asked to start a session. */
    async admit(
      { tenant, key }: Pick<Snapshot, "tenant" | "key">,
      declared: Pick<Session, "capabilities" | "clientInfo">,
    ): AsyncResult<null> {
      const problem = problemWithSize(declared);
      if (problem !== null) return err(problem);
      return sessions.admit({ tenantId: tenant.id, keyId: key.id }, now());
    },

    /** If the server reuses a session's id, the new session replaces the old one. */
    async beginWithServer(
      server: McpServer,
      keyId: string,
      negotiated: Pick<
        Session,
        | "revision"
        | "capabilities"
        | "clientInfo"
        | "upstreamId"
        | "advertisedCapabilities"
        | "bridge"
      >,
    ): AsyncResult<Session> {
      const at = now();
      const session = {
        id: ids.next("session"),
        tenantId: server.tenantId,
        keyId,
        ...negotiated,
        serverId: server.id,
        clientStreamUntil: null,
        routerStreamUntil: null,
        parkedUntil: null,
        createdAt: at,
        lastUsedAt: at,
        expiresAt: at + sessionTtlMs,
      };
      return store(session, sessions.create);
    },

    wasJustUsed: ({ session }: Caller): boolean =>
      session === null || now() - session.lastUsedAt < touchIntervalMs,

    async touch({ session, memoryKey }: Caller): AsyncResult<null> {
      const at = now();
      if (session === null) return ok(null);
      // Another message may have updated `lastUsedAt` since the session was read.
      const latest = memory.get(memoryKey)?.session ?? session;
      if (at - Math.max(session.lastUsedAt, latest.lastUsedAt) < touchIntervalMs) return ok(null);
      // Otherwise every message would update the row until the session is read again.
      memory.amend(memoryKey, (remembered) => ({
        ...remembered,
        session: remembered.session && { ...remembered.session, lastUsedAt: at },
      }));
      return sessions.touch(session.tenantId, session.id, at, at + sessionTtlMs);
    },

    findBridged: (
      server: McpServer,
      keyId: string,
      bridgeKey: string,
    ): AsyncResult<Session | null> =>
      sessions.bridged({ tenantId: server.tenantId, keyId, serverId: server.id, bridgeKey }, now()),

    park: (session: Session): AsyncResult<null> =>
      sessions.park(session, { until: now() + parkedLeaseMs, now: now() }),

    stayParked: (tenantId: string, parked: readonly string[]): AsyncResult<null> =>
      sessions.stayParked(tenantId, parked, now() + parkedLeaseMs),

    /** Whether the process that keeps the session's parked call is alive. */
    async isParked({ tenantId, id }: Pick<Session, "tenantId" | "id">): AsyncResult<boolean> {
      const found = await sessions.get(tenantId, id);
      return found.ok ? ok((found.value?.parkedUntil ?? 0) > now()) : found;
    },

    async findLive({ tenantId, id }: Session): AsyncResult<Session | null> {
      const found = await sessions.get(tenantId, id);
      return found.ok && found.value !== null && found.value.expiresAt <= now() ? ok(null) : found;
    },

    amendBridge: ({ tenantId, id }: Session, change: BridgeChange): AsyncResult<null> =>
      sessions.amendBridge(tenantId, id, change),

    end: (session: Session): AsyncResult<boolean> =>
      sessions.end(session.tenantId, session.id, null),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
