import { mcpStatusOf, refusalTable, type Refusal } from "../domain/refusals.ts";
import type { Wire } from "./codec.ts";

const wireOf = (refusal: Refusal): Wire => ({
  code: refusalTable[refusal.reason].code,
  status: mcpStatusOf(refusal),
});

/** Source: 2025-11-25, "Elicitation", "URL Elicitation Required Error". */
const elicitationNeeded = -32042;

export const legacyWireOf = (refusal: Refusal): Wire =>
  refusal.reason === "authorization_needed" && refusal.elicitations !== undefined
    ? { ...wireOf(refusal), code: elicitationNeeded }
    : wireOf(refusal);

export const capabilityMissingCode = -32021;

/**
 * Errors only modern servers send. Source: 2026-07-28, basic/transports/streamable-http, "Backward
 * Compatibility".
 */
export const modernErrorCodes: ReadonlySet<unknown> = new Set([
  refusalTable.header_mismatch.code,
  capabilityMissingCode,
  refusalTable.unsupported_protocol_version.code,
]);

/** The revision prescribes code and status of two refusals. */
export function modernWireOf(refusal: Refusal): Wire {
  if (refusal.reason === "capability_missing") return { code: capabilityMissingCode, status: 400 };
  if (refusal.reason === "method_not_found")
    return { code: refusalTable.method_not_found.code, status: 404 };
  return wireOf(refusal);
}

export const missingMetaWire: Wire = { code: refusalTable.invalid_params.code, status: 400 };
