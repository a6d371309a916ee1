/** `POST /v1/sampling`, independent of the host. */
import { own } from "../../domain/json.ts";
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { ClientMessage } from "../../domain/ports/client-message.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { allowsBatch, isModern } from "../../mcp/era.ts";
import { parseEnvelope, type Envelope, type Incoming } from "../../mcp/jsonrpc.ts";
import { bytesToAdmit, isPlainUtf8, messageBounds, plainJson, readBody } from "../../mcp/body.ts";
import type { SamplingServices } from "../sampling-services.ts";
import { bearerOf } from "../../domain/tenancy/access.ts";
import { ambiguityInSlices, idToRefuse } from "../../mcp/json-text/ambiguous.ts";
import { authenticate, claimOf, handleLegacy, type InboundMessage } from "./legacy.ts";
import { handleModern } from "./modern.ts";
import { refusalReply, respond, type Reply, type SingleReply } from "../../mcp/reply.ts";
import { unscheduled } from "../../domain/sampling/call-slot.ts";
import { admitBody } from "../../pipeline/callers/body-allowance.ts";

const json = "application/json";
const eventStream = "text/event-stream";

const accepts = (header: string | null, type: string): boolean =>
  header === null ||
  header.split(",").some((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
    return range === type || range === "*/*" || range === `${type.split("/")[0]}/*`;
  });

/** Wildcards, such as curl's, get JSON. */
const namesStream = (header: string | null): boolean =>
  header !== null && header.toLowerCase().includes(eventStream) && accepts(header, eventStream);

const handle = (
  services: SamplingServices,
  inbound: InboundMessage,
  message: Incoming,
): Promise<SingleReply> => {
  const params = message.kind === "response" ? {} : message.params;
  const modern =
    isModern(params, inbound.headers.get("MCP-Protocol-Version")) &&
    !(
      message.kind === "request" &&
      message.method === "initialize" &&
      own(params, "_meta") === undefined
    );
  return (modern ? handleModern : handleLegacy)(services, inbound, message);
};

/** All calls of a batch start before any is awaited, so each releases its slot early. */
async function inOwnSlot(
  services: SamplingServices,
  inbound: InboundMessage,
  message: Extract<Envelope["messages"][number], { ok: true }>["value"],
): Promise<SingleReply> {
  if (message.kind !== "request") return handleLegacy(services, inbound, message);
  const { token, sessionId, requestId } = inbound;
  const entered = await services.callScheduler.enterFor({ token, sessionId });
  if (!entered.ok) return refusalReply(message.id, entered.error, requestId);
  try {
    return await handleLegacy(services, { ...inbound, slot: entered.value }, message);
  } finally {
    entered.value?.end();
  }
}

async function batchReply(
  services: SamplingServices,
  inbound: InboundMessage,
  messages: Envelope["messages"],
): Promise<Reply> {
  const caller = await authenticate(services, inbound, "database");
  if (!caller.ok) return refusalReply(null, caller.error, inbound.requestId);
  const revision = caller.value.session?.revision ?? "";
  const detail = `No batches in ${revision}.`;
  if (!allowsBatch(revision))
    return refusalReply(null, { reason: "invalid_request", detail }, inbound.requestId);
  const replies = await Promise.all(
    messages.map(async (message): Promise<SingleReply> => {
      if (!message.ok)
        return refusalReply(message.error.id, message.error.refusal, inbound.requestId);
      const { value } = message;
      if (value.kind === "request" && value.method === "initialize")
        return refusalReply(
          value.id,
          { reason: "invalid_request", detail: "initialize can't be part of a batch." },
          inbound.requestId,
        );
      return inOwnSlot(services, inbound, value);
    }),
  );
  return { kind: "batch", replies };
}

async function replyTo(
  services: SamplingServices,
  inbound: InboundMessage,
  { bytes, wasOfUse }: { bytes: Uint8Array<ArrayBuffer>; wasOfUse: () => void },
): Promise<Reply> {
  const { requestId, slot } = inbound;
  const envelope = parseEnvelope(bytes);
  if (!envelope.ok) return refusalReply(null, envelope.error, requestId);
  // Ambiguous duplicate keys are rejected, not interpreted.
  const ambiguity = await ambiguityInSlices(bytes, {
    sender: "caller",
    pause: services.callScheduler.pause,
  });
  if (ambiguity !== null)
    return refusalReply(idToRefuse(new TextDecoder().decode(bytes)), ambiguity, requestId);
  wasOfUse();
  if (envelope.value.batch) {
    // Calls of a batch have slots of their own.
    slot?.end();
    return batchReply(services, { ...inbound, slot: null }, envelope.value.messages);
  }
  const [message] = envelope.value.messages;
  if (message === undefined)
    return refusalReply(null, { reason: "invalid_request", detail: "Empty." }, requestId);
  return message.ok
    ? handle(services, inbound, message.value)
    : refusalReply(message.error.id, message.error.refusal, requestId);
}

/** What the headers require of the body, if it differs. */
function expectedInstead(headers: ClientMessage["headers"]): string | null {
  const type = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== json) return json;
  return isPlainUtf8(headers) ? null : plainJson;
}

export async function postSampling(
  services: SamplingServices,
  { request, requestId, tenant }: { request: ClientMessage; requestId: string; tenant?: string },
): Promise<ClientAnswer> {
  const { headers, signal } = request;
  const named = tenant === undefined ? {} : { tenant };
  const accept = headers.get("Accept");
  const acceptsStream = namesStream(accept);
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    respond(refusalReply(null, refusal, requestId), { acceptsStream, signal });
  const [startedAt, monotonicStart] = [services.now(), services.elapsed()];
  if (!accepts(accept, json) && !accepts(accept, eventStream))
    return refused({ reason: "not_acceptable", accept: `${json}, ${eventStream}` });
  const expected = expectedInstead(headers);
  if (expected !== null) return refused({ reason: "unsupported_media_type", expected });
  const token = bearerOf(headers.get("Authorization") ?? undefined);
  if (token === null)
    return refused({ reason: "unauthorized", detail: "Send Authorization: Bearer <API key>." });
  const claim = claimOf({ ...named, token }, null);
  const admitted = await admitBody(services, claim, bytesToAdmit(request));
  if (!admitted.ok) return refused(admitted.error);
  const sessionId = headers.get("Mcp-Session-Id");
  const entered = await services.callScheduler.enterFor({ token, sessionId });
  const slot = (entered.ok ? entered.value : null) ?? unscheduled;
  // Without a slot: clients may send slowly.
  const body = await slot.outside(() => readBody(request, messageBounds));
  if (!body.ok) {
    slot.end();
    return refused(body.error);
  }
  // Messages without an answer proceed, so that clients can cancel waiting calls.
  const id = entered.ok ? null : idToRefuse(new TextDecoder().decode(body.value));
  const inbound: InboundMessage = {
    ...named,
    token,
    sessionId,
    headers,
    bytes: body.value.byteLength,
    requestId,
    startedAt,
    monotonicStart,
    processingStart: services.elapsed(),
    slot: entered.ok ? entered.value : unscheduled,
  };
  let isRunning = false;
  try {
    const reply =
      entered.ok || id === null
        ? await replyTo(services, inbound, { bytes: body.value, wasOfUse: admitted.value })
        : refusalReply(id, entered.error, requestId);
    isRunning = reply.kind === "running";
    return await respond(reply, { acceptsStream, signal });
  } finally {
    // A running call releases its slot itself.
    if (!isRunning) slot.end();
  }
}
