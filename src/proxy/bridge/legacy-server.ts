/**
 * A modern client before a legacy server. Each request becomes one in a session that the router keeps, and goes
 * through the legacy proxy like any other. Sampling is intercepted there.
 */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { bridgedMethods } from "../../domain/servers/bridging.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { discoverMethod, discoverResultOf } from "../../mcp/translate/discovery.ts";
import { legacyRequest, type LegacyRequest } from "../../mcp/translate/to-legacy.ts";
import { missingMetaWire, modernWireOf } from "../../mcp/faults.ts";
import { parsedId } from "../../mcp/json-text/exact-ids.ts";
import { errorMessage, resultMessage } from "../../mcp/jsonrpc.ts";
import { requestsIn, type ProxiedRequest } from "../../mcp/message.ts";
import {
  checkHeaders,
  decodeModernMeta,
  modernRevision,
  type ModernMeta,
} from "../../mcp/rev2026/codec.ts";
import { checkName } from "../../mcp/rev2026/headers.ts";
import type { LegacyServices } from "../legacy/services.ts";
import type { BridgeServices } from "./services.ts";
import { derive, isFaithful, refuse, type Exchange } from "../exchange.ts";
import { openClientReply } from "../client-reply.ts";
import { takesStream } from "../media-type.ts";
import { proxyLegacy } from "../legacy/message.ts";
import { bridgedCaller } from "./bridged-caller.ts";
import { sessionFor, sessionHeaders } from "./legacy-session.ts";
import { answerTo, refuseTo, relayTranslated, type Bridging } from "./relay.ts";

/** What is wrong with a request before anything is sent; null: nothing. */
function faultOf(exchange: Exchange, method: string, meta: ModernMeta): Refusal | null {
  const { revision } = meta;
  if (!isFaithful(exchange)) return { reason: "parse_error" };
  const checked = checkHeaders(exchange.headers, { revision, method });
  if (!checked.ok) return checked.error;
  if (revision !== modernRevision) {
    const supported = [modernRevision];
    return { reason: "unsupported_protocol_version", supported, requested: revision.slice(0, 50) };
  }
  return method === discoverMethod || bridgedMethods.includes(method)
    ? null
    : { reason: "method_not_found", method: method.slice(0, 100) };
}

/** The message as the legacy proxy takes it. */
function inSession(
  services: Pick<BridgeServices, "sessions">,
  exchange: Exchange,
  context: { session: Session; meta: ModernMeta; text: string; left: AbortSignal },
): Exchange {
  const { text, left } = context;
  // Without a session id, ids of the server's own requests may repeat, so none is remembered.
  const session =
    context.session.upstreamId === null
      ? null
      : { ...context.session, clientInfo: context.meta.clientInfo };
  const confirm = async (): Promise<Refusal | null> => {
    const there = session === null ? ok(session) : await services.sessions.fresh(session);
    if (!there.ok) return there.error;
    return session !== null && there.value === null ? { reason: "session_not_found" } : null;
  };
  return derive(exchange, {
    caller: (caller) => ({ ...caller, session }),
    confirm,
    message: { headers: sessionHeaders(exchange.headers, context.session), text },
    left,
  });
}

export async function bridgeToLegacy(
  services: BridgeServices,
  original: Exchange,
): Promise<ClientAnswer> {
  const { body, requestId } = original;
  if (original.method !== "POST")
    return refuse({ reason: "method_not_allowed", allow: "POST" }, { id: null, requestId });
  if (body === null) return refuse({ reason: "parse_error" }, { id: null, requestId });
  const [request] = body.batch ? [] : requestsIn(body);
  // A modern client sends nothing but requests that has to reach the server; all else is
  // acknowledged.
  if (request === undefined) return new Response(null, { status: 202 });
  const { id, method, params } = request;
  const refused = (refusal: Refusal, wireOf = modernWireOf): Promise<ClientAnswer> =>
    refuse(refusal, { id, requestId, wireOf });
  const decoded = decodeModernMeta(params);
  if (!decoded.ok) return refused(decoded.error, () => missingMetaWire);
  const meta = decoded.value;
  const fault = faultOf(original, method, meta);
  if (fault !== null) return refused(fault);
  const named = checkName(original.headers, method, params);
  if (!named.ok) return refused(named.error);

  const exchange = derive(original, { caller: bridgedCaller });
  return carryToLegacy(services, exchange, { request, meta });
}

/** The request in the router's session with the server, and what the server answers to it. */
function carryToLegacy(
  services: BridgeServices,
  exchange: Exchange,
  { request, meta }: { request: ProxiedRequest; meta: ModernMeta },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const { id, method } = request;
  const messageId = JSON.stringify(services.ids.next("request"));
  const legacy = legacyRequest(exchange.text, method, messageId);
  const { reply, response, gone } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const bridging: Bridging = {
    reply,
    translate: legacy.translate,
    refuse: (refusal) => refuse(refusal, { id, requestId, wireOf: modernWireOf }),
    refusalText: (refusal) =>
      JSON.stringify(errorMessage(id, refusal, modernWireOf(refusal).code, requestId)),
    statusOf: (status) => status,
    gone,
  };
  const carry = async (): Promise<void> => {
    const found = await sessionFor(services, derive(exchange, { left: gone }), {
      meta,
      renew: null,
    });
    if (!found.ok) return refuseTo(bridging, found.error);
    const { session } = found.value;
    if (method === discoverMethod && session.bridge?.to === "legacy")
      return answerTo(
        bridging,
        JSON.stringify(resultMessage(id, discoverResultOf(session.bridge.initialized))),
        200,
      );
    const sent = await sendInSession(services, derive(exchange, { left: gone }), {
      meta,
      legacy,
      ...found.value,
    });
    if (!sent.ok) return refuseTo(bridging, sent.error);
    await relayTranslated(bridging, sent.value.response);
    if (gone.aborted) await cancel(services, exchange, { meta, messageId, ...sent.value });
  };
  services.background(
    reply.during(carry(), {}).catch(async (thrown: unknown) => {
      services.report(requestId, thrown);
      await refuseTo(bridging, { reason: "internal" });
    }),
  );
  return response;
}

/** Sends the request, and sends it once more in a new session if the server has forgotten the old one. */
async function sendInSession(
  services: LegacyServices & Pick<BridgeServices, "callerMemory">,
  exchange: Exchange,
  context: { session: Session; isNew: boolean; meta: ModernMeta; legacy: LegacyRequest },
): Promise<Result<{ response: ClientAnswer; session: Session }, Refusal>> {
  const { meta, legacy } = context;
  const { left } = exchange;
  const sent = (session: Session): Promise<ClientAnswer> =>
    proxyLegacy(
      services,
      inSession(services, exchange, { session, meta, text: legacy.text, left }),
    );
  const response = await sent(context.session);
  // The specification's status for a forgotten session is 404; many servers answer 400.
  const forgotten = response.status === 404 || response.status === 400;
  if (context.isNew || !forgotten || context.session.upstreamId === null)
    return ok({ response, session: context.session });
  await response.body?.cancel();
  const renewed = await sessionFor(services, exchange, { meta, renew: context.session });
  if (!renewed.ok) return renewed;
  const { session } = renewed.value;
  return ok({ response: await sent(session), session });
}

/** The client has left, which cancels in its era. In the server's era that takes a message. */
async function cancel(
  services: LegacyServices,
  exchange: Exchange,
  context: { session: Session; meta: ModernMeta; messageId: string },
): Promise<void> {
  const text = JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: parsedId(context.messageId), reason: "The client has left." },
  });
  const notified = await proxyLegacy(
    services,
    // Nobody ends it. A signal that all cancellations shared would keep a listener of each.
    inSession(services, exchange, { ...context, text, left: new AbortController().signal }),
  );
  await notified.body?.cancel();
}
