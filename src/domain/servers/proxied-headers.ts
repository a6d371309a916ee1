/**
 * Which headers cross the proxy, by the table in `header-table.ts`. The attacks: a client's `Remote-User` or
 * `X-Forwarded-User`, which a server takes for its own gateway's word; a server's `X-Accel-Redirect` or
 * `X-Sendfile`, which a proxy before the router obeys; a server's `RateLimit` or `X-Request-Id`, which the
 * client takes for the router's.
 */
import type { MessageHeaders } from "./message-headers.ts";
import { asRead, headerRules } from "./header-table.ts";

/** The router's `User-Agent` towards a server, where the client's own is not sent on. */
export const routerAgent = "sampling-router";

/** Whether a server gets a header of the client's. */
export type IsSent = (name: string) => boolean;

const isAlwaysSent: IsSent = (name) => headerRules(name).sent === "always";

/** @param passHeaders the names in the server's entry */
export function sentBy(passHeaders: readonly string[]): IsSent {
  if (passHeaders.length === 0) return isAlwaysSent;
  const named = new Set(passHeaders.map((name) => name.toLowerCase()));
  return (name) => {
    const { sent } = headerRules(name);
    // A direct write to the database may have named a forbidden header.
    return sent === "always" || (sent === "named" && named.has(name.toLowerCase()));
  };
}

/**
 * The client's headers as they are sent to a server.
 *
 * @param own headers that the entry adds; the client's header of the same name, however it is spelled, is not
 * sent beside one of them
 */
export function sentHeaders(
  from: Pick<MessageHeaders, "get" | "forEach">,
  { passHeaders, own }: { passHeaders: readonly string[]; own: Record<string, string> },
): Record<string, string> {
  const isSent = sentBy(passHeaders);
  const owned = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const connection = from.get("connection");
  const named = new Set(connection?.split(",").map((name) => name.trim().toLowerCase()));
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    const isOwned = owned.size > 0 && owned.has(asRead(name));
    if (isSent(name) && !named.has(name) && !isOwned) headers[name] = value;
  });
  // Some services refuse requests without a `User-Agent`.
  headers["user-agent"] ??= routerAgent;
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  return headers;
}

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
export function returnedHeaders(from: {
  get(name: string): string | null;
  forEach(act: (value: string, name: string) => void): void;
}): Record<string, string> {
  const headers: Record<string, string> = {};
  from.forEach((value, name) => {
    if (headerRules(name).isReturned) headers[name] = value;
  });
  headers["cache-control"] = privateRules(from.get("cache-control"));
  return headers;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const mostNames = 32;

function problemWithName(name: string): string | null {
  if (name === "*") return "Name each header: none stands for all.";
  if (!token.test(name)) return "A header's name is a token of at most 100 characters.";
  const read = asRead(name);
  if (read === "authorization")
    return "Set forwardAuthorization: a client's Authorization goes on by that alone.";
  if (read === "cookie") return "Cookies of the router's own origin go to no server.";
  if (read.startsWith("mcp-")) return "Headers of the protocol go on by themselves.";
  return headerRules(name).sent === "never"
    ? "This header belongs to one connection, to a browser, or to the router."
    : null;
}

/** What is wrong with an entry's `passHeaders`; null: nothing. `index` null: the list as a whole is wrong. */
export function problemWithPassHeaders(
  names: readonly string[],
): { index: number | null; detail: string } | null {
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
export const passedSentence = (passHeaders: readonly string[]): string | null =>
  passHeaders.length === 0
    ? null
    : `Of a client's headers these go on too: ${passHeaders.join(", ")}.`;
