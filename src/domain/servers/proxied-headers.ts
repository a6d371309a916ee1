/**
 * Which headers cross the proxy, by lists of those that may. The attacks: a client's `Remote-User` or
 * `X-Forwarded-User`, which a server takes for its own gateway's word; a server's `X-Accel-Redirect` or
 * `X-Sendfile`, which a proxy before the router obeys; a server's `RateLimit` or `X-Request-Id`, which the
 * client takes for the router's.
 */
import { hopsHeader } from "./hops.ts";

/** Stands in `passHeaders` of entries that are older than the lists: everything except `keptBack`. */
export const everyHeader = "*";

/** The router's `User-Agent` towards a server, where the client's own is not sent on. */
export const routerAgent = "sampling-router";

/** The client's headers that every server gets. All names here are in lower case. */
const alwaysSent: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "baggage",
  "content-type",
  "last-event-id",
  "traceparent",
  "tracestate",
]);

/**
 * Headers that belong to one hop (RFC 9110, section 7.6.1), to this one's caller, or to a browser; or that make
 * some servers take the request for one to another place, or with another method.
 */
const keptBack: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-real-ip",
  "x-rewrite-url",
  hopsHeader,
  "x-sampling-router-key",
]);
const keptBackPrefix = /^(cf-|sec-|x-forwarded-|access-control-)/;

/** Many servers read `-` and `_` as one character, so one header would stand for another's name. */
const asRead = (name: string): string => name.replaceAll("_", "-");

const isKeptBack = (name: string): boolean => keptBack.has(name) || keptBackPrefix.test(name);

/** Whether a server gets a header of the client's. `name` is in lower case. */
export type IsSent = (name: string) => boolean;

const isAlwaysSent: IsSent = (name) => alwaysSent.has(name) || name.startsWith("mcp-");
const isSentByDefault: IsSent = (name) => name !== "mcp_session_id" && !isKeptBack(asRead(name));

/** @param passHeaders the names in the server's entry */
export function sentBy(passHeaders: readonly string[]): IsSent {
  if (passHeaders.length === 0) return isAlwaysSent;
  if (passHeaders.includes(everyHeader)) return isSentByDefault;
  const named = new Set(passHeaders.map((name) => name.toLowerCase()));
  // A row may be older than today's rule for names, or somebody else may have written it.
  return (name) => isAlwaysSent(name) || (named.has(name) && isSentByDefault(name));
}

/**
 * The client's headers as they are sent to a server.
 *
 * @param own headers that the entry adds; the client's header of the same name, however it is spelled, is not
 * sent beside one of them
 */
export function sentHeaders(
  from: Headers,
  { passHeaders, own }: { passHeaders: readonly string[]; own: Record<string, string> },
): Record<string, string> {
  const isSent = sentBy(passHeaders);
  const owned = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const connection = from.get("connection");
  const named = new Set(connection?.split(",").map((name) => name.trim().toLowerCase()));
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (isSent(name) && !named.has(name) && !owned.has(asRead(name))) headers[name] = value;
  });
  // Some services refuse requests without a `User-Agent`.
  headers["user-agent"] ??= routerAgent;
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  return headers;
}

/** A server's headers that its client gets. */
const returned: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-language",
  "content-type",
  "last-modified",
  "retry-after",
]);

/** RFC 9111, section 5.2, as far as directives are well formed. */
const directive = /^[a-z-]+(?:=(?:[\w-]+|"[^"\\,]*"))?$/i;
const ofSharedCaches = /^(public|s-maxage|proxy-revalidate|private)(=|$)/i;

/**
 * A server's rules for caches, made at least as strict as `private`: an answer is for one key.
 *
 * @param rules a `Cache-Control` header; null: there is none
 */
export function privateRules(rules: string | null): string {
  if (rules === null || rules === "") return "private";
  const directives = rules.split(",").map((each) => each.trim());
  // A comma may stand inside a quoted text. A cache that reads such a list otherwise could find
  // `public` in it.
  if (!directives.every((each) => directive.test(each))) return "no-store";
  return ["private", ...directives.filter((each) => !ofSharedCaches.test(each))].join(", ");
}

/** Headers of a server's response as the client may see them, with names in lower case. */
export function returnedHeaders(from: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (returned.has(name) || name.startsWith("mcp-")) headers[name] = value;
  });
  headers["cache-control"] = privateRules(from.get("cache-control"));
  return headers;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const mostNames = 32;

function problemWithName(name: string): string | null {
  if (name === everyHeader) return '"*" stands alone: it names every header.';
  if (!token.test(name)) return "A header's name is a token of at most 100 characters.";
  const read = asRead(name.toLowerCase());
  if (read === "authorization")
    return "Set forwardAuthorization: a client's Authorization goes on by that alone.";
  if (read === "cookie") return "Cookies of the router's own origin go to no server.";
  if (isKeptBack(read) || read.startsWith("x-sampling-router-"))
    return "This header belongs to one connection, to a browser, or to the router.";
  if (read.startsWith("mcp-")) return "Headers of the protocol go on by themselves.";
  return null;
}

/** What is wrong with an entry's `passHeaders`; null: nothing. `index` null: the list as a whole is wrong. */
export function problemWithPassHeaders(
  names: readonly string[],
): { index: number | null; detail: string } | null {
  if (names.length === 1 && names[0] === everyHeader) return null;
  if (names.length > mostNames) return { index: null, detail: `At most ${mostNames} names.` };
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const detail = problemWithName(name);
    if (detail !== null) return { index, detail };
    if (seen.has(name.toLowerCase())) return { index, detail: "Named twice." };
    seen.add(name.toLowerCase());
  }
  return null;
}

/** For the check of an entry: which of its clients' headers the entry lets through; null: none beyond the list. */
export function passedSentence(passHeaders: readonly string[]): string | null {
  if (passHeaders.length === 0) return null;
  return passHeaders.includes(everyHeader)
    ? 'passHeaders is "*": nearly every header of a client goes on, also such as Remote-User or X-Request-Id. Name those that the server needs.'
    : `Of a client's headers these go on too: ${passHeaders.join(", ")}.`;
}
