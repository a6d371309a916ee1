import type { Refusal } from "../../domain/refusals.ts";
import { supports } from "../../domain/sampling/capabilities.ts";
import type { Session } from "../../domain/tenancy/session.ts";

export const connectPath = "/oauth/connect";

/** First revision with URL elicitation and its error. */
const firstWithUrls = "2025-11-25";

const addressUnknown =
  "This person has to authorize the router there, and the router doesn't know its own address: set PUBLIC_URL.";

export const connectMessage = ({
  server,
  scopes,
}: {
  server: string;
  scopes?: readonly string[];
}): string =>
  scopes === undefined
    ? `Connect your own account at ${server}.`
    : `Connect your own account at ${server} again. It requires more scopes: ${scopes.join(" ")}.`;

export function authorizationNeeded(needed: {
  server: string;
  tenant: string;
  session: Session | null;
  /** missing scopes; empty if the account is missing or rejected */
  scopes: readonly string[];
  ownUrl: string | null;
  nonce: () => string;
}): Refusal {
  const { server, tenant, session, scopes, ownUrl } = needed;
  if (ownUrl === null) return { reason: "server_unauthorized", detail: addressUnknown };
  const query = new URLSearchParams({ tenant, server });
  const url = `${ownUrl}${connectPath}?${query}`;
  const takesUrls =
    session !== null &&
    session.revision >= firstWithUrls &&
    supports(session.capabilities, "elicitation.url");
  const refusal = {
    reason: "authorization_needed",
    server,
    url,
    ...(scopes.length > 0 && { scopes }),
  } as const;
  if (!takesUrls) return refusal;
  const message = connectMessage(refusal);
  return {
    ...refusal,
    elicitations: [{ mode: "url", elicitationId: needed.nonce(), url, message }],
  };
}
