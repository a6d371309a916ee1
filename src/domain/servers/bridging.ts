/**
 * What crosses eras, and what does not. A bridge holds no connection to the client between requests, so it can
 * ask the client nothing: only the router itself answers.
 */
import { isObject, own, type JsonObject } from "../json.ts";
import { contentNegotiationKey } from "../sampling/negotiation.ts";
import { headerRules } from "./header-table.ts";
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

/** What a server offers across eras: no flags, since the bridge tells of no changes and takes no subscriptions. */
export const bridgedOffers = (capabilities: unknown): JsonObject =>
  Object.fromEntries(
    ["tools", "prompts", "resources", "completions"].flatMap((name) =>
      isObject(own(capabilities, name)) ? [[name, {}]] : [],
    ),
  );

/** What a client declares across eras: which content it likes. What it could be asked stays behind. */
export function bridgedDeclarations(capabilities: unknown): JsonObject {
  const negotiation = own(own(capabilities, "extensions"), contentNegotiationKey);
  return negotiation === undefined ? {} : { extensions: { [contentNegotiationKey]: negotiation } };
}

/** No client can be asked across eras. What the client would answer is the router's to answer, or nobody's. */
export function bridgedMode(mode: SamplingMode): SamplingMode {
  if (mode === "client-then-router") return "router";
  return mode === "client" ? "deny" : mode;
}

const untranslated =
  "the router doesn't translate such requests between 2026-07-28 and older revisions, whatever the client declares";

/** Why a server can't ask a client of the other era, and the way out. @param client the client's era */
export const notTranslated = (client: "legacy" | "modern"): string =>
  client === "legacy"
    ? `${untranslated}: use a client of 2026-07-28, or a server that speaks the client's revision`
    : `${untranslated}: use a client of both eras with bridge "fallback" in the server's entry, or a server of 2026-07-28`;

/** Whether clients of 2026-07-28 alone can't use the server, as far as it is known. */
export const needsAlways = ({ learnt, bridge }: Pick<McpServer, "learnt" | "bridge">): boolean =>
  learnt.era === "legacy" && bridge === "fallback";

/** The sentence for a client that sends `server/discover` to such a server. */
export const olderServerHint =
  'This server speaks only revisions before 2026-07-28: begin with initialize. For clients that know only 2026-07-28, set bridge to "always" in the server\'s entry.';

/** @param revisions the only ones that the server speaks, in its own words */
export const newerServerWords = (revisions: readonly string[]): string =>
  `It speaks only revisions newer than this router: ${revisions.slice(0, 5).join(", ")}.`;

/**
 * Of the client's headers that go to the server, those that may say who the client is, in one order. A header
 * counts unless it is known to be harmless: a session too many is better than one with two owners.
 */
export const personalHeaders = (
  headers: Iterable<[string, string]>,
  isSent: IsSent,
): [string, string][] =>
  [...headers]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => isSent(name) && headerRules(name).identifies)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
