/** Legacy messages: `initialize` starts a session, and all other messages belong to one. */
import { own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, type Result } from "../../domain/result.ts";
import type { CallSlot } from "../../domain/sampling/call-slot.ts";
import { codecFor, negotiate } from "../../mcp/era.ts";
import { decodeInitialize, encodeInitialize } from "../../mcp/initialize.ts";
import { type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { resultMessage, type Incoming } from "../../mcp/jsonrpc.ts";
import type { Arrival } from "../../pipeline/sampling/request/sampling-request.ts";
import type { Caller, Claim } from "../../pipeline/callers/authenticate.ts";
import type { LegacyMessageServices } from "../sampling-services.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { createMessage, createMessageMethods } from "./create-message.ts";
import { answer, refusalReply, type SingleReply } from "../../mcp/reply.ts";

export interface InboundMessage {
  token: string | null;
  tenant?: string;
  sessionId: string | null;
  headers: Pick<Headers, "get">;
  bytes: number;
  requestId: string;
  /** ms since the epoch */
  startedAt: number;
  /** the same time on the monotonic clock */
  monotonicStart: number;
  /** monotonic; after scheduling, and after the body was received */
  processingStart: number;
  /** `null` if each call waits for its own slot */
  slot: CallSlot | null;
}

export const arrivalOf = (
  { bytes, startedAt, monotonicStart, processingStart, slot }: InboundMessage,
  now: number,
): Arrival => ({ bytes, startedAt, monotonicStart, authMs: now - processingStart, slot });

export const claimOf = (
  { token, tenant }: Pick<InboundMessage, "token" | "tenant">,
  sessionId: string | null,
): Claim => ({
  token,
  sessionId,
  scope: "sampling",
  ...(tenant !== undefined && { tenant }),
});

async function initialize(
  services: LegacyMessageServices,
  inbound: InboundMessage,
  id: RequestId,
  params: JsonObject,
): Promise<SingleReply> {
  const refused = (refusal: Refusal): SingleReply => refusalReply(id, refusal, inbound.requestId);
  const caller = await services.authenticate(claimOf(inbound, null), "database");
  if (!caller.ok) return refused(caller.error);
  const call = decodeInitialize(params);
  if (!call.ok) return refused(call.error);
  const { requestedRevision, capabilities, clientInfo } = call.value;
  const revision = negotiate(requestedRevision);
  const { snapshot } = caller.value;
  const session = await services.sessions.begin(snapshot, { revision, capabilities, clientInfo });
  if (!session.ok) return refused(session.error);
  const known = codecFor(revision)?.capabilitiesOf(capabilities) ?? capabilities;
  const supported = services.sessions.capabilitiesFor(snapshot, known);
  return answer(resultMessage(id, encodeInitialize(revision, supported)), {
    "Mcp-Session-Id": session.value.id,
    "X-Request-Id": inbound.requestId,
  });
}

/** Only sampling may use a cached caller: admission verifies it in the database. */
async function inSession(
  services: LegacyMessageServices,
  inbound: InboundMessage,
  message: Extract<Incoming, { kind: "request" }>,
): Promise<SingleReply> {
  const { id, method, params } = message;
  const refused = (refusal: Refusal): SingleReply => refusalReply(id, refusal, inbound.requestId);
  const isSampling = createMessageMethods.includes(method);
  const authenticated = await authenticate(services, inbound, isSampling ? "memory" : "database");
  if (!authenticated.ok) return refused(authenticated.error);
  const caller = authenticated.value;
  const { session } = caller;
  if (session === null) return refused({ reason: "session_required" });
  const codec = codecFor(session.revision);
  if (codec === null) return refused({ reason: "session_not_found" });
  if (isSampling)
    return createMessage(services, {
      id,
      params,
      codec,
      caller,
      reauthenticate: () => authenticate(services, inbound, "database"),
      capabilitiesOf: (current) => current.session?.capabilities ?? {},
      clientInfo: session.clientInfo,
      headers: inbound.headers,
      arrival: arrivalOf(inbound, services.elapsed()),
      cancelsOnDisconnect: false,
    });
  const touched = await services.sessions.touch(caller);
  if (!touched.ok) return refused(touched.error);
  if (method === "ping")
    return answer(resultMessage(id, {}), { "X-Request-Id": inbound.requestId });
  return refused({ reason: "method_not_found", method: method.slice(0, 100) });
}

export function authenticate(
  services: Pick<LegacyMessageServices, "authenticate">,
  inbound: InboundMessage,
  freshness: "memory" | "database",
): Promise<Result<Caller, Refusal>> {
  const { token, sessionId } = inbound;
  const caller = services.authenticate(claimOf(inbound, sessionId), freshness);
  return token !== null && sessionId === null
    ? caller.then((found) => (found.ok ? err({ reason: "session_required" }) : found))
    : caller;
}

export async function handleLegacy(
  services: LegacyMessageServices,
  inbound: InboundMessage,
  message: Incoming,
): Promise<SingleReply> {
  if (message.kind === "request")
    return message.method === "initialize"
      ? initialize(services, inbound, message.id, message.params)
      : inSession(services, inbound, message);
  // Notifications and responses are acknowledged once the session is verified.
  const caller = await authenticate(services, inbound, "database");
  if (!caller.ok) return refusalReply(null, caller.error, inbound.requestId);
  const { session } = caller.value;
  if (message.kind === "notification" && message.method === "notifications/cancelled") {
    const requestId = own(message.params, "requestId");
    if (session !== null && (typeof requestId === "string" || typeof requestId === "number")) {
      const { tenantId, id: sessionId } = session;
      const messageId = await messageKey(services, JSON.stringify(requestId));
      const recorded = await services.cancellation.cancel({ tenantId, sessionId, messageId });
      if (!recorded.ok) return refusalReply(null, recorded.error, inbound.requestId);
    }
  }
  const touched = await services.sessions.touch(caller.value);
  return touched.ok ? { kind: "accepted" } : refusalReply(null, touched.error, inbound.requestId);
}
