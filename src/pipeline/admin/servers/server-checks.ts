import { err, ok } from "../../../domain/result.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import { needsAlways, olderServerHint, parkingSentence } from "../../../domain/servers/bridging.ts";
import { passedSentence } from "../../../domain/servers/proxied-headers.ts";
import {
  eraCorrection,
  serverCheckOf,
  type Probed,
  type ServerCheck,
} from "../../../domain/servers/server-check.ts";
import { unsealedSentence } from "../../../domain/servers/state-sealing.ts";
import type { UpstreamHeaders } from "../../servers/upstream-headers.ts";
import { findServer, type ServerAdminDeps } from "./servers.ts";

export type Probe = (url: string, headers: Record<string, string>) => Promise<Probed>;

const notAsked = { ok: false, status: null, era: null, name: null, tools: null };

export function createServerCheck(
  deps: ServerAdminDeps & { upstream: UpstreamHeaders; probe: Probe },
) {
  const { servers, upstream } = deps;
  return async function check(
    actor: Actor,
    of: { tenant: string; server: string },
  ): AsyncResult<ServerCheck> {
    const found = await findServer(deps, actor, of);
    if (!found.ok) return found;
    const server = found.value;
    const headers = await upstream.headersFor(server, null);
    const refusal = headers.ok ? null : headers.error;
    if (refusal !== null && refusal.reason !== "server_unauthorized") return err(refusal);
    const seen = headers.ok
      ? serverCheckOf(await deps.probe(server.url, headers.value))
      : { ...notAsked, detail: refusal?.detail ?? "" };
    const correction = eraCorrection(server.learned, seen);
    const { tenantId, id } = server;
    const { ok: isOk, detail, era, tools } = seen;
    const lastCheck = { at: deps.now(), ok: isOk, detail, era, tools };
    const learned = await servers.learn(tenantId, id, { ...correction, lastCheck });
    if (!learned.ok) return learned;
    if (!headers.ok) return ok(seen);
    const hints = [
      seen.status !== null && correction === null && needsAlways(server) ? olderServerHint : null,
      passedSentence(server.passHeaders),
      seen.era === "modern" ? unsealedSentence(server) : null,
      seen.era === "legacy" && server.parking ? parkingSentence : null,
    ].filter((hint) => hint !== null);
    const described = { ...seen, detail: [seen.detail, ...hints].join(" ") };
    if (described.status === null) return ok(described);
    const marked =
      described.status === 401
        ? await upstream.onUnauthorized(server, { caller: null, sent: headers.value })
        : server.status === "failing"
          ? await upstream.onAuthorized(server)
          : ok(null);
    return marked.ok ? ok(described) : marked;
  };
}
