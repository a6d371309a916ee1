import type { RouterCapabilities } from "../domain/servers/offer.ts";
import type { ProxyServices } from "./services.ts";
import type { Exchange } from "./exchange.ts";

/** What the router can do for this tenant, whoever asks; null: nothing, or nothing for this server. */
export function routerCapabilitiesFor(
  services: Pick<ProxyServices, "sessions">,
  { caller, server }: Pick<Exchange, "caller" | "server">,
): RouterCapabilities {
  const { offered } = services.sessions.capabilitiesFor(caller.snapshot, {});
  const { supportedModalities, tools } = offered;
  if (supportedModalities.length === 0 || server.policy.disabled === true) return null;
  return { tools, supportedModalities };
}
