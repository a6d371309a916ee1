/**
 * A legacy client's GET stream before a modern server, which is asked with `subscriptions/listen` for all that the client is to
 * be notified of. When that changes, the next request begins before the one before it ends, so that nothing is missed.
 */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { own } from "../../domain/json.ts";
import { everyChange, honoredBy, type SubscriptionFilter } from "../../domain/servers/bridging.ts";
import { streamsAnswer } from "../../domain/servers/media-type.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { messageIn } from "../../mcp/message.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import { eventsOf } from "../../mcp/server-answer.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import {
  acknowledgedMethod,
  isChange,
  listenMethod,
  listenText,
  withoutSubscription,
} from "../../mcp/translate/subscriptions.ts";
import { modernRequest } from "../../mcp/translate/to-modern.ts";
import { openClientReply, type ClientReply } from "../client-reply.ts";
import { derive, headersFor, refuse, type Exchange } from "../exchange.ts";
import { claimClientStream } from "../legacy/message.ts";
import { proxyModern } from "../modern/message.ts";
import { bridgedCaller } from "./relay.ts";
import type { BridgeServices } from "./services.ts";

/** Polling intervals in memory, and in the database for changes in other isolates. */
const tickMs = 200;
const ticksPerLook = 10;
/** ms until a server whose stream ended is asked again; longer each time */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];

interface Listening {
  /** the server notifies from now on, or refuses to */
  begun: Promise<void>;
  hasEnded: () => boolean;
  stop: () => void;
}

export function filterOf({ bridge }: Session): SubscriptionFilter {
  if (bridge?.to !== "modern") return {};
  const uris = Object.keys(bridge.subscribed ?? {});
  const wanted = uris.length === 0 ? everyChange : { ...everyChange, resourceSubscriptions: uris };
  return honoredBy(bridge.offers, wanted);
}

const isEmpty = (filter: SubscriptionFilter): boolean => Object.keys(filter).length === 0;

export const mayListen = (session: Session): boolean =>
  session.bridge?.to === "modern" &&
  (!isEmpty(filterOf(session)) ||
    own(own(session.bridge.offers, "resources"), "subscribe") === true);

function listen(
  services: BridgeServices,
  exchange: Exchange,
  context: { session: Session; filter: SubscriptionFilter; reply: ClientReply; gone: AbortSignal },
): Listening {
  const { session, filter, reply, gone } = context;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const stop = new AbortController();
  const text = modernRequest(listenText(services.ids.next("question"), filter), {
    capabilities: {},
    clientInfo: session.clientInfo,
    logLevel: null,
  });
  const headers = headersFor(exchange.headers, [
    ["MCP-Protocol-Version", modernRevision],
    ["Mcp-Method", listenMethod],
  ]);
  const left = AbortSignal.any([gone, stop.signal]);
  const run = async (): Promise<void> => {
    const asked = derive(exchange, { caller: bridgedCaller, message: { headers, text }, left });
    const response = await proxyModern(services, { ...asked, method: "POST" });
    if (!streamsAnswer(response)) return response.body?.cancel();
    const { segments } = eventsOf(response, {
      mayNeedRouter: () => true,
      surelyHarmless: () => false,
    });
    for await (const segment of segments) {
      if (left.aborted) return;
      if (segment.kind !== "event") continue;
      const message = messageIn(parsedMessages(segment.data) ?? null);
      if (message.kind === "response") return;
      if (message.kind !== "notification") continue;
      if (message.method === acknowledgedMethod) begin();
      else if (isChange(message.method))
        await reply.write(sseMessageText(withoutSubscription(segment.data)));
    }
  };
  let hasEnded = false;
  services.background(
    run()
      .catch((thrown: unknown) => services.report(exchange.requestId, thrown))
      .finally(() => {
        hasEnded = true;
        begin();
      }),
  );
  return { begun, hasEnded: () => hasEnded, stop: () => stop.abort() };
}

/** Follows the session until its client leaves, it ends, or a newer stream of it begins. */
async function follow(
  services: BridgeServices,
  exchange: Exchange,
  { session: begun, reply, gone }: { session: Session; reply: ClientReply; gone: AbortSignal },
): Promise<void> {
  const { sessions, listeners, wait } = services;
  const { requestId } = exchange;
  const listener = listeners.begin(begun.id);
  let current: Listening | null = null;
  let session: Session | null = begun;
  let pauseMs = firstPauseMs;
  /** Waits for a reason to ask the server again. */
  const untilChanged = async (changes: number, asked: string): Promise<void> => {
    for (let tick = 1; !gone.aborted && listener.isCurrent(); tick += 1) {
      if (current?.hasEnded() === true) {
        await wait(pauseMs, gone);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        return;
      }
      await wait(tickMs, gone);
      if (listener.changes() !== changes) return;
      if (tick % ticksPerLook !== 0) continue;
      const found = await sessions.findLive(begun);
      if (found.ok) session = found.value;
      if (!isTheirs(session, requestId) || JSON.stringify(filterOf(session)) !== asked) return;
    }
  };
  try {
    await sessions.amendBridge(begun, { listener: requestId });
    while (!gone.aborted && listener.isCurrent()) {
      const changes = listener.changes();
      const found = await sessions.findLive(begun);
      if (found.ok) session = found.value;
      if (!isTheirs(session, requestId)) return;
      const filter = filterOf(session);
      const before: Listening | null = current;
      current = isEmpty(filter)
        ? null
        : listen(services, exchange, { session, filter, reply, gone });
      await current?.begun;
      before?.stop();
      listener.follow(changes);
      await untilChanged(changes, JSON.stringify(filter));
    }
  } finally {
    current?.stop();
    listener.end();
    reply.end();
  }
}

const isTheirs = (session: Session | null, requestId: string): session is Session =>
  session?.bridge?.to === "modern" && session.bridge.listener === requestId;

export function listenToModern(
  services: BridgeServices,
  exchange: Exchange,
  session: Session,
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  if (!mayListen(session))
    return refuse({ reason: "method_not_allowed", allow: "POST, DELETE" }, { id: null, requestId });
  const { reply, response, gone } = openClientReply({
    acceptsStream: true,
    left: exchange.left,
    owner: exchange.owner,
  });
  reply.begin({});
  const release = claimClientStream(services, session);
  services.background(
    follow(services, exchange, { session, reply, gone })
      .catch((thrown: unknown) => services.report(requestId, thrown))
      .finally(release),
  );
  return response;
}
