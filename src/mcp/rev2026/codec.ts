/** 2026-07-28: no session, and capabilities in each request's `_meta`. */
import { metaKey } from "../meta-key.ts";
import { forVersion } from "../../domain/sampling/capabilities.ts";
import { isObject, own, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { SamplingAnswer, SamplingCall } from "../../domain/sampling/call.ts";
import type { Codec } from "../codec.ts";
import { modernWireOf } from "../faults.ts";
import { serverInfo } from "../initialize.ts";
import { createLegacyCodec } from "../rev2025/codec.ts";

export const modernRevision = "2026-07-28";

// Blocks and params are those of 2025-11-25.
const shared = createLegacyCodec("2025-11-25");

export const modernCodec: Codec = {
  revision: modernRevision,
  decodeCall: shared.decodeCall,
  unknownIn: shared.unknownIn,
  encodeAnswer: (answer, call, meta) => ({
    resultType: "complete",
    ...shared.encodeAnswer(answer, call, { [metaKey("serverInfo")]: { ...serverInfo }, ...meta }),
  }),
  wireOf: modernWireOf,
  capabilitiesOf: (raw) => forVersion(raw, modernRevision),
};

/** A sampling result within `inputResponses`, which has no `resultType`. */
export const encodeInput = (answer: SamplingAnswer, call: SamplingCall): JsonObject =>
  shared.encodeAnswer(answer, call, {});

export interface ModernMeta {
  revision: string;
  /** as declared */
  capabilities: JsonObject;
  clientInfo: JsonObject;
}

const refuse = (name: string, detail: string): Result<never, Refusal> =>
  err({ reason: "invalid_params", path: `_meta.${metaKey(name)}`, detail });

export function decodeModernMeta(params: JsonObject): Result<ModernMeta, Refusal> {
  const meta = own(params, "_meta");
  const revision = own(meta, metaKey("protocolVersion"));
  if (typeof revision !== "string") return refuse("protocolVersion", "Required, a string.");
  const capabilities = own(meta, metaKey("clientCapabilities"));
  if (!isObject(capabilities)) return refuse("clientCapabilities", "Required, an object.");
  const clientInfo = own(meta, metaKey("clientInfo"));
  return ok({ revision, capabilities, clientInfo: isObject(clientInfo) ? clientInfo : {} });
}

/** Headers must match the body. */
export function checkHeaders(
  headers: { get(name: string): string | null },
  body: { revision: string; method: string },
): Result<null, Refusal> {
  const expected = { "MCP-Protocol-Version": body.revision, "Mcp-Method": body.method };
  for (const [header, value] of Object.entries(expected)) {
    const found = headers.get(header);
    if (found !== value) return err({ reason: "header_mismatch", header, missing: found === null });
  }
  return ok(null);
}
