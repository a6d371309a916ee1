/**
 * The session that the router keeps with a legacy server for its modern clients: one for each API key, credential and set of
 * capabilities. The first request begins it, and later ones share it.
 */
import { bridgedDeclarations, personalHeaders } from "../../domain/servers/bridging.ts";
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";
import { sentBy } from "../../domain/servers/proxied-headers.ts";
import { isPerUser } from "../../domain/servers/server.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { isLegacy, latestLegacy } from "../../mcp/era.ts";
import { serverInfo } from "../../mcp/initialize.ts";
import { parsedId } from "../../mcp/json-text/exact-ids.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { derive, headersFor, sendOn, type Exchange } from "../exchange.ts";
import { dropBody } from "../first-answer.ts";
import { initializeServer, isRefused } from "../legacy/initialize.ts";
import { noteCancellations } from "../legacy/message.ts";
import type { BridgeServices } from "./services.ts";
import { learn } from "./era.ts";

const initializedText = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
const notifyMs = 15_000;

export function sessionHeaders(
  from: MessageHeaders,
  { upstreamId, revision }: Pick<Session, "upstreamId" | "revision">,
): Headers {
  const version = ["MCP-Protocol-Version", revision] as const;
  return headersFor(
    from,
    upstreamId === null ? [version] : [version, ["Mcp-Session-Id", upstreamId]],
  );
}

/** The exchange as a message in the session, if the session is still there. */
export function inSession(
  services: Pick<BridgeServices, "sessions">,
  exchange: Exchange,
  context: { session: Session; meta: ModernMeta; text: string; left: AbortSignal },
): Exchange {
  const { text, left } = context;
  // Without a session id, ids of the server's requests may repeat, so none is stored.
  const session =
    context.session.upstreamId === null
      ? null
      : { ...context.session, clientInfo: context.meta.clientInfo };
  const confirm = async (): Promise<Refusal | null> => {
    const there = session === null ? ok(session) : await services.sessions.findLive(session);
    if (!there.ok) return there.error;
    return session !== null && there.value === null ? { reason: "session_not_found" } : null;
  };
  return derive(exchange, {
    caller: (caller) => ({ ...caller, session }),
    confirm,
    message: { headers: sessionHeaders(exchange.headers, context.session), text },
    left,
  });
}

/** With parking, a server lists tools that ask in every session, but can only ask in sessions of parked calls. */
function declaredTo({ parking }: Exchange["server"], { capabilities }: ModernMeta): JsonObject {
  const elicitation = parking ? own(capabilities, "elicitation") : undefined;
  return {
    ...bridgedDeclarations(capabilities),
    ...(elicitation !== undefined && { elicitation }),
  };
}

/** Identifies the session by everything that the server learns about its client. */
async function bridgeKeyOf(
  services: Pick<BridgeServices, "sessions" | "sha256Hex">,
  exchange: Exchange,
  meta: ModernMeta,
): Promise<string> {
  const { server, headers, authorization } = exchange;
  const advertised = [
    server.url,
    server.sealed,
    server.oauth as unknown,
    server.forwardAuthorization ? authorization : null,
    personalHeaders(headers, sentBy(server.passHeaders)),
    declaredTo(server, meta),
    server.sampling,
    services.sessions.offerFor(exchange.caller.snapshot, server),
    server.supportedModalities,
    // Users with accounts of their own don't share sessions.
    ...(isPerUser(server) ? [exchange.caller.user?.id ?? null] : []),
  ];
  return services.sha256Hex(new TextEncoder().encode(JSON.stringify(advertised)));
}

const isNamed = ({ name, version }: JsonObject): boolean =>
  typeof name === "string" && typeof version === "string";

export async function beginLegacySession(
  services: Pick<
    BridgeServices,
    "background" | "callerMemory" | "deliver" | "retests" | "servers" | "sessions" | "upstream"
  >,
  exchange: Exchange,
  context: { meta: ModernMeta; key: string; parks?: true },
): Promise<Result<Session, Refusal>> {
  const { server, caller } = exchange;
  const { key, meta, parks } = context;
  const capabilities = declaredTo(server, meta);
  const clientInfo = isNamed(meta.clientInfo) ? meta.clientInfo : { ...serverInfo };
  const params = { protocolVersion: latestLegacy, capabilities, clientInfo };
  const id = "sampling-router-initialize";
  const text = JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
  const headers = headersFor(exchange.headers, []);
  const admitted = await services.sessions.admit(caller.snapshot, { capabilities, clientInfo });
  if (!admitted.ok) return admitted;
  const started = await initializeServer(
    services,
    derive(exchange, { message: { headers, text } }),
    params,
  );
  if (!started.ok) return started;
  const { first, advertised } = started.value;
  await dropBody(first);
  const initialized = own(first.answer, "result");
  const revision = own(initialized, "protocolVersion");
  if (!isObject(initialized) || typeof revision !== "string" || !isLegacy(revision)) {
    // The server may support only the other era by now.
    if (isRefused(first)) await learn(services, exchange, { era: undefined });
    return err(serverFailed("It began no session.", first.response.status));
  }
  const upstreamId = first.response.headers.get("Mcp-Session-Id");
  const stored = await services.sessions.beginWithServer(server, caller.snapshot.key.id, {
    revision,
    capabilities,
    clientInfo,
    upstreamId,
    advertisedCapabilities: advertised.capabilities,
    bridge: { to: "legacy", key, initialized, ...(parks && { parks }) },
  });
  if (!stored.ok) {
    await endAtServer(services, exchange, { upstreamId, revision });
    return stored;
  }
  const notified = await sendOn(services, exchange, {
    method: "POST",
    headers: sessionHeaders(exchange.headers, { upstreamId, revision }),
    body: initializedText,
    timeoutMs: notifyMs,
  });
  if (!notified.ok) {
    await endLegacySession(services, exchange, stored.value);
    return notified;
  }
  await notified.value.body?.cancel();
  return stored;
}

const endAtServer = (
  { deliver }: Pick<BridgeServices, "deliver">,
  { server, caller, headers, authorization }: Exchange,
  session: Pick<Session, "upstreamId" | "revision">,
): Promise<number> =>
  deliver({
    server,
    caller,
    method: "DELETE",
    headers: sessionHeaders(headers, session),
    authorization,
    body: null,
  });

/** Ends a session at the server too. The client may have left. */
export async function endLegacySession(
  services: Pick<BridgeServices, "deliver" | "sessions">,
  exchange: Exchange,
  session: Session,
): Promise<void> {
  await endAtServer(services, exchange, session);
  await services.sessions.end(session);
}

/** @param context `renew` is a session that its server has forgotten, and that is ended first */
export async function sessionFor(
  services: Pick<
    BridgeServices,
    | "background"
    | "callerMemory"
    | "deliver"
    | "retests"
    | "servers"
    | "sessions"
    | "sha256Hex"
    | "upstream"
  >,
  exchange: Exchange,
  context: { meta: ModernMeta; renew: Session | null },
): Promise<Result<{ session: Session; isNew: boolean }, Refusal>> {
  const key = await bridgeKeyOf(services, exchange, context.meta);
  const { renew } = context;
  if (renew !== null) {
    const ended = await services.sessions.end(renew);
    if (!ended.ok) return ended;
  }
  // Another request may have renewed it.
  const keyId = exchange.caller.snapshot.key.id;
  const found = await services.sessions.findBridged(exchange.server, keyId, key);
  if (!found.ok) return found;
  if (found.value !== null) return ok({ session: found.value, isNew: false });
  const stored = await beginLegacySession(services, exchange, { meta: context.meta, key });
  return stored.ok ? ok({ session: stored.value, isNew: true }) : stored;
}

/** Leaving cancels in the client's era. In the server's era that takes a message. */
export async function cancelInSession(
  services: BridgeServices,
  exchange: Exchange,
  context: { session: Session; meta: ModernMeta; messageId: string },
): Promise<void> {
  const text = JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: parsedId(context.messageId), reason: "The client has left." },
  });
  // Never aborted. A signal shared by all cancellations would keep a listener of each.
  const { signal: left } = new AbortController();
  const cancelling = inSession(services, exchange, { ...context, text, left });
  if (cancelling.body !== null) await noteCancellations(services, cancelling, cancelling.body);
  const { bytes } = cancelling;
  const notified = await sendOn(services, cancelling, { body: bytes, timeoutMs: notifyMs });
  if (notified.ok) await notified.value.body?.cancel();
}
