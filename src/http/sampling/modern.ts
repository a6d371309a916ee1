import type { Refusal } from "../../domain/refusals.ts";
import { missingMetaWire, modernWireOf } from "../../mcp/faults.ts";
import { codecFor, supportedRevisions } from "../../mcp/era.ts";
import { encodeDiscover } from "../../mcp/initialize.ts";
import { resultMessage, type Incoming } from "../../mcp/jsonrpc.ts";
import { checkHeaders, decodeModernMeta, modernRevision } from "../../mcp/rev2026/codec.ts";
import type { ModernMessageServices } from "../sampling-services.ts";
import { createMessage, createMessageMethods } from "./create-message.ts";
import { arrivalOf, claimOf, type InboundMessage } from "./legacy.ts";
import { answer, refusalReply, type SingleReply } from "../../mcp/reply.ts";

export const unsupportedRevision = (requested: string): Refusal => ({
  reason: "unsupported_protocol_version",
  supported: supportedRevisions,
  requested: requested.slice(0, 50),
});

export async function handleModern(
  services: ModernMessageServices,
  inbound: InboundMessage,
  message: Incoming,
): Promise<SingleReply> {
  const id = message.kind === "request" ? message.id : null;
  const refused = (refusal: Refusal): SingleReply =>
    refusalReply(id, refusal, inbound.requestId, { wireOf: modernWireOf });
  const claim = claimOf(inbound, null);
  const reauthenticate = () => services.authenticate(claim, "database");
  const isSampling = message.kind === "request" && createMessageMethods.includes(message.method);
  const caller = await services.authenticate(claim, isSampling ? "memory" : "database");
  if (!caller.ok) return refused(caller.error);
  const header = inbound.headers.get("MCP-Protocol-Version");
  const unsupported = (requested: string): SingleReply => refused(unsupportedRevision(requested));
  // Modern callers receive no requests, and cancel by disconnecting.
  if (message.kind !== "request")
    return header === null || header === modernRevision
      ? { kind: "accepted" }
      : unsupported(header);
  const meta = decodeModernMeta(message.params);
  const requested = meta.ok ? meta.value.revision : header;
  if (requested !== null && requested !== modernRevision) return unsupported(requested);
  if (!meta.ok)
    return refusalReply(id, meta.error, inbound.requestId, { wireOf: () => missingMetaWire });
  const { method, params } = message;
  const headers = checkHeaders(inbound.headers, { revision: meta.value.revision, method });
  if (!headers.ok) return refused(headers.error);
  const codec = codecFor(modernRevision);
  if (isSampling && codec !== null)
    return createMessage(services, {
      id: message.id,
      params,
      codec,
      caller: caller.value,
      reauthenticate,
      capabilitiesOf: () => meta.value.capabilities,
      clientInfo: meta.value.clientInfo,
      headers: inbound.headers,
      arrival: arrivalOf(inbound, services.elapsed()),
      cancelsOnDisconnect: true,
    });
  if (method !== "server/discover")
    return refused({ reason: "method_not_found", method: method.slice(0, 100) });
  const supported = services.sessions.capabilitiesFor(
    caller.value.snapshot,
    meta.value.capabilities,
  );
  return answer(resultMessage(message.id, encodeDiscover(supportedRevisions, supported)), {
    "X-Request-Id": inbound.requestId,
  });
}
