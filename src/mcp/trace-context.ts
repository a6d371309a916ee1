/**
 * The trace that a message's sender is in. MCP reserves `_meta.traceparent` and `_meta.tracestate` (SEP-414):
 * the message's own context is nearer than that of the HTTP request, which a batch shares.
 */
import { own, type JsonValue } from "../domain/json.ts";
import type { Propagated } from "../domain/audit/trace.ts";

export function propagatedIn(
  headers: Pick<Headers, "get">,
  meta: JsonValue | undefined,
): Propagated {
  const traceparent = own(meta, "traceparent");
  const tracestate = own(meta, "tracestate");
  if (typeof traceparent === "string")
    return { traceparent, tracestate: typeof tracestate === "string" ? tracestate : null };
  return { traceparent: headers.get("traceparent"), tracestate: headers.get("tracestate") };
}
