/**
 * `server/discover` as the router sends it, and how the answers of `server/discover` and `initialize` are made
 * from each other.
 */
import { bridgedOffers, olderServerHint } from "../../domain/servers/bridging.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { isLegacy } from "../era.ts";
import { modernErrorCodes, modernWireOf } from "../faults.ts";
import { explain } from "../../domain/refusal-words.ts";
import { serverInfo } from "../initialize.ts";
import { type RequestId } from "../json-text/exact-ids.ts";
import { errorMessage } from "../jsonrpc.ts";
import { modernRevision } from "../rev2026/codec.ts";
import { metaKey } from "../meta-key.ts";

export const discoverMethod = "server/discover";

/** This request tells the server only that a modern client asks. */
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
  /** The server refuses the question. `newer`: the only revisions that it speaks; empty: not known to be only newer ones */
  | { era: "modern"; result: null; newer: readonly string[] }
  | { era: "legacy" }
  /** neither is known: the server refused the question, or its answer makes no sense */
  | { era: null };

/** These statuses don't speak of the method, so the server may answer otherwise when it is asked again. */
const undecided = new Set([401, 402, 403, 407, 408, 425, 429]);

/** The era of a server that doesn't speak 2026-07-28, by the revisions that it names. */
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

/** The era of a server that refuses the question; null: the error says nothing of it. */
function refusedIn(error: JsonValue | undefined): Discovered | null {
  if (!modernErrorCodes.has(own(error, "code"))) return null;
  const supported = own(own(error, "data"), "supported");
  const isNamed = Array.isArray(supported) && !supported.includes(modernRevision);
  const otherwise = isNamed ? eraWithout(supported) : { era: null };
  return otherwise.era === null ? { era: "modern", result: null, newer: [] } : otherwise;
}

/**
 * The era that an answer tells of. A legacy server knows no such method, and says so in many ways.
 * @param message the answer's JSON-RPC message; undefined: it held none
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
 * The refusal of `server/discover` for a client that may speak the legacy era too. It is the server's own where
 * official SDKs take that for an older server's refusal, else HTTP 404 and -32601. It always has the client's
 * id: some SDKs take an error with another id for a broken connection.
 * @param said the server's answer; null: the server was not asked again
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

/** A program's name and version, without members that the other revision has in another shape. */
export const implementationOf = (info: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(info).filter(([name, value]) => {
      if (textsOfOne.has(name)) return typeof value === "string";
      return name !== "icons" || Array.isArray(value);
    }),
  );

/** null: the result lacks what every revision requires. */
const namedIn = (info: JsonValue | undefined): JsonObject | null =>
  isObject(info) && typeof info["name"] === "string" && typeof info["version"] === "string"
    ? implementationOf(info)
    : null;

/** A legacy server's `initialize` result, as an answer to `server/discover`. */
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

/** A modern server's discovery, as an answer to `initialize`. */
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
