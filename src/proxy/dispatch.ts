/** Which way a message takes: plain where client and server speak the same era, else over a bridge. */
import { isObject, own } from "../domain/json.ts";
import { serverFailed } from "../domain/refusals.ts";
import type { SamplingMode } from "../domain/servers/server.ts";
import { discoverMethod, discoverRefusalOf, discoveredIn } from "../mcp/translate/discovery.ts";
import { requestsIn } from "../mcp/message.ts";
import type { BridgeServices } from "./bridge/services.ts";
import { refuse, type ProxyArrived } from "./arrived.ts";
import { proxyLegacy } from "./legacy/message.ts";
import { proxyModern } from "./modern/message.ts";
import { dropBody, readAnswer } from "./first-answer.ts";
import { discover, eraOf, learn } from "./bridge/era.ts";
import { bridgeToLegacy } from "./bridge/legacy-server.ts";
import { beginTowardsModern, bridgeToModern } from "./bridge/modern-server.ts";

export async function dispatchModern(
  services: BridgeServices,
  arrived: ProxyArrived,
): Promise<Response> {
  const { method, body, server } = arrived;
  const [request] = method !== "POST" || body === null ? [] : requestsIn(body);
  const known = { era: server.learnt.era ?? null, said: null };
  const { era, said } = request === undefined ? known : await eraOf(services, arrived);
  if (era !== "legacy") return proxyModern(services, arrived);
  if (request?.method !== discoverMethod || server.bridge === "always")
    return bridgeToLegacy(services, arrived);
  // A client of both eras goes on in the older one, and loses nothing to a translation.
  const { id } = request;
  const { status, message } = discoverRefusalOf(said, { id, requestId: arrived.requestId });
  return Response.json(message, { status });
}

/** Whether the router answers for the client, which a session, or a bridge, makes possible. */
const isAnswered = (mode: SamplingMode): boolean =>
  mode === "router" || mode === "client-then-router";

/**
 * A server of both eras is its legacy clients' own, if it begins sessions with them: without one it
 * could ask nobody, and a bridge can. Where nobody would be answered it is left to serve them without
 * one. null: it doesn't.
 */
async function beginDirectly(
  services: BridgeServices,
  arrived: ProxyArrived,
): Promise<Response | null> {
  const { server } = arrived;
  if (server.learnt.beginsSessions === false) return null;
  const begun = await proxyLegacy(services, arrived);
  if (begun.ok && begun.headers.has("Mcp-Session-Id")) return begun;
  if (begun.ok && !isAnswered(server.sampling)) {
    const read = await readAnswer(begun);
    if (read.ok && isObject(own(read.value.answer, "result")))
      return new Response(read.value.body, begun);
    if (read.ok) await dropBody(read.value);
    return null;
  }
  await begun.body?.cancel();
  if (begun.status === 400 || begun.status === 404)
    await learn(services, arrived, { beginsSessions: false });
  return null;
}

/** Who refuses the handshake of the era that it was known by may have moved to the other one. */
async function beginLegacy(services: BridgeServices, arrived: ProxyArrived): Promise<Response> {
  const begun = await proxyLegacy(services, arrived);
  const isKnown = arrived.server.learnt.era === "legacy";
  if (isKnown && discoveredIn(begun.status, undefined).era === "legacy")
    await learn(services, arrived, { era: undefined });
  return begun;
}

/** A legacy client's era matters when it begins; its session knows from then on. */
export async function dispatchLegacy(
  services: BridgeServices,
  arrived: ProxyArrived,
): Promise<Response> {
  const { body, caller, requestId } = arrived;
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  if (request?.method !== "initialize") {
    return caller.session?.bridge?.to === "modern"
      ? bridgeToModern(services, arrived)
      : proxyLegacy(services, arrived);
  }
  const { era, discovered } = await eraOf(services, arrived);
  if (era !== "modern") return beginLegacy(services, arrived);
  const direct = await beginDirectly(services, arrived);
  if (direct !== null) return direct;
  if (discovered !== null) return beginTowardsModern(services, arrived, { request, discovered });
  const again = await discover(services, arrived);
  if (again.era === "modern")
    return beginTowardsModern(services, arrived, { request, discovered: again.result });
  if (again.era === null)
    return refuse(again.unheard ?? serverFailed("It doesn't answer server/discover."), {
      id: request.id,
      requestId,
    });
  await learn(services, arrived, { era: "legacy" });
  return proxyLegacy(services, arrived);
}
