/**
 * What crosses eras, and what does not. Whoever bridges holds no connection to the client between
 * requests, so nobody can be asked anything but the router itself.
 */
import { isObject, own, type JsonObject } from "../json.ts";
import { contentNegotiationKey } from "../sampling/negotiation.ts";
import type { IsSent } from "./proxied-headers.ts";
import type { McpServer, SamplingMode } from "./server.ts";

/** Requests that mean the same in both eras. */
export const bridgedMethods: readonly string[] = [
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
];

/** What a server offers that crosses: no flags, since nothing tells of changes or takes subscriptions. */
export const bridgedOffers = (capabilities: unknown): JsonObject =>
  Object.fromEntries(
    ["tools", "prompts", "resources", "completions"].flatMap((name) =>
      isObject(own(capabilities, name)) ? [[name, {}]] : [],
    ),
  );

/** What a client declares that crosses: which content it likes. What it could be asked does not. */
export function bridgedDeclarations(capabilities: unknown): JsonObject {
  const negotiation = own(own(capabilities, "extensions"), contentNegotiationKey);
  return negotiation === undefined ? {} : { extensions: { [contentNegotiationKey]: negotiation } };
}

/** No client can be asked across eras: what was its own to answer is the router's, or nobody's. */
export function bridgedMode(mode: SamplingMode): SamplingMode {
  if (mode === "client-then-router") return "router";
  return mode === "client" ? "deny" : mode;
}

/** Whether clients of 2026-07-28 alone find no way to a server, as far as it is known. */
export const needsAlways = ({ learnt, bridge }: Pick<McpServer, "learnt" | "bridge">): boolean =>
  learnt.era === "legacy" && bridge === "fallback";

/** For whoever sends `server/discover` to it. */
export const olderServerHint =
  'This server speaks only revisions before 2026-07-28: begin with initialize. For clients that know only 2026-07-28, set bridge to "always" in the server\'s entry.';

/** Headers that say nothing of who the client is to the server. */
const impersonal = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  // Never sent on.
  "cookie",
  "expect",
  "forwarded",
  "host",
  "idempotency-key",
  "keep-alive",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "pragma",
  "priority",
  "referer",
  "traceparent",
  "tracestate",
  "baggage",
  "transfer-encoding",
  "user-agent",
  "via",
  "x-real-ip",
  "x-request-id",
  // Told apart as the key, or as the authorization that is forwarded.
  "authorization",
  "x-sampling-router-key",
]);

/**
 * Of the client's headers that go to the server, those that may make the client somebody else there, in
 * one order. Whatever isn't known to be harmless counts: a session too many is better than one with two
 * owners.
 */
export const personalHeaders = (
  headers: Iterable<[string, string]>,
  isSent: IsSent,
): [string, string][] =>
  [...headers]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => isSent(name) && !impersonal.has(name) && !name.startsWith("mcp-param-"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
