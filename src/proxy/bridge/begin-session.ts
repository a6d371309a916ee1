/** The first message of a legacy session, which finds out the server's era. */
import { headOf, type ClientAnswer } from "../../domain/ports/client-answer.ts";
import { isObject, own } from "../../domain/json.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { newerServerMessage } from "../../domain/servers/bridging.ts";
import type { SamplingMode } from "../../domain/servers/server.ts";
import type { ProxiedRequest } from "../../mcp/message.ts";
import { discoveredIn } from "../../mcp/translate/discovery.ts";
import { refuse, type Exchange } from "../exchange.ts";
import { dropBody, readAnswer } from "../first-answer.ts";
import { declaredIn, proxyInitialize } from "../legacy/initialize.ts";
import type { BridgeServices } from "./services.ts";
import { discover, eraOf, learn } from "./era.ts";
import { beginTowardsModern } from "./modern-server.ts";

const isAnswered = (mode: SamplingMode): boolean =>
  mode === "router" || mode === "client-then-router";

/**
 * A server of both eras may serve the legacy client itself, if the mode needs no requests to the client. null:
 * use a bridge.
 */
async function beginDirectly(
  services: BridgeServices,
  exchange: Exchange,
  request: ProxiedRequest,
): Promise<ClientAnswer | null> {
  const { server } = exchange;
  const isRefused = server.learned.acceptsInitialize === false;
  if (isRefused && !services.retests.isDue(server, "handshake")) return null;
  const response = await proxyInitialize(services, exchange, request);
  if (isRefused && response.ok) await learn(services, exchange, { acceptsInitialize: undefined });
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
    if (!isRefused) await learn(services, exchange, { acceptsInitialize: false });
  }
  return null;
}

/** Forgets a server's known era if it refuses that era's handshake. */
async function beginLegacy(
  services: BridgeServices,
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

const noDiscovery = (newer: readonly string[]): Refusal =>
  serverFailed(newer.length === 0 ? "It refuses server/discover." : newerServerMessage(newer));

/** @param exchange an `initialize`, which counts once, however many ways to its server are tried */
export async function beginSession(
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
