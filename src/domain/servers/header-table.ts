/**
 * What the proxy does with each header, in one table. Everything else is derived from it: which headers a server
 * gets, which a client gets back, which tell clients apart behind a bridge, and which an entry may set.
 *
 * A header under a spelling with underscores is never a listed one: CGI reads both spellings as one variable
 * (RFC 3875, section 4.1.18), so the other spelling would stand for the listed header's name.
 */
import { rememberedByText } from "../remembered.ts";
import { hopsHeader } from "./hops.ts";

export interface HeaderRules {
  /** The client's header goes to every server, to servers whose entry names it in `passHeaders`, or to none. */
  sent: "always" | "named" | "never";
  /** The server's header goes back to the client. */
  isReturned: boolean;
  /** The header may make its client somebody else at the server. */
  identifies: boolean;
  /** An entry may set the header itself. */
  isSettable: boolean;
}

interface HeaderRow extends HeaderRules {
  /** in lower case, separated by blanks; a name with `*` at its end is a prefix */
  names: string;
}

/** A header that stands in no row. */
const unlisted: HeaderRules = {
  sent: "named",
  isReturned: false,
  identifies: true,
  isSettable: true,
};

/** Such a header says nothing of who its client is. */
const impersonal: HeaderRules = { ...unlisted, identifies: false };
const always: HeaderRules = { ...impersonal, sent: "always" };
const never: HeaderRules = { ...impersonal, sent: "never" };
const reserved: HeaderRules = { ...never, isSettable: false };

const rows: readonly HeaderRow[] = [
  // What the client takes and sends (RFC 9110, 8.3, 12.5; MCP, Streamable HTTP): the proxy writes it itself.
  { names: "accept last-event-id", ...always, isSettable: false },
  { names: "content-type", ...always, isReturned: true, isSettable: false },
  { names: "accept-language", ...always },
  // W3C Trace Context and Baggage.
  { names: "baggage traceparent tracestate", ...always },
  // The protocol's own; an unknown `Mcp-Param-*` must be forwarded (MCP 2026-07-28, Streamable HTTP).
  { names: "mcp-*", ...always, isReturned: true, identifies: true, isSettable: false },
  {
    names: "mcp-method mcp-name mcp-protocol-version mcp-session-id mcp-param-*",
    ...always,
    isReturned: true,
    isSettable: false,
  },

  // How the body is written (RFC 9110, 8.4): as impersonal as its type, and no entry's business.
  { names: "content-encoding", ...impersonal, isSettable: false },
  { names: "cache-control", ...impersonal, isReturned: true },
  { names: "idempotency-key pragma priority user-agent x-request-id", ...impersonal },

  // Of one hop (RFC 9110, 7.6.1 and 7.8; RFC 9112, 6 and 7), or of its body's length.
  {
    names: `accept-encoding connection content-length expect host keep-alive proxy-authenticate
      proxy-authorization proxy-connection te trailer transfer-encoding upgrade`,
    ...reserved,
  },
  // Who stood before (RFC 9110, 7.6.3; RFC 7239). Only the program that forwards may say so, and no
  // client and no entry.
  { names: "forwarded via x-real-ip x-forwarded-* cf-*", ...reserved },
  // Another place or method than the request's own (RFC 9110, 7.1 and 9.1), where a server believes the header.
  {
    names: "x-http-method x-http-method-override x-method-override x-original-url x-rewrite-url",
    ...reserved,
  },
  // A browser's word for itself (Fetch, "forbidden request-header" and "CORS protocol").
  { names: "access-control-* sec-*", ...reserved },
  { names: `${hopsHeader} x-sampling-router-key x-sampling-router-*`, ...reserved },
  // The browser's too, yet servers ask for one of a known value: an entry may give it (RFC 6454, 7; RFC 9110, 10.1.3).
  { names: "origin referer", ...never },
  // A secret for this router's origin (RFC 6265, 8.6). An entry may have one for its server.
  { names: "authorization cookie", ...never },

  // What describes an answer (RFC 9110, 8.5, 8.8.2, 10.2.1, 10.2.3). The rest could speak in the router's name.
  { names: "allow content-language last-modified retry-after", ...unlisted, isReturned: true },
];

const exact = new Map<string, HeaderRules>();
const prefixes: { prefix: string; rules: HeaderRules }[] = [];
for (const { names, ...rules } of rows)
  for (const name of names.split(/\s+/))
    if (name.endsWith("*")) prefixes.push({ prefix: name.slice(0, -1), rules });
    else exact.set(name, rules);
// The longest prefix says most.
prefixes.sort((a, b) => b.prefix.length - a.prefix.length);

/** How many servers read a name: "_" and "-" as one character. */
export const asRead = (name: string): string => name.toLowerCase().replaceAll("_", "-");

function rulesOf(name: string): HeaderRules {
  const read = asRead(name);
  const listed = exact.get(read) ?? prefixes.find(({ prefix }) => read.startsWith(prefix))?.rules;
  if (listed === undefined) return unlisted;
  const isSpelled = read === name.toLowerCase();
  if (isSpelled) return listed;
  // Another spelling of a header that anybody may name is a header like any other.
  const isFree = listed.sent === "named" && listed.isSettable;
  return isFree ? unlisted : { ...reserved, isSettable: listed.isSettable };
}

/** What the proxy does with a header; its name may be spelled in any way. */
export const headerRules: (name: string) => HeaderRules = rememberedByText(rulesOf);
