/** `server/discover`, and conversion between its result and that of `initialize`. */
import { bridgedOffers, olderServerHint } from "../../domain/servers/bridging.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { isLegacy } from "../era.ts";
import { modernErrorCodes, modernWireOf } from "../faults.ts";
import { explain } from "../../domain/refusal-messages.ts";
import { serverInfo } from "../initialize.ts";
import { type RequestId } from "../json-text/exact-ids.ts";
import { errorMessage } from "../jsonrpc.ts";
import { modernRevision } from "../rev2026/codec.ts";
import { metaKey } from "../meta-key.ts";

export const discoverMethod = "server/discover";

export const discoverText = JSON.stringify({
  jsonrpc: "2.0",
  id: "sampling-router-discover",
  method: discoverMethod,
  params: {
    _meta: {
      [metaKey("protocolVersion")]: modernRevision,
      [metaKey("clientInfo")]: serverInfo,
      [metaKey("clientCapabilities")]: {},
    },
  },
});

export type Discovered =
  | { era: "modern"; result: JsonObject }
  /** the server rejects the method. `newer`: the only revisions it supports, if known */
  | { era: "modern"; result: null; newer: readonly string[] }
  | { era: "legacy" }
  /** rejected or unusable without telling the era */
  | { era: null };

/** Statuses that say nothing about the method. */
const undecided = new Set([401, 402, 403, 407, 408, 425, 429]);

function eraWithout(versions: readonly JsonValue[]): Discovered {
  if (versions.some((version) => typeof version === "string" && isLegacy(version)))
    return { era: "legacy" };
  const newer = versions.filter(
    (version): version is string =>
      typeof version === "string" &&
      /^\d{4}-\d{2}-\d{2}$/.test(version) &&
      version > modernRevision,
  );
  return newer.length === 0 ? { era: null } : { era: "modern", result: null, newer };
}

function refusedIn(error: JsonValue | undefined): Discovered | null {
  if (!modernErrorCodes.has(own(error, "code"))) return null;
  const supported = own(own(error, "data"), "supported");
  const isNamed = Array.isArray(supported) && !supported.includes(modernRevision);
  const otherwise = isNamed ? eraWithout(supported) : { era: null };
  return otherwise.era === null ? { era: "modern", result: null, newer: [] } : otherwise;
}

/**
 * Legacy servers reject the method in many ways.
 * @param message the JSON-RPC answer, if any
 */
export function discoveredIn(status: number, message: JsonValue | undefined): Discovered {
  const refused = refusedIn(own(message, "error"));
  if (refused !== null) return refused;
  const result = own(message, "result");
  const versions = own(result, "supportedVersions");
  if (status < 300 && isObject(result) && Array.isArray(versions))
    return versions.includes(modernRevision) ? { era: "modern", result } : eraWithout(versions);
  if (status < 300) return own(message, "error") === undefined ? { era: null } : { era: "legacy" };
  return status >= 400 && status < 500 && !undecided.has(status)
    ? { era: "legacy" }
    : { era: null };
}

/**
 * The refusal of `server/discover` for a client that may fall back: the server's own if SDKs recognize it, else
 * HTTP 404 and -32601. Keeps the client's id, without which some SDKs report a broken connection.
 * @param said the server's answer, if it was asked again
 */
export function discoverRefusalOf(
  discoverAnswer: { status: number; answer: JsonObject | null } | null,
  context: { id: RequestId; requestId: string },
): { status: number; message: Record<string, unknown> } {
  const { id, requestId } = context;
  const given = discoverAnswer !== null && discoverAnswer.status >= 400 ? discoverAnswer : null;
  const error = own(given?.answer, "error");
  if (given !== null && isObject(error) && Number.isSafeInteger(error["code"]))
    return { status: given.status, message: { jsonrpc: "2.0", id, error } };
  const refusal = { reason: "method_not_found", method: discoverMethod } as const;
  const { code } = modernWireOf(refusal);
  const { error: plain } = errorMessage(id, refusal, code, requestId);
  const message = `${explain(refusal)}. ${olderServerHint}`;
  return {
    status: given?.status ?? 404,
    message: { jsonrpc: "2.0", id, error: { ...(plain as JsonObject), message } },
  };
}

const instructionsIn = (from: JsonObject): JsonObject => {
  const instructions = own(from, "instructions");
  return typeof instructions === "string" ? { instructions } : {};
};

const textsOfOne = new Set(["title", "description", "websiteUrl"]);

/** Name and version only: other members differ between revisions. */
export const implementationOf = (info: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(info).filter(([name, value]) => {
      if (textsOfOne.has(name)) return typeof value === "string";
      return name !== "icons" || Array.isArray(value);
    }),
  );

const namedIn = (info: JsonValue | undefined): JsonObject | null =>
  isObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string"
    ? implementationOf(info)
    : null;

export const discoverResultOf = (initialized: JsonObject): JsonObject => {
  const info = namedIn(own(initialized, "serverInfo"));
  return {
    resultType: "complete",
    supportedVersions: [modernRevision],
    capabilities: bridgedOffers(own(initialized, "capabilities")),
    ...instructionsIn(initialized),
    ...(info === null ? {} : { _meta: { [metaKey("serverInfo")]: info } }),
    ttlMs: 0,
    cacheScope: "private",
  };
};

export const initializeResultOf = (
  discovered: JsonObject,
  { revision, slug }: { revision: string; slug: string },
): JsonObject => {
  const info = namedIn(own(own(discovered, "_meta"), metaKey("serverInfo")));
  return {
    protocolVersion: revision,
    capabilities: bridgedOffers(own(discovered, "capabilities")),
    serverInfo: info ?? { name: slug, version: "" },
    ...instructionsIn(discovered),
  };
};
