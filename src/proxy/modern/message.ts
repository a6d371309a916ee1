/**
 * The modern era through the proxy. With each request the router advertises what it can do. If the server's
 * answer asks for sampling, the router gives it. Everything else passes.
 */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { deniedBy } from "../../domain/servers/answering.ts";
import { isDeeperThan, mostLevels, tooDeep } from "../../domain/depth.ts";
import type { JsonObject } from "../../domain/json.ts";
import { memoize } from "../../domain/lazily.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import { editsFor, type RouterCapabilities } from "../../domain/servers/offer.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { identityOf, isSamplingAnswer, roundMethods } from "../../domain/sampling/rounds.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import { supports } from "../../domain/sampling/capabilities.ts";
import { sealsState } from "../../domain/servers/state-sealing.ts";
import { missingMetaWire, modernWireOf } from "../../mcp/faults.ts";
import { errorMessage } from "../../mcp/jsonrpc.ts";
import { requestsIn, toolIn, type ProxiedRequest } from "../../mcp/message.ts";
import {
  checkHeaders,
  decodeModernMeta,
  encodeInput,
  modernCodec,
  type ModernMeta,
} from "../../mcp/rev2026/codec.ts";
import { checkName } from "../../mcp/rev2026/headers.ts";
import type { ServerSender } from "../../mcp/sse/event-data.ts";
import { roundWire, withCapabilities } from "../../mcp/rev2026/round.ts";
import type { RoundSampler } from "./round-entries.ts";
import { isState, stateRefused } from "./round-state.ts";
import type { ModernServices } from "./services.ts";
import { isFaithful, refuse, sendOn, type Exchange } from "../exchange.ts";
import { sampleForServer } from "../sample-for-server.ts";
import { conclude, openClientReply } from "../client-reply.ts";
import { createLosses } from "../losses.ts";
import { routerCapabilitiesFor } from "../router-capabilities.ts";
import { takesStream } from "../media-type.ts";
import { relayAnswer } from "./answer.ts";
import { relay } from "./relay.ts";

/**
 * Passes a message as it came, both ways.
 *
 * @param sender absent: no result of the server's may ask for sampling
 */
async function pass(
  services: Pick<ModernServices, "background" | "note" | "report" | "upstream">,
  exchange: Exchange,
  body: string | Uint8Array<ArrayBuffer> | null,
  sender: ServerSender = "roundless",
): Promise<ClientAnswer> {
  const { requestId } = exchange;
  const [request] = exchange.body === null ? [] : requestsIn(exchange.body);
  const id = request?.id ?? null;
  const { reply, response, gone } = openClientReply({
    // A server may be silent for long, and its client may leave meanwhile.
    acceptsStream: request !== undefined && takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const refusalText = (refusal: Refusal): string =>
    JSON.stringify(errorMessage(id, refusal, modernWireOf(refusal).code, requestId));
  const refused = (refusal: Refusal): Promise<void> =>
    conclude(reply, {
      text: () => refusalText(refusal),
      whole: () => refuse(refusal, { id, requestId, wireOf: modernWireOf }),
    });
  const run = async (): Promise<void> => {
    const sent = await sendOn(services, exchange, body, gone);
    if (!sent.ok) return refused(sent.error);
    const losses =
      exchange.server.sampling === "client"
        ? null
        : createLosses(services, {
            requestId,
            ids: id === null ? [] : [id],
            era: "modern",
            sender,
          });
    return relayAnswer(sent.value, {
      client: reply,
      losses,
      refuse: (refusal) => refuse(refusal, { id, requestId, wireOf: modernWireOf }),
      refusalText,
      idText: JSON.stringify(id),
    });
  };
  services.background(
    run().catch((thrown: unknown) => {
      services.report(requestId, thrown);
      return refused({ reason: "internal" });
    }),
  );
  return response;
}

const answersSampling = (request: string): boolean =>
  [...roundWire.responsesOf(request).values()].some((text) => isSamplingAnswer(JSON.parse(text)));

/** A server might take what is no request for one, and the router did not read its answers and its state. */
const bringsRound = (text: string): boolean =>
  isState(roundWire.stateSent(text)) || roundWire.responsesOf(text).size > 0;
const notARequest: Refusal = {
  reason: "invalid_request",
  detail: "inputResponses and requestState belong to a request, which has an id.",
};

/** Samples for the entries of a round: the tenant's models answer, on behalf of this client. */
function samplerFor(
  services: Pick<ModernServices, "elapsed" | "now" | "report" | "sample" | "sha256Hex">,
  exchange: Exchange,
  context: { request: ProxiedRequest; meta: ModernMeta; routerCapabilities: RouterCapabilities },
): RoundSampler {
  const { request, meta, routerCapabilities } = context;
  // What the router advertised to the server, and what the server may ask beyond that by the router's own keys.
  const capabilities: JsonObject =
    routerCapabilities === null
      ? {}
      : {
          sampling: {
            ...(routerCapabilities.tools ? { tools: {} } : {}),
            supportedModalities: [...routerCapabilities.supportedModalities],
          },
        };
  return {
    decode: modernCodec.decodeCall,
    async sample({ params }, { signal, replayKey }) {
      // The tenant as it is now: the server may have taken minutes, so the snapshot may be stale.
      const now = await exchange.current();
      if (!now.ok) return err({ refusal: now.error, requestId: null });
      const server = now.value.server ?? exchange.server;
      const { requestId, outcome } = await sampleForServer(services, {
        caller: now.value,
        server,
        exchange,
        request: {
          params,
          codec: modernCodec,
          declared: { capabilities, features: featuresOf(meta.capabilities) },
          clientInfo: meta.clientInfo,
          tool: toolIn(request),
          messageId: null,
          replayKey,
          oversizedBytes: null,
          // A server to which no sampling was advertised is refused for that, whatever holds by
          // now.
          denied: deniedBy(exchange.server) ?? deniedBy(server),
        },
        signal,
      });
      if (!outcome.ok) return err({ refusal: outcome.error, requestId });
      const { answer, call } = outcome.value;
      return ok(JSON.stringify(encodeInput(answer, call)));
    },
  };
}

interface RoundMessage {
  request: ProxiedRequest;
  meta: ModernMeta;
  routerCapabilities: RouterCapabilities;
  mode: SamplingMode;
  /** the request as the server gets it, but for its rounds */
  text: string;
}

/** The request with its rounds; a refusal where its state is not one of the router's. */
function beginRounds(
  services: Pick<ModernServices, "elapsed" | "now" | "report" | "rounds" | "sample" | "sha256Hex">,
  exchange: Exchange,
  { request, meta, routerCapabilities, mode, text }: RoundMessage,
): ReturnType<ModernServices["rounds"]> {
  const { snapshot } = exchange.caller;
  const owner = memoize(async () => {
    const identity = new TextEncoder().encode(identityOf(request.method, request.params));
    return {
      tenantId: snapshot.tenant.id,
      keyId: snapshot.key.id,
      grantId: exchange.caller.grantId ?? null,
      userId: exchange.caller.user?.id ?? null,
      serverId: exchange.server.id,
      digest: await services.sha256Hex(identity),
    };
  });
  return services.rounds(
    {
      text,
      idText: JSON.stringify(request.id),
      method: request.method,
      owner,
      mode,
      declared: modernCodec.capabilitiesOf(meta.capabilities),
      // A session stands here only behind a bridge, and then the client knows no rounds.
      callsAgain: exchange.caller.session === null ? "client" : "router",
      sealsState: sealsState(exchange.server),
    },
    samplerFor(services, exchange, { request, meta, routerCapabilities }),
  );
}

async function withRounds(
  services: ModernServices,
  exchange: Exchange,
  message: RoundMessage,
): Promise<ClientAnswer> {
  const { id } = message.request;
  const idFor = (requestId: string | null): string => requestId ?? exchange.requestId;
  const refused = (refusal: Refusal, requestId: string | null): Promise<ClientAnswer> =>
    refuse(refusal, { id, requestId: idFor(requestId), wireOf: modernWireOf });
  const refusalText = (refusal: Refusal, requestId: string | null): string =>
    JSON.stringify(errorMessage(id, refusal, modernWireOf(refusal).code, idFor(requestId)));
  const round = await beginRounds(services, exchange, message);
  if (!round.ok) return refused(round.error, null);
  const { reply, response, gone } = openClientReply({
    acceptsStream: takesStream(exchange.headers),
    left: exchange.left,
    owner: exchange.owner,
  });
  const { requestId } = exchange;
  const work = relay({
    round: round.value,
    send: (body) =>
      // An unchanged body is sent as its own bytes.
      sendOn(services, exchange, body === exchange.text ? exchange.bytes : body, gone),
    client: reply,
    losses: createLosses(services, { requestId, ids: [id], era: "modern" }),
    gone,
    refuse: refused,
    refusalText,
  }).catch(async (thrown: unknown) => {
    services.report(requestId, thrown);
    if (reply.streams()) reply.end();
    else reply.answer(await refused({ reason: "internal" }, null));
  });
  services.background(work);
  return response;
}

/** A client that samples itself may be asked by messages that the router does not know: those of tasks. */
const senderFor = (mode: SamplingMode, { capabilities }: ModernMeta): ServerSender =>
  mode === "client-then-router" && supports(modernCodec.capabilitiesOf(capabilities), "sampling")
    ? "server"
    : "roundless";

export async function proxyModern(
  services: ModernServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { server, text, body, bytes, headers } = exchange;
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  const raw = exchange.method === "POST" ? bytes : null;
  if (server.sampling === "client") return pass(services, exchange, raw);
  if (request === undefined)
    return raw !== null && bringsRound(text)
      ? refuse(notARequest, { id: null, requestId: exchange.requestId })
      : pass(services, exchange, raw);
  const refused = (refusal: Refusal, wireOf = modernWireOf): Promise<ClientAnswer> =>
    refuse(refusal, { id: request.id, requestId: exchange.requestId, wireOf });
  // A body that is not UTF-8 can't be rewritten without becoming another text.
  if (!isFaithful(exchange)) return refused({ reason: "parse_error" });
  const meta = decodeModernMeta(request.params);
  const bringsState = sealsState(server) && isState(roundWire.stateSent(text));
  // The server has an error of its own for a missing `_meta`, and the router advertised no sampling to it. But
  // the router refuses such a request if it holds what looks like an answer to sampling, or a state that may be another
  // caller's.
  if (!meta.ok)
    return bringsState || (server.sampling !== "client-then-router" && answersSampling(text))
      ? refused(meta.error, () => missingMetaWire)
      : pass(services, exchange, raw);
  const { method, params } = request;
  const checked = checkHeaders(headers, { revision: meta.value.revision, method });
  if (!checked.ok) return refused(checked.error);
  const named = checkName(headers, method, params);
  if (!named.ok) return refused(named.error);
  const hasRounds = roundMethods.includes(method);
  if (hasRounds && isDeeperThan(params, mostLevels)) return refused(tooDeep);
  // No such request has rounds in this revision, so the router gave its caller no state for one.
  if (!hasRounds && bringsState) return refused(stateRefused);
  const mode = server.sampling;
  const available = routerCapabilitiesFor(services, exchange);
  const tools = available?.tools === true && server.learnt.bareCapabilities !== true;
  const routerCapabilities = available && { ...available, tools };
  const edits = editsFor(meta.value.capabilities, {
    mode,
    routerCapabilities,
    modalities: server.supportedModalities ? "advertised" : "hidden",
  });
  const sent = withCapabilities(text, edits);
  const context = { request, meta: meta.value, routerCapabilities, mode, text: sent };
  return hasRounds
    ? withRounds(services, exchange, context)
    : pass(services, exchange, sent === text ? raw : sent, senderFor(mode, meta.value));
}
