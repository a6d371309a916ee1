/** Declines what a legacy server asks of its client: behind a bridge there is no client to ask. */
import type { Refusal } from "../../domain/refusals.ts";
import { notTranslated } from "../../domain/servers/bridging.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { errorMessage, resultMessage } from "../../mcp/jsonrpc.ts";

function refusalOf(method: string): Refusal {
  const detail = notTranslated("modern");
  if (method === "elicitation/create")
    return { reason: "capability_missing", requiredCapabilities: { elicitation: {} }, detail };
  if (method === "roots/list")
    return { reason: "capability_missing", requiredCapabilities: { roots: {} }, detail };
  return { reason: "method_not_found", method: method.slice(0, 100) };
}

export function declineClientRequest(
  { id, method }: { id: RequestId; method: string },
  requestId: string,
): Record<string, unknown> {
  if (method === "ping") return resultMessage(id, {});
  const refusal = refusalOf(method);
  return errorMessage(id, refusal, legacyWireOf(refusal).code, requestId);
}
