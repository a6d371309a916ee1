/** W3C Trace Context by OpenTelemetry's propagator, with plain values and no ambient context. */
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

/** Sampled and random. Others must be sent as 0; the library forwards them. */
const knownFlags = 0b11;
/** `tracestate` may be cut at 512 characters. */
const maxCharacters = 2_048;

/** `null` if missing or malformed. */
export function parentIn({ traceparent, tracestate }: Propagated): SpanContext | null {
  if (traceparent === null || traceparent.length > maxCharacters) return null;
  const carrier = {
    traceparent,
    ...(tracestate === null || tracestate.length > maxCharacters ? {} : { tracestate }),
  };
  const found = trace.getSpanContext(
    propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter),
  );
  if (found === undefined) return null;
  const { traceState, ...context } = found;
  return {
    ...context,
    traceFlags: context.traceFlags & knownFlags,
    // A list without valid members would become an empty header.
    ...(traceState === undefined || traceState.serialize() === "" ? {} : { traceState }),
  };
}

export function headersOf(context: SpanContext): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagator.inject(trace.setSpanContext(ROOT_CONTEXT, context), carrier, defaultTextMapSetter);
  return carrier;
}
