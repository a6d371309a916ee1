/** Chooses a message's way: the proxy of its era if client and server share one, else a bridge. */
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import { requestsIn } from "../mcp/message.ts";
import { discoverMethod, discoverRefusalOf } from "../mcp/translate/discovery.ts";
import { beginSession } from "./bridge/begin-session.ts";
import { eraOf } from "./bridge/era.ts";
import { bridgeToLegacy } from "./bridge/legacy-server.ts";
import { bridgeToModern } from "./bridge/modern-server.ts";
import type { Exchange } from "./exchange.ts";
import { proxyLegacy } from "./legacy/message.ts";
import { proxyModern } from "./modern/message.ts";
import type { BridgeServices } from "./bridge/services.ts";

export type Way = (services: BridgeServices, exchange: Exchange) => Promise<ClientAnswer>;

/** The server's era matters when a session begins. The session stores it. */
function legacyWay({ body, caller }: Exchange): Way {
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  if (request?.method === "initialize")
    return (services, exchange) => beginSession(services, exchange, request);
  return caller.session?.bridge?.to === "modern" ? bridgeToModern : proxyLegacy;
}

async function modernWay(services: BridgeServices, exchange: Exchange): Promise<Way> {
  const { method, body, server, requestId } = exchange;
  const known = server.learnt.era ?? null;
  const [request] = method !== "POST" || body === null ? [] : requestsIn(body);
  if (known === "modern" || (request === undefined && known === null)) return proxyModern;
  const { era, discoverAnswer } =
    request === undefined
      ? { era: known, discoverAnswer: null }
      : await eraOf(services, exchange, "modern");
  if (era !== "legacy") return proxyModern;
  if (request?.method !== discoverMethod || server.bridge === "always") return bridgeToLegacy;
  // A client of both eras continues in the legacy era, and loses nothing to a translation.
  const { status, message } = discoverRefusalOf(discoverAnswer, { id: request.id, requestId });
  return async () => Response.json(message, { status });
}

export const wayOf = async (
  services: BridgeServices,
  exchange: Exchange,
  era: "legacy" | "modern",
): Promise<Way> => (era === "legacy" ? legacyWay(exchange) : modernWay(services, exchange));
