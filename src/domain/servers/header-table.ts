/**
 * Spellings with underscores match no row, so they can't impersonate a listed header: CGI maps both to one
 * variable (RFC 3875, 4.1.18).
 */
import { memoizedByText } from "../memoized.ts";
import { hopsHeader } from "./hops.ts";

export interface HeaderRules {
  /** To every server, only if listed in `passHeaders`, or never. */
  sent: "always" | "named" | "never";
  isReturned: boolean;
  identifies: boolean;
  isSettable: boolean;
}

interface HeaderRow extends HeaderRules {
  /** lower case, separated by spaces; a trailing `*` is a prefix */
  names: string;
}

const unlisted: HeaderRules = {
  sent: "named",
  isReturned: false,
  identifies: true,
  isSettable: true,
};

const impersonal: HeaderRules = { ...unlisted, identifies: false };
const always: HeaderRules = { ...impersonal, sent: "always" };
const never: HeaderRules = { ...impersonal, sent: "never" };
const reserved: HeaderRules = { ...never, isSettable: false };

const rows: readonly HeaderRow[] = [
  // Set by the proxy (RFC 9110, 8.3, 12.5; MCP, Streamable HTTP).
  { names: "accept last-event-id", ...always, isSettable: false },
  { names: "content-type", ...always, isReturned: true, isSettable: false },
  { names: "accept-language", ...always },
  // W3C Trace Context and Baggage.
  { names: "baggage traceparent tracestate", ...always },
  // MCP; unknown `Mcp-Param-*` must be forwarded (2026-07-28, Streamable HTTP).
  { names: "mcp-*", ...always, isReturned: true, identifies: true, isSettable: false },
  {
    names: "mcp-method mcp-name mcp-protocol-version mcp-session-id mcp-param-*",
    ...always,
    isReturned: true,
    isSettable: false,
  },

  // RFC 9110, 8.4.
  { names: "content-encoding", ...impersonal, isSettable: false },
  { names: "cache-control", ...impersonal, isReturned: true },
  { names: "idempotency-key pragma priority user-agent x-request-id", ...impersonal },

  // Hop-by-hop or about the length (RFC 9110, 7.6.1 and 7.8; RFC 9112, 6 and 7).
  {
    names: `accept-encoding connection content-length expect host keep-alive proxy-authenticate
      proxy-authorization proxy-connection te trailer transfer-encoding upgrade`,
    ...reserved,
  },
  // Forwarding information that only the program that forwards may set (RFC 9110, 7.6.3; RFC 7239).
  { names: "forwarded via x-real-ip x-forwarded-* cf-*", ...reserved },
  // Secrets for Cloudflare's own gateways, which sit before a server or provider.
  { names: "cf-aig-* cf-access-client-id cf-access-client-secret", ...never },
  // Overrides of target or method (RFC 9110, 7.1 and 9.1).
  {
    names: "x-http-method x-http-method-override x-method-override x-original-url x-rewrite-url",
    ...reserved,
  },
  // Set by browsers (Fetch, "forbidden request-header" and "CORS protocol").
  { names: "access-control-* sec-*", ...reserved },
  { names: `${hopsHeader} x-sampling-router-key x-sampling-router-*`, ...reserved },
  // Also set by browsers, but some servers require a fixed value (RFC 6454, 7; RFC 9110, 10.1.3).
  { names: "origin referer", ...never },
  // Secrets for the router's origin (RFC 6265, 8.6).
  { names: "authorization cookie", ...never },

  // Descriptions of the answer (RFC 9110, 8.5, 8.8.2, 10.2.1, 10.2.3). Others could impersonate the router.
  { names: "allow content-language last-modified retry-after", ...unlisted, isReturned: true },
];

const exact = new Map<string, HeaderRules>();
const prefixes: { prefix: string; rules: HeaderRules }[] = [];
for (const { names, ...rules } of rows)
  for (const name of names.split(/\s+/))
    if (name.endsWith("*")) prefixes.push({ prefix: name.slice(0, -1), rules });
    else exact.set(name, rules);
prefixes.sort((a, b) => b.prefix.length - a.prefix.length);

/** Many servers treat "_" and "-" alike. */
export const asRead = (name: string): string => name.toLowerCase().replaceAll("_", "-");

function rulesOf(name: string): HeaderRules {
  const read = asRead(name);
  const listed = exact.get(read) ?? prefixes.find(({ prefix }) => read.startsWith(prefix))?.rules;
  if (listed === undefined) return unlisted;
  const isSpelled = read === name.toLowerCase();
  if (isSpelled) return listed;
  // Spelling variants matter only for headers with special treatment.
  const isFree = listed.sent === "named" && listed.isSettable;
  return isFree ? unlisted : { ...reserved, isSettable: listed.isSettable };
}

export const headerRules: (name: string) => HeaderRules = memoizedByText(rulesOf);
