import { unreachableReason, type OauthFault } from "./oauth.ts";

const sentences: Partial<Record<OauthFault, string>> = {
  not_discovered: "It does not name its authorization server.",
  not_allowed: "It names an address that the router does not call.",
  no_pkce: "Its authorization server does not support PKCE with S256, which MCP requires.",
  no_refresh_token: "The router is not authorized there, or its token has expired: authorize it.",
  issuer_changed:
    "It names a different authorization server than the one of this client. If that is correct, register a client there and update oauth.",
  not_registered:
    "Its authorization server has no dynamic client registration: register the router there, and set oauth.clientId.",
  malformed: "Its authorization server returned an invalid OAuth response.",
};

export function explainOauthFault(fault: OauthFault): string {
  const why = unreachableReason(fault);
  if (why !== null) return `Its authorization server can't be reached: ${why}.`;
  return sentences[fault] ?? `Its authorization server answered "${fault}".`;
}
