/** A bridge has no connection to the client between requests, so only the router can answer sampling. */
import { isObject, own, type JsonObject } from "../json.ts";
import { contentNegotiationKey } from "../sampling/negotiation.ts";
import type { Refusal } from "../refusals.ts";
import { headerRules } from "./header-table.ts";
import type { IsSent } from "./proxied-headers.ts";
import type { McpServer, SamplingMode } from "./server.ts";

/** Requests with the same meaning in both eras. */
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

/** What a server may notify of, and clients may ignore. */
const notified: Readonly<Record<string, readonly string[]>> = {
  tools: ["listChanged"],
  prompts: ["listChanged"],
  resources: ["listChanged", "subscribe"],
};

/** The capabilities of a server that work between the eras. */
export const bridgedOffers = (capabilities: unknown): JsonObject =>
  Object.fromEntries(
    ["tools", "prompts", "resources", "completions", "logging"].flatMap((name) => {
      const offered = own(capabilities, name);
      if (!isObject(offered)) return [];
      const flags = (notified[name] ?? []).filter((flag) => offered[flag] === true);
      return [[name, Object.fromEntries(flags.map((flag) => [flag, true]))]];
    }),
  );

/** What a client of 2026-07-28 wants to be notified of. */
export interface SubscriptionFilter {
  toolsListChanged?: true;
  promptsListChanged?: true;
  resourcesListChanged?: true;
  resourceSubscriptions?: readonly string[];
}

/** The part of a filter that a server can fulfil. */
export function honoredBy(capabilities: unknown, filter: SubscriptionFilter): SubscriptionFilter {
  const flag = (name: string, of: string): boolean => own(own(capabilities, name), of) === true;
  return {
    ...(filter.toolsListChanged && flag("tools", "listChanged") && { toolsListChanged: true }),
    ...(filter.promptsListChanged &&
      flag("prompts", "listChanged") && { promptsListChanged: true }),
    ...(filter.resourcesListChanged &&
      flag("resources", "listChanged") && { resourcesListChanged: true }),
    ...(filter.resourceSubscriptions &&
      flag("resources", "subscribe") && { resourceSubscriptions: filter.resourceSubscriptions }),
  };
}

/** Everything that a server notifies of without a subscription. */
export const everyChange: SubscriptionFilter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
};

/** Only content negotiation; the client can't be asked anything. */
export function bridgedDeclarations(capabilities: unknown): JsonObject {
  const negotiation = own(own(capabilities, "extensions"), contentNegotiationKey);
  return negotiation === undefined ? {} : { extensions: { [contentNegotiationKey]: negotiation } };
}

/** Clients can't be asked across eras. */
export function bridgedMode(mode: SamplingMode): SamplingMode {
  if (mode === "client-then-router") return "router";
  return mode === "client" ? "deny" : mode;
}

const untranslated =
  "the router doesn't translate such requests between 2026-07-28 and older revisions, whatever the client declares";

export const notTranslated = (client: "legacy" | "modern"): string =>
  client === "legacy"
    ? `${untranslated}: use a client of 2026-07-28, or a server that speaks the client's revision`
    : `${untranslated}: use a client of both eras with bridge "fallback" in the server's entry, or a server of 2026-07-28`;

/** The refusal of a request that one of the eras lacks. @param client its era */
export const notCrossing = (method: string, client: "legacy" | "modern"): Refusal => ({
  reason: "method_not_found",
  method: method.slice(0, 100),
  detail: notTranslated(client),
});

/** For the check of an entry. */
export const parkingSentence =
  "With parking, each call of a 2026-07-28 client that declares elicitation has its own session: two more requests to the server to begin it, and one to end it. On Cloudflare, the call's object is billed while the call waits.";

/** Whether clients that only support 2026-07-28 can't use the server. */
export const needsAlways = ({ learned, bridge }: Pick<McpServer, "learned" | "bridge">): boolean =>
  learned.era === "legacy" && bridge === "fallback";

export const olderServerHint =
  'This server speaks only revisions before 2026-07-28: begin with initialize. For clients that know only 2026-07-28, set bridge to "always" in the server\'s entry.';

export const newerServerMessage = (revisions: readonly string[]): string =>
  `It speaks only revisions newer than this router: ${revisions.slice(0, 5).join(", ")}.`;

/** May identify the client. Unknown headers count: an extra session is safer than a shared one. */
export const personalHeaders = (
  headers: Iterable<[string, string]>,
  isSent: IsSent,
): [string, string][] =>
  [...headers]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => isSent(name) && headerRules(name).identifies)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
