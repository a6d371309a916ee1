/**
 * Client capabilities, always raw, as they came off the wire: the SDKs' parsed copies lose
 * `sampling.supportedModalities`.
 */
import { isObject, own, type JsonObject } from "./json.ts";
import { modalities, type Modality } from "./modality.ts";

export type Capability = "sampling" | "sampling.tools" | "sampling.context";

const at = (capabilities: JsonObject, path: readonly string[]): unknown => {
  let value: unknown = capabilities;
  for (const key of path) value = own(value, key);
  return value;
};

/** Whether a capability is declared; a sub-capability implies its parent. */
export const supports = (capabilities: JsonObject, capability: Capability): boolean =>
  isObject(at(capabilities, capability.split(".")));

/** SEP-2278: what the client can take; omitted or unusable means text. */
export function supportedModalities(capabilities: JsonObject): Modality[] {
  const declared = at(capabilities, ["sampling", "supportedModalities"]);
  if (!Array.isArray(declared)) return ["text"];
  return modalities.filter((modality) => declared.includes(modality));
}

/** What a call needs and the client did not declare, as a capabilities object; null if nothing. */
export function missingFor(
  needs: { tools: boolean; outputModalities: readonly Modality[] },
  capabilities: JsonObject,
): JsonObject | null {
  const missing: JsonObject = {};
  if (!supports(capabilities, "sampling")) return { sampling: {} };
  if (needs.tools && !supports(capabilities, "sampling.tools")) missing["tools"] = {};
  const declared = supportedModalities(capabilities);
  const undeclared = needs.outputModalities.filter((modality) => !declared.includes(modality));
  if (undeclared.length > 0) missing["supportedModalities"] = undeclared;
  return Object.keys(missing).length === 0 ? null : { sampling: missing };
}

/** A caller without a session (`/v1/route`): everything counts as declared. */
export const everyCapability: JsonObject = {
  sampling: { tools: {}, context: {}, supportedModalities: [...modalities] },
};
