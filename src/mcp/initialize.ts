import type { ServerCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { contentNegotiationKey } from "../domain/sampling/negotiation.ts";
import { isObject, type JsonObject } from "../domain/json.ts";
import type { HostedCapabilities } from "../domain/servers/offer.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { refusalOfInput } from "./invalid-input.ts";
import { modalitiesOf } from "./rev2025/call.ts";

const object = z.custom<JsonObject>(isObject, "Not an object.");

const params = z.looseObject({
  protocolVersion: z.string(),
  capabilities: object,
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});

export interface InitializeCall {
  requestedRevision: string;
  /** as declared */
  capabilities: JsonObject;
  clientInfo: JsonObject;
}

export function decodeInitialize(wire: JsonObject): Result<InitializeCall, Refusal> {
  const parsed = params.safeParse(wire);
  if (!parsed.success) return err(refusalOfInput(parsed.error));
  return ok({
    requestedRevision: parsed.data.protocolVersion,
    capabilities: wire["capabilities"] as JsonObject,
    clientInfo: wire["clientInfo"] as JsonObject,
  });
}

export const serverInfo = { name: "sampling-router", version: "0.1.0" } as const;

/** SDK v2 uses the first method in both eras and rejects the second in 2026-07-28. */
const instructions =
  "Send sampling-router/createMessage with the params of sampling/createMessage: a model of this tenant answers, within its limits. Before 2026-07-28 sampling/createMessage means the same.";

const capabilitiesWith = (hosted: HostedCapabilities): JsonObject =>
  ({
    extensions: { [contentNegotiationKey]: {}, "sampling-router/hosted": { ...hosted } },
  }) satisfies ServerCapabilities;

export const encodeInitialize = (revision: string, hosted: HostedCapabilities): JsonObject => ({
  protocolVersion: revision,
  capabilities: capabilitiesWith({
    ...hosted,
    supportedModalities: modalitiesOf(revision).filter((kind) =>
      hosted.supportedModalities.includes(kind),
    ),
  }),
  serverInfo: { ...serverInfo },
  instructions,
});

export const encodeDiscover = (
  revisions: readonly string[],
  hosted: HostedCapabilities,
): JsonObject => ({
  resultType: "complete",
  supportedVersions: [...revisions],
  capabilities: capabilitiesWith(hosted),
  _meta: { "io.modelcontextprotocol/serverInfo": { ...serverInfo } },
  instructions,
  ttlMs: 0,
  cacheScope: "private",
});
