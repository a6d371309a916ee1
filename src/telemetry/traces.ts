/** The port to traces for one invocation: what its requests record is sent once, after the last of them. */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import type { Trace, Traces } from "../domain/trace.ts";
import { send, type Placed, type TraceTarget } from "./otlp.ts";
import { headersOf, parentIn } from "./propagation.ts";

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** A context that is only handed on: nobody here records, so the caller's span stays the parent. */
function passed(parent: SpanContext | null): Trace {
  const headers = parent === null ? {} : headersOf(parent);
  return {
    traceId: parent?.traceId ?? null,
    recorded: null,
    child: () => ({ spanId: "", headers }),
    end: () => {},
  };
}

export function createTraces(deps: {
  /** null: nothing is recorded */
  target: TraceTarget | null;
  fetch: typeof fetch;
  randomBytesOf: (count: number) => Uint8Array;
  /** Keeps work alive after the response. */
  background: (work: Promise<unknown>) => void;
  log: (entry: Record<string, unknown>) => void;
}): Traces {
  const { target, randomBytesOf, background, log } = deps;
  let open = 0;
  let waiting: Placed[] = [];

  const flush = async (placed: Placed[], to: TraceTarget): Promise<void> => {
    const fault = await send(placed, to, deps.fetch);
    if (fault !== null) log({ event: "telemetry", fault, spans: placed.length });
  };

  return {
    join(propagated) {
      const parent = parentIn(propagated);
      // As OpenTelemetry's default sampler: everything, unless the caller's trace is not sampled.
      if (target === null || (parent !== null && !isSampled(parent))) return passed(parent);
      open += 1;
      const newSpanId = (): string => hexOf(randomBytesOf(8));
      const contextOf = (spanId: string): SpanContext => ({ ...base, spanId });
      const base: Omit<SpanContext, "spanId"> = {
        traceId: parent?.traceId ?? hexOf(randomBytesOf(16)),
        traceFlags: parent?.traceFlags ?? TraceFlags.SAMPLED,
        ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
      };
      return {
        traceId: base.traceId,
        recorded: { spanId: newSpanId(), parentSpanId: parent?.spanId ?? null },
        child() {
          const spanId = newSpanId();
          return { spanId, headers: headersOf(contextOf(spanId)) };
        },
        end(spans) {
          waiting.push(...spans.map((span) => ({ span, context: contextOf(span.spanId) })));
          open -= 1;
          if (open > 0 || waiting.length === 0) return;
          background(flush(waiting, target));
          waiting = [];
        },
      };
    },
  };
}
