import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import { streamKeyPrefix } from "../../domain/sampling/replay-key.ts";
import { isSamplingAnswer } from "../../domain/sampling/rounds.ts";
import { isJson, streamsAnswer } from "../../domain/servers/media-type.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { type RequestId, isId, parsedId, parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { requestsIn, toolIn, type ProxiedBody } from "../../mcp/message.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { refuse, sendOn, type Exchange } from "../exchange.ts";
import { passOn } from "../pass-on.ts";
import type { LegacyServices } from "./services.ts";
import { openClientGetStream } from "./client-get-stream.ts";
import { relayAnswer } from "./relay.ts";
import { openRouterStream } from "./router-stream.ts";
import { renewStreamMs } from "./streams.ts";

export async function noteCancellations(
  services: Pick<LegacyServices, "cancellation" | "sha256Hex">,
  { caller: { session } }: Exchange,
  { messages }: ProxiedBody,
): Promise<void> {
  for (const message of messages) {
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") continue;
    const { requestId } = message.params;
    if (session === null || !isId(requestId)) continue;
    const { tenantId, id: sessionId } = session;
    // If the database is unreachable, the server still gets the cancellation, and may cancel its own request.
    await services.cancellation.cancel({
      tenantId,
      sessionId,
      messageId: await messageKey(services, JSON.stringify(requestId)),
    });
  }
}

/** Every id that a server might read: official servers accept "1" for 1, and some read numbers as doubles. */
function idsMeant(id: unknown): RequestId[] {
  if (!isId(id)) return [];
  if (typeof id === "number") return [id];
  const digits = typeof id === "string" ? id : id.rawJSON;
  const numbers = [Number(digits), parsedId(digits)];
  return [id, ...numbers.filter((each) => isId(each) && typeof each !== "string")] as RequestId[];
}

/** Whether a client's message answers a request that the router intercepted, for example by guessing its id. */
async function answersForRouter(
  services: Pick<LegacyServices, "idempotency" | "now" | "sha256Hex">,
  { caller: { session }, server: { sampling }, text, method }: Exchange,
): Promise<boolean> {
  if (session === null || sampling === "client" || method !== "POST") return false;
  if (!/"result"|"error"|\\u/.test(text)) return false;
  const { tenantId, keyId, serverId } = session;
  for (const value of [parsedMessages(text)].flat()) {
    const [result, error] = [own(value, "result"), own(value, "error")];
    // Also with a method: the server decides which of the two counts.
    if (result === undefined && error === undefined) continue;
    // A client that is never asked to sample has no sampling answers. A refused request left no record to find.
    if (sampling !== "client-then-router" && isSamplingAnswer(result)) return true;
    for (const id of idsMeant(own(value, "id"))) {
      const keyPrefix = streamKeyPrefix(session.id, await messageKey(services, JSON.stringify(id)));
      const context = { tenantId, keyId, serverId, keyPrefix };
      const taken = await services.idempotency.isPrefixTaken(context, services.now());
      if (taken.ok && taken.value) return true;
    }
  }
  return false;
}

/** Renews the claim of the client's GET stream until the returned function is called. */
export function claimClientStream(
  services: Pick<LegacyServices, "background" | "streams">,
  session: Session,
): () => void {
  const claim = (): void => services.background(services.streams.clientHolds(session));
  claim();
  const renewing = setInterval(claim, renewStreamMs);
  return () => {
    clearInterval(renewing);
    services.background(services.streams.clientReleases(session));
  };
}

function noteNoStream(
  { streams, background }: Pick<LegacyServices, "background" | "streams">,
  session: Session,
  status: number | null,
): void {
  if (status === 405) streams.isNotOffered(session);
  // With 409, another holder has the stream.
  else if (status !== 409) background(streams.clientReleases(session));
}

async function proxyGet(services: LegacyServices, exchange: Exchange): Promise<ClientAnswer> {
  const { session } = exchange.caller;
  const sent = await openClientGetStream(services, exchange);
  if (sent.ok && streamsAnswer(sent.value)) {
    let isOpen = true;
    const release = session === null ? null : claimClientStream(services, session);
    return relayAnswer(services, exchange, {
      response: sent.value,
      stream: { answers: null, tool: null, isOpen: () => isOpen },
      ended() {
        isOpen = false;
        release?.();
      },
    });
  }
  if (session !== null) noteNoStream(services, session, sent.ok ? sent.value.status : null);
  return sent.ok
    ? passOn(sent.value)
    : refuse(sent.error, { id: null, requestId: exchange.requestId });
}

export async function proxyLegacy(
  services: LegacyServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { server, method, body, requestId } = exchange;
  const { session } = exchange.caller;
  const { sessions, background } = services;
  if (!sessions.wasJustUsed(exchange.caller)) background(sessions.touch(exchange.caller));
  if (body !== null) {
    await noteCancellations(services, exchange, body);
    if (await answersForRouter(services, exchange)) return new Response(null, { status: 202 });
  }
  if (method === "GET") return proxyGet(services, exchange);
  const [request, ...more] = body === null ? [] : requestsIn(body);
  const closeRouterStream = await openRouterStream(services, exchange, request?.method);
  const sent = await sendOn(services, exchange, {
    body: method === "POST" ? exchange.bytes : null,
  });
  if (!sent.ok) {
    closeRouterStream?.();
    return refuse(sent.error, { id: request?.id ?? null, requestId });
  }
  const response = sent.value;
  if (method === "DELETE" && response.ok && session !== null) await sessions.end(session);
  const isRead =
    streamsAnswer(response) || (response.ok && isJson(response) && server.sampling !== "client");
  if (method === "DELETE" || !isRead) {
    closeRouterStream?.();
    return passOn(response);
  }
  let isOpen = true;
  const alone = more.length > 0 ? undefined : request;
  return relayAnswer(services, exchange, {
    response,
    stream: {
      answers: alone?.id ?? null,
      tool: alone === undefined ? null : toolIn(alone),
      isOpen: () => isOpen,
    },
    ended() {
      isOpen = false;
      closeRouterStream?.();
    },
  });
}
