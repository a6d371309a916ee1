/** The modern era: advertises the router's sampling with each request, and answers sampling that the server's result asks for. */
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import { isDeeperThan, maxLevels, tooDeep } from "../../domain/depth.ts";
import { memoize } from "../../domain/lazily.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { identityOf, isSamplingAnswer, roundMethods } from "../../domain/sampling/rounds.ts";
import { editsFor, type RouterCapabilities } from "../../domain/servers/offer.ts";
import { sealsState } from "../../domain/servers/state-sealing.ts";
import type { Wire } from "../../mcp/codec.ts";
import { isFaithful } from "../../mcp/body.ts";
import { missingMetaWire, modernWireOf } from "../../mcp/faults.ts";
import { requestsIn, toolIn, type ProxiedRequest } from "../../mcp/message.ts";
import {
  checkHeaders,
  decodeModernMeta,
  modernCodec,
  type ModernMeta,
} from "../../mcp/rev2026/codec.ts";
import { checkName } from "../../mcp/rev2026/headers.ts";
import { roundWire, withCapabilities } from "../../mcp/rev2026/round.ts";
import { listenMethod, withoutTaskIds } from "../../mcp/translate/subscriptions.ts";
import { refuse, type Exchange } from "../exchange.ts";
import type { ModernServices } from "./rounds.ts";
import { passThrough } from "./pass.ts";
import { relayRounds } from "./relay.ts";
import { createRoundSampler } from "./round-sampling.ts";
import { isState, stateRefused, type StateOwner } from "./round-state.ts";
import type { TaskOwner } from "./task-ids.ts";
import { isOfTasks, withTask } from "./tasks.ts";

const answersSampling = (request: string): boolean =>
  [...roundWire.responsesOf(request).values()].some((text) => isSamplingAnswer(JSON.parse(text)));

/** A server might read such a message as a request, with answers and state that the router did not check. */
const bringsRound = (text: string): boolean =>
  isState(roundWire.stateSent(text)) || roundWire.responsesOf(text).size > 0;
const notARequest: Refusal = {
  reason: "invalid_request",
  detail: "inputResponses and requestState belong to a request, which has an id.",
};

interface Refused {
  refusal: Refusal;
  wireOf: (refusal: Refusal) => Wire;
}
const refusedAs = (refusal: Refusal, wireOf = modernWireOf): Result<never, Refused> =>
  err({ refusal, wireOf });

function checked(exchange: Exchange, request: ProxiedRequest): Result<ModernMeta | null, Refused> {
  const { server, text, headers } = exchange;
  const { method, params } = request;
  // A body that is not UTF-8 can't be rewritten without changing it.
  if (!isFaithful(exchange)) return refusedAs({ reason: "parse_error" });
  const meta = decodeModernMeta(params);
  const bringsState =
    isOfTasks(method) || (sealsState(server) && isState(roundWire.stateSent(text)));
  // Servers answer a missing `_meta` with an error of their own, and no sampling was advertised. But an apparent sampling
  // answer, or a state that may be another caller's, is refused.
  if (!meta.ok)
    return bringsState || (server.sampling !== "client-then-router" && answersSampling(text))
      ? refusedAs(meta.error, () => missingMetaWire)
      : ok(null);
  const { revision } = meta.value;
  const fitting = checkHeaders(headers, { revision, method });
  if (!fitting.ok) return refusedAs(fitting.error);
  const named = checkName(headers, method, params);
  if (!named.ok) return refusedAs(named.error);
  const hasRounds = roundMethods.includes(method);
  if (hasRounds && isDeeperThan(params, maxLevels)) return refusedAs(tooDeep);
  // The router gave no caller a state for a method without rounds.
  return !hasRounds && !isOfTasks(method) && bringsState ? refusedAs(stateRefused) : ok(meta.value);
}

const ownerOf = ({ caller, server }: Pick<Exchange, "caller" | "server">): TaskOwner => ({
  tenantId: caller.snapshot.tenant.id,
  keyId: caller.snapshot.key.id,
  grantId: caller.grantId ?? null,
  userId: caller.user?.id ?? null,
  serverId: server.id,
});

/** Who may bring back a state of this request. */
export const stateOwnerOf = async (
  { sha256Hex }: Pick<ModernServices, "sha256Hex">,
  exchange: Pick<Exchange, "caller" | "server">,
  { method, params }: ProxiedRequest,
): Promise<StateOwner> => ({
  ...ownerOf(exchange),
  digest: await sha256Hex(new TextEncoder().encode(identityOf(method, params))),
});

async function withRounds(
  services: ModernServices,
  exchange: Exchange,
  message: {
    request: ProxiedRequest;
    meta: ModernMeta;
    routerCapabilities: RouterCapabilities;
    text: string;
  },
): Promise<ClientAnswer> {
  const { request, meta, text } = message;
  const { caller, server, requestId } = exchange;
  const { id, method } = request;
  const owner = memoize(() => stateOwnerOf(services, exchange, request));
  const round = await services.rounds(
    {
      text,
      idText: JSON.stringify(id),
      method,
      owner,
      mode: server.sampling,
      declared: modernCodec.capabilitiesOf(meta.capabilities),
      // Only a bridge sets a session here, and then the client has no rounds.
      callsAgain: caller.session === null ? "client" : "router",
      sealsState: sealsState(server),
      tasks: { tool: toolIn(request) },
    },
    createRoundSampler(services, exchange, { ...message, tool: toolIn(request) }),
  );
  return round.ok
    ? relayRounds(services, exchange, { id, round: round.value })
    : refuse(round.error, { id, requestId, wireOf: modernWireOf });
}

export async function proxyModern(
  services: ModernServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { server, text, body, bytes, requestId } = exchange;
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  const raw = exchange.method === "POST" ? bytes : null;
  const mode = server.sampling;
  if (mode !== "client" && request === undefined && raw !== null && bringsRound(text))
    return refuse(notARequest, { id: null, requestId });
  if (mode === "client" || request === undefined)
    return passThrough(services, exchange, { body: raw });
  const meta = checked(exchange, request);
  if (!meta.ok) {
    const { refusal, wireOf } = meta.error;
    return refuse(refusal, { id: request.id, requestId, wireOf });
  }
  if (meta.value === null) return passThrough(services, exchange, { body: raw });
  const { capabilities } = meta.value;
  const available = services.sessions.offerFor(exchange.caller.snapshot, server);
  const tools = available?.tools === true && server.learned.bareCapabilities !== true;
  const routerCapabilities = available && { ...available, tools };
  const edits = editsFor(capabilities, {
    mode,
    routerCapabilities,
    modalities: server.supportedModalities ? "advertised" : "hidden",
    tasks: "answered",
  });
  const sent = withCapabilities(text, edits);
  if (roundMethods.includes(request.method))
    return withRounds(services, exchange, {
      request,
      meta: meta.value,
      routerCapabilities,
      text: sent,
    });
  if (isOfTasks(request.method))
    return withTask(services, exchange, {
      request,
      owner: ownerOf(exchange),
      meta: meta.value,
      routerCapabilities,
      text: sent,
    });
  // A client polls its tasks: the ids that it knows are not the server's.
  const passed = request.method === listenMethod ? withoutTaskIds(sent) : sent;
  return passThrough(services, exchange, { body: passed === text ? raw : passed });
}
