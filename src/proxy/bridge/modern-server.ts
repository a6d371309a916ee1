/** A legacy client of a modern server. The router serves the client's session, and proxies each request as a modern one. */
import { responseOf, type ClientAnswer } from "../../domain/ports/client-answer.ts";
import { readBounded } from "../../domain/bounded-body.ts";
import { bridgedDeclarations, bridgedMethods } from "../../domain/servers/bridging.ts";
import { own, parsedJson, type JsonObject } from "../../domain/json.ts";
import { refusalTable, type Refusal } from "../../domain/refusals.ts";
import { takesStream } from "../../domain/servers/media-type.ts";
import { ok } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { initializeResultOf } from "../../mcp/translate/discovery.ts";
import { paramHeadersOf } from "../../mcp/translate/param-headers.ts";
import type { TranslatedMessage } from "../../mcp/translate/translated-message.ts";
import { translateFromModern, modernRequest } from "../../mcp/translate/to-modern.ts";
import { isFaithful } from "../../mcp/body.ts";
import { negotiate } from "../../mcp/era.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { decodeInitialize } from "../../mcp/initialize.ts";
import { resultMessage } from "../../mcp/jsonrpc.ts";
import { logLevelIn, logLevels } from "../../mcp/log-levels.ts";
import { requestsIn, type ProxiedRequest } from "../../mcp/message.ts";
import { modernRevision } from "../../mcp/rev2026/codec.ts";
import { headerText, nameIn } from "../../mcp/rev2026/headers.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { concludeRefused, openClientReply } from "../client-reply.ts";
import { derive, headersFor, refuse, type Exchange } from "../exchange.ts";
import { noteCancellations } from "../legacy/message.ts";
import { proxyModern } from "../modern/message.ts";
import type { ModernServices } from "../modern/rounds.ts";
import type { BridgeServices } from "./services.ts";
import { bridgedCaller, relayTranslated, type Bridging } from "./relay.ts";
import { noteTools, readTools } from "./tools.ts";

const setLevelMethod = "logging/setLevel";
/** Until the client sets a level. Its era lets the server decide. */
const unaskedLogLevel = "info";

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
  const stored = await services.sessions.beginWith(server, caller.snapshot.key.id, {
    revision,
    capabilities,
    clientInfo,
    upstreamId: services.ids.next("session"),
    advertisedCapabilities: null,
    bridge: {
      to: "modern",
      paramHeaders: null,
      ...(own(own(discovered, "capabilities"), "logging") !== undefined && {
        logLevel: unaskedLogLevel,
      }),
    },
  });
  if (!stored.ok) return refused(stored.error);
  return jsonReply(
    resultMessage(request.id, initializeResultOf(discovered, { revision, slug: server.slug })),
    { "Mcp-Session-Id": stored.value.upstreamId ?? "" },
  );
}

const logLevelOf = ({ bridge }: Session): string | null =>
  (bridge?.to === "modern" ? bridge.logLevel : undefined) ?? null;

function asModern(
  exchange: Exchange,
  context: { request: ProxiedRequest; session: Session; left: AbortSignal },
): Exchange {
  const { request, session, left } = context;
  const { method, params } = request;
  const text = modernRequest(exchange.text, {
    capabilities: bridgedDeclarations(session.capabilities),
    clientInfo: session.clientInfo,
    logLevel: logLevelOf(session),
  });
  const name = nameIn(method, params);
  const declared =
    method === "tools/call" && name !== null && session.bridge?.to === "modern"
      ? (Object.entries(session.bridge.paramHeaders ?? {}).find(([tool]) => tool === name)?.[1] ??
        [])
      : [];
  const headers = headersFor(exchange.headers, [
    ["MCP-Protocol-Version", modernRevision],
    ["Mcp-Method", method],
    ...(name === null ? [] : [["Mcp-Name", headerText(name)] as const]),
    ...paramHeadersOf(declared, params),
  ]);
  return derive(exchange, { caller: bridgedCaller, message: { headers, text }, left });
}

const maxRefusalBytes = 64 * 1024;

/** Whether the server misses an `Mcp-Param-*` header, because its tools have changed. */
async function misses(response: Response): Promise<boolean> {
  if (response.status !== 400) return false;
  const bytes = await readBounded(response.clone().body, maxRefusalBytes);
  const answer = bytes === null ? undefined : parsedJson(new TextDecoder().decode(bytes));
  return own(own(answer, "error"), "code") === refusalTable.header_mismatch.code;
}

function translate(
  message: string,
  { request, session }: { request: ProxiedRequest; session: Session },
): TranslatedMessage {
  const { method, params } = request;
  const { bridge } = session;
  return translateFromModern(message, {
    method,
    tool: method === "tools/call" ? nameIn(method, params) : null,
    wrapped: (bridge?.to === "modern" ? bridge.wrapped : undefined) ?? {},
    revision: session.revision,
  });
}

/** Sends the request, once more if the server misses a header that its tools now require. */
async function carry(
  services: ModernServices,
  exchange: Exchange,
  context: {
    request: ProxiedRequest;
    session: Session;
    left: AbortSignal;
    bridging: Omit<Bridging, "translate">;
  },
): Promise<void> {
  const { request, left, bridging } = context;
  let { session } = context;
  const calls = request.method === "tools/call";
  const send = async (): Promise<Response> =>
    responseOf(await proxyModern(services, asModern(exchange, { request, session, left })));
  const { bridge } = session;
  const isRead = bridge?.to !== "modern" || (bridge.paramHeaders !== null && bridge.wrapped);
  if (calls && !isRead)
    session = (await readTools(services, exchange, { session, left })) ?? session;
  let response = await send();
  const renewed =
    calls && (await misses(response))
      ? await readTools(services, exchange, { session, left })
      : null;
  if (renewed !== null) {
    await response.body?.cancel();
    session = renewed;
    response = await send();
  }
  await relayTranslated(
    {
      ...bridging,
      translate: (message) => translate(message, { request, session }),
      // The client may call a tool immediately, in another isolate.
      ...(request.method === "tools/list" && {
        beforeAnswer: (message: string) =>
          noteTools(services, session, own(parsedJson(message), "result")),
      }),
    },
    response,
  );
}

/** The server's era has no such request: the level goes with each request. */
async function keepLogLevel(
  services: Pick<BridgeServices, "sessions">,
  session: Session,
  context: {
    request: ProxiedRequest;
    refused: (refusal: Refusal, request: ProxiedRequest) => Promise<ClientAnswer>;
  },
): Promise<ClientAnswer> {
  const { request, refused } = context;
  const logLevel = logLevelIn(request.params["level"]);
  if (logLevel === null) {
    const detail = `One of ${logLevels.join(", ")}.`;
    return refused({ reason: "invalid_params", path: "level", detail }, request);
  }
  const kept = await services.sessions.amendBridge(session, { logLevel });
  return kept.ok ? jsonReply(resultMessage(request.id, {})) : refused(kept.error, request);
}

export async function bridgeToModern(
  services: ModernServices & Pick<BridgeServices, "cancellation">,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { method, body, requestId } = exchange;
  const refused = (refusal: Refusal, request: ProxiedRequest | null): Promise<ClientAnswer> =>
    refuse(refusal, { id: request?.id ?? null, requestId });
  // Read again, because another isolate may have ended the session, which the server behind it doesn't know.
  const remembered = exchange.caller.session;
  const found = remembered === null ? ok(null) : await services.sessions.fresh(remembered);
  if (!found.ok) return refused(found.error, null);
  const session = found.value;
  if (session === null) return refused({ reason: "session_not_found" }, null);
  if (method === "GET")
    return refused({ reason: "method_not_allowed", allow: "POST, DELETE" }, null);
  if (method === "DELETE") {
    const ended = await services.sessions.end(session);
    return ended.ok ? new Response(null, { status: 200 }) : refused(ended.error, null);
  }
  if (body === null || !isFaithful(exchange)) return refused({ reason: "parse_error" }, null);
  services.background(services.sessions.touch(exchange.caller));
  await noteCancellations(services, exchange, body);
  const [request, ...more] = requestsIn(body);
  if (request === undefined) return new Response(null, { status: 202 });
  if (body.batch || more.length > 0) {
    const detail = "This server speaks another revision, in which nothing is sent in batches.";
    return refused({ reason: "invalid_request", detail }, request);
  }
  if (request.method === "ping") return jsonReply(resultMessage(request.id, {}));
  if (request.method === setLevelMethod && logLevelOf(session) !== null)
    return keepLogLevel(services, session, { request, refused });
  if (!bridgedMethods.includes(request.method))
    return refused({ reason: "method_not_found", method: request.method.slice(0, 100) }, request);
  return carryToModern(services, exchange, { request, session });
}

async function carryToModern(
  services: ModernServices & Pick<BridgeServices, "cancellation">,
  exchange: Exchange,
  { request, session }: { request: ProxiedRequest; session: Session },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const { reply, response } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const { tenantId, id: sessionId } = session;
  const messageId = await messageKey(services, JSON.stringify(request.id));
  const watch = services.cancellation.watch({ tenantId, sessionId, messageId }, exchange.startedAt);
  // Leaving cancels nothing in the client's era. But a bridged session has no stream to resume, and disconnecting is
  // the only way to cancel in the server's.
  const left = AbortSignal.any([watch.signal, exchange.left]);
  const bridging = {
    reply,
    request: { id: request.id, requestId, wireOf: legacyWireOf },
    // Legacy clients of the official SDKs drop the body of any other status.
    statusOf: () => 200,
    gone: left,
  };
  const work = carry(services, exchange, { request, session, left, bridging });
  services.background(
    reply
      .during(work, {})
      .catch(async (thrown: unknown) => {
        services.report(requestId, thrown);
        await concludeRefused(reply, { reason: "internal" }, bridging.request);
      })
      .finally(() => watch.stop()),
  );
  return response;
}
