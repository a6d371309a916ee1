/** The legacy era through the proxy. */
import type { Refusal } from "../../domain/refusals.ts";
import { errorMessage, type RequestId } from "../../mcp/jsonrpc.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { requestsIn, type ProxiedBody } from "../../mcp/proxy/message.ts";
import type { Services } from "../context.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";
import { proxyInitialize } from "./initialize.ts";
import { isEventStream, isJson, passOn, relayEvents, relayJson, type Relaying } from "./relay.ts";
import { createTaker } from "./take.ts";

/** ms until a server's headers: it may hold them back until a tool has ended. */
const headersMs = 300_000;

/** The client takes requests back: their provider calls end, wherever they run. */
async function noteCancellations(
  services: Services,
  { caller: { session } }: ProxyArrived,
  { messages }: ProxiedBody,
): Promise<void> {
  for (const message of messages) {
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") continue;
    const { requestId } = message.params;
    if (session === null || (typeof requestId !== "string" && typeof requestId !== "number"))
      continue;
    const { tenantId, id: sessionId } = session;
    // Out of reach: the server hears of it all the same, and may take its own request back.
    await services.cancellation.cancel({
      tenantId,
      sessionId,
      messageId: JSON.stringify(requestId),
    });
  }
}

/** What the client asked that the answering stream belongs to: the one request, and its tool. */
function streamOf(body: ProxiedBody | null): { answers: RequestId | null; tool: string | null } {
  const [request, ...more] = body === null ? [] : requestsIn(body);
  if (request === undefined || more.length > 0) return { answers: null, tool: null };
  const { name } = request.params;
  const tool =
    request.method === "tools/call" && typeof name === "string" ? name.slice(0, 200) : null;
  return { answers: request.id, tool };
}

export async function proxyLegacy(services: Services, arrived: ProxyArrived): Promise<Response> {
  const { server, method, headers, authorization, bytes, body, requestId } = arrived;
  const [request] = body === null ? [] : requestsIn(body);
  if (body?.batch === false && request?.method === "initialize")
    return proxyInitialize(services, arrived, request);
  const refused = (refusal: Refusal): Promise<Response> =>
    refuse(refusal, { id: request?.id ?? null, requestId });
  if (body !== null) await noteCancellations(services, arrived, body);
  const sent = await services.upstream({
    server,
    method,
    headers,
    authorization,
    body: method === "POST" ? bytes : null,
    signal: arrived.left,
    timeoutMs: headersMs,
  });
  if (!sent.ok) return refused(sent.error);
  const response = sent.value;
  const { session } = arrived.caller;
  if (method === "DELETE" && response.ok && session !== null) await services.sessions.end(session);
  if (server.sampling === "client" || !response.ok || method === "DELETE") return passOn(response);
  const stream = streamOf(body);
  const relaying: Relaying = {
    taker: createTaker(services, arrived, stream),
    broken() {
      const refusal: Refusal = {
        reason: "server_failed",
        serverStatus: response.status,
        detail: "Its stream broke off.",
      };
      return stream.answers === null
        ? null
        : errorMessage(stream.answers, refusal, legacyWireOf(refusal).code, requestId);
    },
  };
  if (isEventStream(response)) return relayEvents(response, relaying);
  if (method !== "POST" || !isJson(response)) return passOn(response);
  const relayed = await relayJson(response, relaying);
  return relayed instanceof Response ? relayed : refused(relayed);
}
