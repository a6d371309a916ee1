/** A person has to authorize the router at a server: how the person's client learns where. */
import type { Refusal } from "../domain/refusals.ts";
import { supports } from "../domain/sampling/capabilities.ts";
import type { Session } from "../domain/tenancy/session.ts";

/** Where a person connects their own account at a server. */
export const connectPath = "/oauth/connect";

/** The first revision with elicitation by URL, and with the error that asks for it. */
const firstWithUrls = "2025-11-25";

const addressUnknown =
  "This person has to authorize the router there, and the router doesn't know its own address: set PUBLIC_URL.";

/** @param needed `ownUrl` null: the router doesn't know its own address */
export function authorizationNeeded(needed: {
  server: string;
  tenant: string;
  session: Session | null;
  ownUrl: string | null;
  nonce: () => string;
}): Refusal {
  const { server, tenant, session, ownUrl } = needed;
  if (ownUrl === null) return { reason: "server_unauthorized", detail: addressUnknown };
  const query = new URLSearchParams({ tenant, server });
  const url = `${ownUrl}${connectPath}?${query}`;
  const takesUrls =
    session !== null &&
    session.revision >= firstWithUrls &&
    supports(session.capabilities, "elicitation.url");
  if (!takesUrls) return { reason: "authorization_needed", server, url };
  const message = `Connect your own account at ${server}.`;
  return {
    reason: "authorization_needed",
    server,
    url,
    elicitations: [{ mode: "url", elicitationId: needed.nonce(), url, message }],
  };
}
