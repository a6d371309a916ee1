/** Chooses the way of a message: the era's own proxy where client and server speak the same era, else a bridge. */
import { headOf, type ClientAnswer } from "../domain/ports/client-answer.ts";
import { isObject, own } from "../domain/json.ts";
import { newerServerWords } from "../domain/servers/bridging.ts";
import { serverFailed, type Refusal } from "../domain/refusals.ts";
import type { SamplingMode } from "../domain/servers/server.ts";
import { discoverMethod, discoverRefusalOf, discoveredIn } from "../mcp/translate/discovery.ts";
import { requestsIn, type ProxiedRequest } from "../mcp/message.ts";
import type { BridgeServices } from "./bridge/services.ts";
import type { LegacyServices } from "./legacy/services.ts";
import { refuse, type Exchange } from "./exchange.ts";
import { declaredIn, proxyInitialize } from "./legacy/initialize.ts";
import { proxyLegacy } from "./legacy/message.ts";
import { proxyModern } from "./modern/message.ts";
import { dropBody, readAnswer } from "./first-answer.ts";
import { discover, eraOf, learn } from "./bridge/era.ts";
import { bridgeToLegacy } from "./bridge/legacy-server.ts";
import { beginTowardsModern, bridgeToModern } from "./bridge/modern-server.ts";

export async function dispatchModern(
  services: BridgeServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { method, body, server } = exchange;
  const [request] = method !== "POST" || body === null ? [] : requestsIn(body);
  const known = { era: server.learnt.era ?? null, discoverAnswer: null };
  const { era, discoverAnswer } =
    request === undefined ? known : await eraOf(services, exchange, "modern");
  if (era !== "legacy") return proxyModern(services, exchange);
  if (request?.method !== discoverMethod || server.bridge === "always")
    return bridgeToLegacy(services, exchange);
  // A client of both eras goes on in the legacy era, and loses nothing to a translation.
  const { id } = request;
  const { status, message } = discoverRefusalOf(discoverAnswer, {
    id,
    requestId: exchange.requestId,
  });
  return Response.json(message, { status });
}

/** Whether the router answers for the client. It needs a session, or a bridge, to do so. */
const isAnswered = (mode: SamplingMode): boolean =>
  mode === "router" || mode === "client-then-router";

/**
 * A server of both eras serves its legacy clients itself, if it begins sessions with them. Without a session it
 * could ask nobody, and a bridge can. In modes in which nobody would answer, it serves them without a session
 * too. null: it does not serve them.
 */
async function beginDirectly(
  services: LegacyServices & Pick<BridgeServices, "callerMemory">,
  exchange: Exchange,
  request: ProxiedRequest,
): Promise<ClientAnswer | null> {
  const { server } = exchange;
  const isRefused = server.learnt.beginsSessions === false;
  if (isRefused && !services.retests.isDue(server, "handshake")) return null;
  const response = await proxyInitialize(services, exchange, request);
  if (isRefused && response.ok) await learn(services, exchange, { beginsSessions: undefined });
  if (response.ok && response.headers.has("Mcp-Session-Id")) return response;
  if (response.ok && !isAnswered(server.sampling)) {
    const read = await readAnswer(response);
    if (read.ok && isObject(own(read.value.answer, "result")))
      return new Response(read.value.body, headOf(response));
    if (read.ok) await dropBody(read.value);
    return null;
  }
  await response.body?.cancel();
  if (response.status === 400 || response.status === 404) {
    services.retests.note(server, "handshake");
    if (!isRefused) await learn(services, exchange, { beginsSessions: false });
  }
  return null;
}

/** A server that refuses the handshake of its known era may have moved to the other era. */
async function beginLegacy(
  services: LegacyServices & Pick<BridgeServices, "callerMemory">,
  exchange: Exchange,
  { request, knownEra }: { request: ProxiedRequest; knownEra: "legacy" | null },
): Promise<ClientAnswer> {
  const response = await proxyInitialize(services, exchange, request);
  const forget = (): Promise<void> => learn(services, exchange, { era: undefined });
  if (knownEra !== "legacy" || response.headers.has("Mcp-Session-Id")) return response;
  if (!response.ok) {
    if (discoveredIn(response.status, undefined).era === "legacy") await forget();
    return response;
  }
  const read = await readAnswer(response);
  if (!read.ok) return refuse(read.error, { id: request.id, requestId: exchange.requestId });
  if (own(read.value.answer, "error") !== undefined) await forget();
  return new Response(read.value.body, headOf(response));
}

/** Why an older client can't be served by a modern server. @param newer the only revisions that the server speaks */
const noDiscovery = (newer: readonly string[]): Refusal =>
  serverFailed(newer.length === 0 ? "It refuses server/discover." : newerServerWords(newer));

/** An `initialize` counts once here, however many ways to its server are tried. */
async function beginSession(
  services: BridgeServices,
  exchange: Exchange,
  request: ProxiedRequest,
): Promise<ClientAnswer> {
  const { caller, requestId } = exchange;
  const refused = (refusal: Refusal): Promise<ClientAnswer> =>
    refuse(refusal, { id: request.id, requestId });
  const admitted = await services.sessions.admit(caller.snapshot, declaredIn(request.params));
  if (!admitted.ok) return refused(admitted.error);
  const { era, discovered } = await eraOf(services, exchange, "legacy");
  if (era !== "modern") return beginLegacy(services, exchange, { request, knownEra: era });
  const direct = await beginDirectly(services, exchange, request);
  if (direct !== null) return direct;
  if (discovered !== null) return beginTowardsModern(services, exchange, { request, discovered });
  const again = await discover(services, exchange);
  if (again.era === "modern" && again.result !== null)
    return beginTowardsModern(services, exchange, { request, discovered: again.result });
  if (again.era === "modern") return refused(noDiscovery(again.newer));
  if (again.era === null)
    return refused(again.failure ?? serverFailed("It doesn't answer server/discover."));
  await learn(services, exchange, { era: "legacy" });
  return proxyInitialize(services, exchange, request);
}

/** A legacy client's era matters at its beginning. Later its session knows. */
export async function dispatchLegacy(
  services: BridgeServices,
  exchange: Exchange,
): Promise<ClientAnswer> {
  const { body, caller } = exchange;
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  if (request?.method === "initialize") return beginSession(services, exchange, request);
  return caller.session?.bridge?.to === "modern"
    ? bridgeToModern(services, exchange)
    : proxyLegacy(services, exchange);
}
