/**
 * `_meta.traceparent` and `_meta.tracestate` (SEP-414) take precedence over the HTTP request's, which a batch
 * shares.
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
