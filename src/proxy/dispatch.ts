/** Chooses a message's handler: the proxy of its era if client and server share one, else a bridge. */
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

export type Handler = (services: BridgeServices, exchange: Exchange) => Promise<ClientAnswer>;

/** Only `initialize` needs the server's era; later messages use the session's. */
function legacyHandler({ body, caller }: Exchange): Handler {
  const [request] = body === null || body.batch ? [] : requestsIn(body);
  if (request?.method === "initialize")
    return (services, exchange) => beginSession(services, exchange, request);
  return caller.session?.bridge?.to === "modern" ? bridgeToModern : proxyLegacy;
}

async function modernHandler(services: BridgeServices, exchange: Exchange): Promise<Handler> {
  const { method, body, server, requestId } = exchange;
  const known = server.learned.era ?? null;
  const [request] = method !== "POST" || body === null ? [] : requestsIn(body);
  if (known === "modern" || (request === undefined && known === null)) return proxyModern;
  const { era, discoverAnswer } =
    request === undefined
      ? { era: known, discoverAnswer: null }
      : await eraOf(services, exchange, "modern");
  if (era !== "legacy") return proxyModern;
  if (request?.method !== discoverMethod || server.bridge === "always") return bridgeToLegacy;
  // Refuses `server/discover`, so that a client that supports both eras falls back to legacy and needs no
  // translation.
  const { status, message } = discoverRefusalOf(discoverAnswer, { id: request.id, requestId });
  return async () => Response.json(message, { status });
}

export const handlerOf = async (
  services: BridgeServices,
  exchange: Exchange,
  era: "legacy" | "modern",
): Promise<Handler> =>
  era === "legacy" ? legacyHandler(exchange) : modernHandler(services, exchange);
