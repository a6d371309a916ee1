/**
 * The attacks: a client's `Remote-User`, which a server trusts; a server's `X-Accel-Redirect`, which a proxy
 * obeys.
 */
import type { MessageHeaders } from "./message-headers.ts";
import { asRead, headerRules } from "./header-table.ts";

export const routerAgent = "sampling-router";

export type IsSent = (name: string) => boolean;

const isAlwaysSent: IsSent = (name) => headerRules(name).sent === "always";

export function sentBy(passHeaders: readonly string[]): IsSent {
  if (passHeaders.length === 0) return isAlwaysSent;
  const named = new Set(passHeaders.map((name) => name.toLowerCase()));
  return (name) => {
    const { sent } = headerRules(name);
    // A direct database write may have named a forbidden header.
    return sent === "always" || (sent === "named" && named.has(name.toLowerCase()));
  };
}

/** @param own the entry's headers, which replace the client's in any spelling */
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
  // Some services reject requests without a `User-Agent`.
  headers["user-agent"] ??= routerAgent;
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  return headers;
}

/** Well-formed directives (RFC 9111, section 5.2). */
const directive = /^[a-z-]+(?:=(?:[\w-]+|"[^"\\,]*"))?$/i;
const ofSharedCaches = /^(public|s-maxage|proxy-revalidate|private)(=|$)/i;

/** Makes `Cache-Control` at least as strict as `private`, because an answer belongs to one key. */
export function privateRules(rules: string | null): string {
  if (rules === null || rules === "") return "private";
  const directives = rules.split(",").map((each) => each.trim());
  // A comma in a quoted text could hide `public` from this parser.
  if (!directives.every((each) => directive.test(each))) return "no-store";
  return ["private", ...directives.filter((each) => !ofSharedCaches.test(each))].join(", ");
}

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
const maxNames = 32;

function problemWithName(name: string): string | null {
  if (name === "*") return "Name each header: wildcards are not supported.";
  if (!token.test(name)) return "A header's name is a token of at most 100 characters.";
  const read = asRead(name);
  if (read === "authorization")
    return "Use forwardAuthorization to forward a client's Authorization.";
  if (read === "cookie") return "Cookies of the router's origin are never forwarded.";
  if (read.startsWith("mcp-")) return "Protocol headers are always forwarded.";
  return headerRules(name).sent === "never"
    ? "This header belongs to one connection, to a browser, or to the router."
    : null;
}

/** null: valid. `index` null: the whole list is invalid. */
export function problemWithPassHeaders(
  names: readonly string[],
): { index: number | null; detail: string } | null {
  if (names.length > maxNames) return { index: null, detail: `At most ${maxNames} names.` };
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const detail = problemWithName(name);
    if (detail !== null) return { index, detail };
    if (seen.has(name.toLowerCase())) return { index, detail: "Named twice." };
    seen.add(name.toLowerCase());
  }
  return null;
}

export const passedSentence = (passHeaders: readonly string[]): string | null =>
  passHeaders.length === 0
    ? null
    : `Also forwards these client headers: ${passHeaders.join(", ")}.`;
