/**
 * W3C Trace Context, by OpenTelemetry's own propagator, which gets and gives plain values: no ambient
 * context.
 */
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  trace,
  type SpanContext,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import type { Propagated } from "../domain/audit/trace.ts";

const propagator = new W3CTraceContextPropagator();

/**
 * Flags that version 00 knows: sampled, random. All other flags must be sent as 0, and the library
 * sends them as they came.
 */
const knownFlags = 0b11;
/** A longer `traceparent` is none that anybody sends; `tracestate` may be cut at 512 characters. */
const mostCharacters = 2_048;

/** null: the request has no trace context, or a malformed one. */
export function parentIn({ traceparent, tracestate }: Propagated): SpanContext | null {
  if (traceparent === null || traceparent.length > mostCharacters) return null;
  const carrier = {
    traceparent,
    ...(tracestate === null || tracestate.length > mostCharacters ? {} : { tracestate }),
  };
  const found = trace.getSpanContext(
    propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter),
  );
  if (found === undefined) return null;
  const { traceState, ...context } = found;
  return {
    ...context,
    traceFlags: context.traceFlags & knownFlags,
    // A list that had no valid member would travel on as an empty header, so it is left out.
    ...(traceState === undefined || traceState.serialize() === "" ? {} : { traceState }),
  };
}

export function headersOf(context: SpanContext): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagator.inject(trace.setSpanContext(ROOT_CONTEXT, context), carrier, defaultTextMapSetter);
  return carrier;
}
