import { unreachableReason, type OauthFault } from "./oauth.ts";

const sentences: Partial<Record<OauthFault, string>> = {
  not_discovered: "It doesn't say which authorization server gives its tokens.",
  not_allowed: "It names an address that the router may not call.",
  no_pkce: "Its authorization server doesn't announce PKCE with S256, which MCP demands.",
  no_refresh_token: "Nobody has authorized the router there, or the token has ended: authorize it.",
  issuer_changed:
    "It names another authorization server than the one that this client belongs to. If that is right, register a client there, and send oauth anew.",
  not_registered:
    "Its authorization server registers no client by itself: register the router there, and send oauth with the clientId.",
  malformed: "Its authorization server gave an answer that breaks the rules of OAuth.",
};

export function explainOauthFault(fault: OauthFault): string {
  const why = unreachableReason(fault);
  if (why !== null) return `Its authorization server can't be reached: ${why}.`;
  return sentences[fault] ?? `Its authorization server answered "${fault}".`;
}
