/** `server/discover` as the router sends it, and what it and `initialize` say of each other. */
import { bridgedOffers, olderServerHint } from "../../domain/servers/bridging.ts";
import { isObject, own, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { modernWireOf } from "../faults.ts";
import { explain } from "../../domain/refusals.ts";
import { serverInfo } from "../initialize.ts";
import { errorMessage, type RequestId } from "../jsonrpc.ts";
import { modernRevision } from "../rev2026/codec.ts";
import { metaKey } from "../meta-key.ts";

export const discoverMethod = "server/discover";

/** It tells a server nothing but that somebody modern asks. */
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
  | { era: "legacy" }
  /** it said neither: refused us, or talked nonsense */
  | { era: null };

/** Not about the method that was called: who is asked again later may say something else. */
const undecided = new Set([401, 402, 403, 407, 408, 425, 429]);

/**
 * What the answer tells of its server. A legacy server knows no such method, and says so in many ways.
 * @param message the JSON-RPC message of the answer; undefined: it held none
 */
export function discoveredIn(status: number, message: JsonValue | undefined): Discovered {
  const result = own(message, "result");
  const versions = own(result, "supportedVersions");
  if (status < 300 && isObject(result) && Array.isArray(versions))
    return versions.includes(modernRevision) ? { era: "modern", result } : { era: "legacy" };
  if (status < 300) return own(message, "error") === undefined ? { era: null } : { era: "legacy" };
  return status >= 400 && status < 500 && !undecided.has(status)
    ? { era: "legacy" }
    : { era: null };
}

/**
 * The refusal of `server/discover` for a client that may speak the older era too: the server's own where
 * official SDKs take it for an older server's, else HTTP 404 and -32601. Always with the client's id: some
 * SDKs take an error with another one for a broken connection.
 * @param said the server's answer; null: it was not asked again
 */
export function discoverRefusalOf(
  said: { status: number; answer: JsonObject | null } | null,
  about: { id: RequestId; requestId: string },
): { status: number; message: Record<string, unknown> } {
  const { id, requestId } = about;
  const given = said !== null && said.status >= 400 ? said : null;
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

/** How a program names itself, without what the other revision has another shape for. */
export const implementationOf = (info: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(info).filter(([name, value]) => {
      if (textsOfOne.has(name)) return typeof value === "string";
      return name !== "icons" || Array.isArray(value);
    }),
  );

/** null: it lacks what every revision wants of it. */
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
