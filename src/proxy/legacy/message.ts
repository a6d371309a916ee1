/** The legacy era through the proxy. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import { streamKeys } from "../../domain/sampling/replay-key.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { isSamplingAnswer } from "../../domain/sampling/rounds.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { type RequestId, isId, parsedId, parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { errorMessage } from "../../mcp/jsonrpc.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { requestsIn, toolIn, type ProxiedBody } from "../../mcp/message.ts";
import { renewStreamMs } from "./streams.ts";
import type { LegacyServices } from "./services.ts";
import { refuse, sendOn, type Exchange } from "../exchange.ts";
import { openRouterStream } from "./router-stream.ts";
import { openClientGetStream } from "./client-get-stream.ts";
import { createLosses } from "../losses.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { isJson, streamsAnswer } from "../media-type.ts";
import { passOn } from "../pass-on.ts";
import { relayEvents, relayJson, type Relaying } from "./relay.ts";
import type { AskingStream } from "./answer-sampling.ts";
import { createInterceptor } from "./sampling-interceptor.ts";

/** The client cancels requests of its own, so their provider calls end, wherever they run. */
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
    // Where the database is out of reach, the server still gets the cancellation, and may cancel
    // its own request.
    await services.cancellation.cancel({
      tenantId,
      sessionId,
      messageId: await messageKey(services, JSON.stringify(requestId)),
    });
  }
}

/**
 * The official servers number their requests, and take a text that reads as the number for the same id. A server may
 * also read a number as a double.
 */
function idsMeant(id: unknown): RequestId[] {
  if (!isId(id)) return [];
  if (typeof id === "number") return [id];
  const digits = typeof id === "string" ? id : id.rawJSON;
  const numbers = [Number(digits), parsedId(digits)];
  return [id, ...numbers.filter((each) => isId(each) && typeof each !== "string")] as RequestId[];
}

/**
 * Whether a body answers a request that the router intercepted, by guessing its id. Such a body goes no
 * further, also as a batch.
 */
async function answersForRouter(
  services: Pick<LegacyServices, "idempotency" | "now" | "sha256Hex">,
  { caller: { session }, server: { sampling }, text, method }: Exchange,
): Promise<boolean> {
  if (session === null || sampling === "client" || method !== "POST") return false;
  // Most messages answer nothing.
  if (!/"result"|"error"|\\u/.test(text)) return false;
  const { tenantId, keyId, serverId } = session;
  for (const value of [parsedMessages(text)].flat()) {
    const [result, error] = [own(value, "result"), own(value, "error")];
    // Also where a method stands beside it: the server decides which of the two counts.
    if (result === undefined && error === undefined) continue;
    // A client that is never asked to sample has no sampling answers to give. A refused request
    // left no record by which its answer could be known.
    if (sampling !== "client-then-router" && isSamplingAnswer(result)) return true;
    for (const id of idsMeant(own(value, "id"))) {
      const keys = streamKeys(session.id, await messageKey(services, JSON.stringify(id)));
      const context = { tenantId, keyId, serverId, keys };
      const taken = await services.idempotency.isTaken(context, services.now());
      if (taken.ok && taken.value) return true;
    }
  }
  return false;
}

/** The request of the client that a stream answers, if it is one, and the tool that it calls. */
function streamOf(
  body: ProxiedBody | null,
  release: () => void,
): { stream: AskingStream; ended: () => void } {
  const [request, ...more] = body === null ? [] : requestsIn(body);
  const alone = more.length > 0 ? undefined : request;
  let isOpen = true;
  return {
    stream: {
      answers: alone?.id ?? null,
      tool: alone === undefined ? null : toolIn(alone),
      isOpen: () => isOpen,
    },
    ended() {
      isOpen = false;
      release();
    },
  };
}

const idsIn = (body: ProxiedBody | null): RequestId[] =>
  body === null ? [] : requestsIn(body).map(({ id }) => id);

/** What has to be done when a stream ends, and what renews the stream's claim while the stream is open. */
function watched(
  services: Pick<LegacyServices, "background" | "streams">,
  { caller: { session } }: Exchange,
): () => void {
  if (session === null) return () => undefined;
  services.background(services.streams.clientHolds(session));
  const renewing = setInterval(
    () => services.background(services.streams.clientHolds(session)),
    renewStreamMs,
  );
  return () => {
    clearInterval(renewing);
    services.background(services.streams.clientReleases(session));
  };
}

/** The client asked for a GET stream and got none. */
function noteNoStream(
  { streams, background }: Pick<LegacyServices, "background" | "streams">,
  session: Session,
  status: number,
): void {
  if (status === 405) streams.isNotOffered(session);
  // Somebody else holds the stream, and the server has said so.
  else if (status !== 409) background(streams.clientReleases(session));
}

/** Every message but an `initialize`, which `initialize.ts` knows. */
export async function proxyLegacy(
  services: LegacyServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { server, method, body, requestId } = exchange;
  const { session } = exchange.caller;
  const [request] = body === null ? [] : requestsIn(body);
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    refuse(refusal, { id: request?.id ?? null, requestId });
  const { sessions, background } = services;
  if (!sessions.isFresh(exchange.caller)) background(sessions.touch(exchange.caller));
  if (body !== null) {
    await noteCancellations(services, exchange, body);
    if (await answersForRouter(services, exchange)) return new Response(null, { status: 202 });
  }
  if (request !== undefined && session?.bridge === null)
    await services.streams.untilOpenedElsewhere(session, exchange.left);
  const closeRouterStream = await openRouterStream(services, exchange, request?.method);
  const open = (): ReturnType<typeof sendOn> =>
    sendOn(services, exchange, method === "POST" ? exchange.bytes : null, exchange.left);
  const sent = await (method === "GET" ? openClientGetStream(services, exchange, open) : open());
  if (!sent.ok) {
    closeRouterStream();
    if (method === "GET" && session !== null) background(services.streams.clientReleases(session));
    return refused(sent.error);
  }
  const response = sent.value;
  if (method === "DELETE" && response.ok && session !== null) await services.sessions.end(session);
  const untouched = server.sampling === "client";
  const streams = streamsAnswer(response);
  const looksIn = streams || (response.ok && method === "POST" && isJson(response) && !untouched);
  if (method === "DELETE" || !looksIn) {
    closeRouterStream();
    if (method === "GET" && session !== null) noteNoStream(services, session, response.status);
    return passOn(response);
  }
  const release = method === "GET" ? watched(services, exchange) : closeRouterStream;
  const { stream, ended } = streamOf(body, release);
  const relaying: Relaying = {
    interceptor: untouched ? null : createInterceptor(services, exchange, stream),
    losses: untouched
      ? null
      : createLosses(services, { requestId, ids: idsIn(body), era: "legacy" }),
    ended,
    owner: exchange.owner,
    broken() {
      const refusal = serverFailed("Its stream broke off.", response.status);
      return stream.answers === null || untouched
        ? null
        : errorMessage(stream.answers, refusal, legacyWireOf(refusal).code, requestId);
    },
  };
  if (streams) return relayEvents(response, relaying);
  const relayed = await relayJson(response, relaying);
  ended();
  return "reason" in relayed ? refused(relayed) : relayed;
}
