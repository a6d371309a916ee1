/**
 * A modern client's `subscriptions/listen` before a legacy server: a session of its own, whose GET stream has the server's
 * notifications. The client's other requests share a session, in which subscriptions would reach each of its clients.
 */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import { honoredBy, type SubscriptionFilter } from "../../domain/servers/bridging.ts";
import { streamsAnswer, takesStream } from "../../domain/servers/media-type.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { modernWireOf } from "../../mcp/faults.ts";
import { parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { messageIn, type ProxiedRequest } from "../../mcp/message.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { eventsOf } from "../../mcp/server-answer.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import {
  acknowledgement,
  endedText,
  filterIn,
  isWanted,
  maxSubscriptions,
  withSubscription,
} from "../../mcp/translate/subscriptions.ts";
import { concludeRefused, openClientReply, type ClientReply } from "../client-reply.ts";
import { derive, refuse, sendOn, type Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";
import { proxyLegacy } from "../legacy/message.ts";
import {
  beginLegacySession,
  endLegacySession,
  inSession,
  sessionHeaders,
} from "./legacy-session.ts";
import type { BridgeServices } from "./services.ts";

const timeoutMs = 15_000;
/** ms until a stream that has ended is opened again; tries in a row */
const pauseMs = 1_000;
const maxTries = 5;

interface Listening {
  session: Session;
  meta: ModernMeta;
  reply: ClientReply;
  idText: string;
  gone: AbortSignal;
}

/** The server's GET stream; null: it has none. */
async function openStream(
  services: BridgeServices,
  exchange: Exchange,
  { session, meta, gone }: Listening,
): Promise<ClientAnswer | null> {
  const asked = inSession(services, exchange, { session, meta, text: "", left: gone });
  const headers = new Headers([...asked.headers]);
  headers.delete("Content-Type");
  headers.set("Accept", "text/event-stream");
  const response = await proxyLegacy(services, { ...asked, headers, method: "GET" });
  if (streamsAnswer(response)) return response;
  await response.body?.cancel();
  return null;
}

async function subscribes(
  services: BridgeServices,
  exchange: Exchange,
  { session, gone }: Listening,
  uri: string,
): Promise<boolean> {
  const id = services.ids.next("question");
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "resources/subscribe",
    params: { uri },
  });
  const headers = sessionHeaders(exchange.headers, session);
  const sent = await sendOn(services, exchange, {
    method: "POST",
    headers,
    body,
    signal: gone,
    timeoutMs,
  });
  if (!sent.ok) return false;
  const read = await readAnswer(sent.value);
  if (!read.ok) return false;
  await dropBody(read.value);
  return own(read.value.answer, "result") !== undefined;
}

/** Subscribes to what the server lets the router. @returns what it will notify of */
async function honored(
  services: BridgeServices,
  exchange: Exchange,
  listening: Listening,
  wanted: SubscriptionFilter,
): Promise<SubscriptionFilter> {
  const { resourceSubscriptions = [], ...lists } = wanted;
  const uris: string[] = [];
  for (const uri of resourceSubscriptions)
    if (await subscribes(services, exchange, listening, uri)) uris.push(uri);
  return uris.length === 0 ? lists : { ...lists, resourceSubscriptions: uris };
}

async function relayChanges(
  stream: ClientAnswer,
  { reply, idText, gone }: Listening,
  filter: SubscriptionFilter,
): Promise<boolean> {
  const { segments } = eventsOf(stream, { mayNeedRouter: () => true, surelyHarmless: () => false });
  let hasRead = false;
  for await (const segment of segments) {
    if (gone.aborted) break;
    if (segment.kind !== "event") continue;
    hasRead = true;
    const message = messageIn(parsedMessages(segment.data) ?? null);
    if (message.kind === "notification" && isWanted(message.method, filter))
      await reply.write(sseMessageText(withSubscription(segment.data, idText)));
  }
  return hasRead;
}

async function listen(
  services: BridgeServices,
  exchange: Exchange,
  listening: Listening,
  wanted: SubscriptionFilter,
): Promise<void> {
  const { session, reply, idText, gone } = listening;
  const offered = session.bridge?.to === "legacy" ? session.bridge.initialized : {};
  const possible = honoredBy(own(offered, "capabilities"), wanted);
  // Opened first, so that no update is missed after a subscription.
  let stream =
    Object.keys(possible).length === 0 ? null : await openStream(services, exchange, listening);
  const filter = stream === null ? {} : await honored(services, exchange, listening, possible);
  reply.begin({});
  await reply.write(sseMessageText(acknowledgement(filter, idText)));
  let tries = Object.keys(filter).length > 0 ? 0 : maxTries;
  while (!gone.aborted && tries < maxTries) {
    const hasRead =
      stream !== null && (await relayChanges(stream, listening, filter).catch(() => false));
    tries = hasRead ? 0 : tries + 1;
    if (!gone.aborted) await services.wait(pauseMs, gone);
    stream = gone.aborted ? null : await openStream(services, exchange, listening);
  }
  await stream?.body?.cancel();
  if (gone.aborted) return;
  // The client may ask again, and gets another session.
  await reply.write(sseMessageText(endedText(idText)));
  reply.end();
}

const checked = (
  exchange: Exchange,
  request: ProxiedRequest,
): Result<SubscriptionFilter, Refusal> => {
  const filter = filterIn(request.params);
  if (!takesStream(exchange.headers))
    return err({ reason: "not_acceptable", accept: "text/event-stream" });
  const detail = `A filter, of at most ${maxSubscriptions} resources.`;
  return filter === null
    ? err({ reason: "invalid_params", path: "notifications", detail })
    : ok(filter);
};

export async function listenToLegacy(
  services: BridgeServices,
  exchange: Exchange,
  { request, meta }: { request: ProxiedRequest; meta: ModernMeta },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const refused = { id: request.id, requestId, wireOf: modernWireOf };
  const filter = checked(exchange, request);
  if (!filter.ok) return refuse(filter.error, refused);
  const { reply, response, gone } = openClientReply({
    acceptsStream: true,
    left: exchange.left,
    owner: exchange.owner,
  });
  const carry = async (): Promise<void> => {
    const key = `listens ${requestId}`;
    const begun = await beginLegacySession(services, derive(exchange, { left: gone }), {
      meta,
      key,
    });
    if (!begun.ok) return concludeRefused(reply, begun.error, refused);
    const session = begun.value;
    const listening = { session, meta, reply, gone, idText: JSON.stringify(request.id) };
    try {
      await listen(services, exchange, listening, filter.value);
    } finally {
      await endLegacySession(services, exchange, session);
    }
  };
  services.background(
    carry().catch(async (thrown: unknown) => {
      services.report(requestId, thrown);
      await concludeRefused(reply, { reason: "internal" }, refused);
    }),
  );
  return response;
}
