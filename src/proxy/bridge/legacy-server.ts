import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { bridgedMethods, notCrossing } from "../../domain/servers/bridging.ts";
import { takesStream } from "../../domain/servers/media-type.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { discoverMethod, discoverResultOf } from "../../mcp/translate/discovery.ts";
import { legacyRequest, type LegacyRequest } from "../../mcp/translate/to-legacy.ts";
import { isFaithful } from "../../mcp/body.ts";
import { missingMetaWire, modernWireOf } from "../../mcp/faults.ts";
import { resultMessage } from "../../mcp/jsonrpc.ts";
import { requestsIn, type ProxiedRequest } from "../../mcp/message.ts";
import {
  checkHeaders,
  decodeModernMeta,
  modernRevision,
  type ModernMeta,
} from "../../mcp/rev2026/codec.ts";
import { checkName } from "../../mcp/rev2026/headers.ts";
import { listenMethod } from "../../mcp/translate/subscriptions.ts";
import { concludeRefused, openClientReply } from "../client-reply.ts";
import { derive, refuse, type Exchange } from "../exchange.ts";
import { proxyLegacy } from "../legacy/message.ts";
import type { BridgeServices } from "./services.ts";
import { cancelInSession, inSession, sessionFor } from "./legacy-session.ts";
import { listenToLegacy } from "./listen-to-legacy.ts";
import { carryParked, mayPark } from "./carry-parked.ts";
import { carriedIn, neededPagesFor } from "./needed-pages.ts";
import { answerTo, bridgedCaller, relayTranslated, type Bridging } from "./relay.ts";

function faultOf(exchange: Exchange, method: string, meta: ModernMeta): Refusal | null {
  const { revision } = meta;
  if (!isFaithful(exchange)) return { reason: "parse_error" };
  const checked = checkHeaders(exchange.headers, { revision, method });
  if (!checked.ok) return checked.error;
  if (revision !== modernRevision) {
    const supported = [modernRevision];
    return { reason: "unsupported_protocol_version", supported, requested: revision.slice(0, 50) };
  }
  return method === discoverMethod || method === listenMethod || bridgedMethods.includes(method)
    ? null
    : notCrossing(method, "modern");
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
  // A modern client's notifications don't have to reach the server.
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
  const carried = method === listenMethod ? listenToLegacy : carryToLegacy;
  return carried(services, exchange, { request, meta });
}

interface Carrying {
  request: ProxiedRequest;
  meta: ModernMeta;
  bridging: Omit<Bridging, "translate">;
}

/** Sends the request, again while its user is at a page that the server needs. */
async function carry(
  services: BridgeServices,
  exchange: Exchange,
  { request, meta, bridging }: Carrying,
): Promise<void> {
  const { method } = request;
  const { gone, reply } = bridging;
  const carried = await carriedIn(services, exchange, request);
  if (!carried.ok) return concludeRefused(reply, carried.error, bridging.request);
  const pages = neededPagesFor(services, exchange, { request, meta, carried: carried.value });
  if (!pages.ok) return concludeRefused(reply, pages.error, bridging.request);
  if (carried.value?.parked !== undefined || mayPark(exchange, { request, meta }))
    return carryParked(services, exchange, {
      request,
      meta,
      bridging,
      pages: pages.value,
      state: carried.value?.parked ?? null,
    });
  const there = derive(exchange, { left: gone });
  let found = await sessionFor(services, there, { meta, renew: null });
  for (;;) {
    if (!found.ok) return concludeRefused(reply, found.error, bridging.request);
    const { session } = found.value;
    if (method === discoverMethod && session.bridge?.to === "legacy")
      return answerTo(
        bridging,
        JSON.stringify(resultMessage(request.id, discoverResultOf(session.bridge.initialized))),
        200,
      );
    const messageId = JSON.stringify(services.ids.next("request"));
    const legacy = legacyRequest(exchange.text, method, messageId);
    const sent = await sendInSession(services, there, { meta, legacy, ...found.value });
    if (!sent.ok) return concludeRefused(reply, sent.error, bridging.request);
    const translate = (message: string) => pages.value.translate(legacy.translate(message));
    const needed = await relayTranslated({ ...bridging, translate }, sent.value.response);
    if (gone.aborted) await cancelInSession(services, exchange, { meta, messageId, ...sent.value });
    if (needed === null) return;
    if (!(await pages.value.looksAgain(needed, gone)))
      return answerTo(bridging, await pages.value.ask(needed), 200);
    found = ok({ session: sent.value.session, isNew: false });
  }
}

function carryToLegacy(
  services: BridgeServices,
  exchange: Exchange,
  { request, meta }: { request: ProxiedRequest; meta: ModernMeta },
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const { reply, response, gone } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const bridging = {
    reply,
    request: { id: request.id, requestId, wireOf: modernWireOf },
    statusOf: (status: number) => status,
    gone,
  };
  services.background(
    reply
      .during(carry(services, exchange, { request, meta, bridging }), {})
      .catch(async (thrown: unknown) => {
        services.report(requestId, thrown);
        await concludeRefused(reply, { reason: "internal" }, bridging.request);
      }),
  );
  return response;
}

async function sendInSession(
  services: BridgeServices,
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
  // The specification says 404; many servers answer 400.
  const forgotten = response.status === 404 || response.status === 400;
  if (context.isNew || !forgotten || context.session.upstreamId === null)
    return ok({ response, session: context.session });
  await response.body?.cancel();
  const renewed = await sessionFor(services, exchange, { meta, renew: context.session });
  if (!renewed.ok) return renewed;
  const { session } = renewed.value;
  return ok({ response: await sent(session), session });
}
