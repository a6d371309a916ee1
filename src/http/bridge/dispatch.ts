/** Which way a message takes: plain where client and server speak the same era, else over a bridge. */
import { serverFailed } from "../../domain/refusals.ts";
import { requestsIn } from "../../mcp/proxy/message.ts";
import type { Services } from "../context.ts";
import { refuse, type ProxyArrived } from "../proxy/arrived.ts";
import { proxyLegacy } from "../proxy/legacy.ts";
import { proxyModern } from "../proxy/modern.ts";
import { discover, eraOf, learn } from "./era.ts";
import { bridgeToLegacy } from "./legacy-server.ts";
import { beginTowardsModern, bridgeToModern } from "./modern-server.ts";

export async function dispatchModern(services: Services, arrived: ProxyArrived): Promise<Response> {
  const { method, body, server } = arrived;
  const asks = method === "POST" && body !== null && requestsIn(body).length > 0;
  const era = asks ? (await eraOf(services, arrived)).era : (server.learnt.era ?? null);
  return era === "legacy" ? bridgeToLegacy(services, arrived) : proxyModern(services, arrived);
}

/**
 * A server of both eras is its legacy clients' own, if it begins sessions with them: without one it
 * could ask nobody, and a bridge can. null: it doesn't.
 */
async function beginDirectly(services: Services, arrived: ProxyArrived): Promise<Response | null> {
  if (arrived.server.learnt.beginsSessions === false) return null;
  const begun = await proxyLegacy(services, arrived);
  if (begun.ok && begun.headers.has("Mcp-Session-Id")) return begun;
  await begun.body?.cancel();
  if (begun.status === 400 || begun.status === 404)
    await learn(services, arrived, { beginsSessions: false });
  return null;
}

/** A legacy client's era matters when it begins; its session knows from then on. */
export async function dispatchLegacy(services: Services, arrived: ProxyArrived): Promise<Response> {
  const { body, caller, requestId } = arrived;
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  if (request?.method !== "initialize") {
    return caller.session?.bridge?.to === "modern"
      ? bridgeToModern(services, arrived)
      : proxyLegacy(services, arrived);
  }
  const { era, discovered } = await eraOf(services, arrived);
  if (era !== "modern") return proxyLegacy(services, arrived);
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
