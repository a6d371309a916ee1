/** A legacy client of a modern server. The router serves the client's session, and proxies each request as a modern one. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { bridgedMethods, bridgedOffers, notCrossing } from "../../domain/servers/bridging.ts";
import { own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { initializeResultOf } from "../../mcp/translate/discovery.ts";
import { isFaithful } from "../../mcp/body.ts";
import { negotiate } from "../../mcp/era.ts";
import { decodeInitialize } from "../../mcp/initialize.ts";
import { resultMessage } from "../../mcp/jsonrpc.ts";
import { requestsIn, type ProxiedRequest } from "../../mcp/message.ts";
import { refuse, type Exchange } from "../exchange.ts";
import { noteCancellations } from "../legacy/message.ts";
import { keepAnswer } from "./ask-client.ts";
import { carryToModern } from "./carry-to-modern.ts";
import { listenToModern } from "./listen-to-modern.ts";
import { answerForSession } from "./session-requests.ts";
import type { BridgeServices } from "./services.ts";

const jsonReply = (message: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(message, { headers });

/** Answers an admitted `initialize` from the server's `server/discover` result. */
export async function beginTowardsModern(
  services: Pick<BridgeServices, "ids" | "sessions">,
  exchange: Exchange,
  { request, discovered }: { request: ProxiedRequest; discovered: JsonObject },
): Promise<ClientAnswer> {
  const { server, caller, requestId } = exchange;
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    refuse(refusal, { id: request.id, requestId });
  const call = decodeInitialize(request.params);
  if (!call.ok) return refused(call.error);
  const { requestedRevision, capabilities, clientInfo } = call.value;
  const revision = negotiate(requestedRevision);
  const stored = await services.sessions.beginWithServer(server, caller.snapshot.key.id, {
    revision,
    capabilities,
    clientInfo,
    upstreamId: services.ids.next("session"),
    advertisedCapabilities: null,
    bridge: {
      to: "modern",
      paramHeaders: null,
      offers: bridgedOffers(own(discovered, "capabilities")),
    },
  });
  if (!stored.ok) return refused(stored.error);
  return jsonReply(
    resultMessage(request.id, initializeResultOf(discovered, { revision, slug: server.slug })),
    { "Mcp-Session-Id": stored.value.upstreamId ?? "" },
  );
}

export async function bridgeToModern(
  services: BridgeServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { method, body, requestId } = exchange;
  const refused = (refusal: Refusal, request: ProxiedRequest | null): Promise<ClientAnswer> =>
    refuse(refusal, { id: request?.id ?? null, requestId });
  // Read again, because another isolate may have ended the session, which the server behind it doesn't know.
  const remembered = exchange.caller.session;
  const found = remembered === null ? ok(null) : await services.sessions.findLive(remembered);
  if (!found.ok) return refused(found.error, null);
  const session = found.value;
  if (session === null) return refused({ reason: "session_not_found" }, null);
  if (method === "GET") return listenToModern(services, exchange, session);
  if (method === "DELETE") {
    const ended = await services.sessions.end(session);
    return ended.ok ? new Response(null, { status: 200 }) : refused(ended.error, null);
  }
  if (body === null || !isFaithful(exchange)) return refused({ reason: "parse_error" }, null);
  services.background(services.sessions.touch(exchange.caller));
  await noteCancellations(services, exchange, body);
  const fault = await keepAnswer(services, exchange, session);
  if (fault !== null) return refused(fault, null);
  const [request, ...more] = requestsIn(body);
  if (request === undefined) return new Response(null, { status: 202 });
  if (body.batch || more.length > 0) {
    const detail = "This server speaks another revision, in which nothing is sent in batches.";
    return refused({ reason: "invalid_request", detail }, request);
  }
  if (request.method === "ping") return jsonReply(resultMessage(request.id, {}));
  const kept = await answerForSession(services, exchange, { session, request });
  if (kept !== null) return kept;
  if (!bridgedMethods.includes(request.method))
    return refused(notCrossing(request.method, "legacy"), request);
  return carryToModern(services, exchange, { request, session });
}
