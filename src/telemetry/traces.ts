/**
 * Exports traces in batches: when the last concurrent request ends, and in a busy process by count or after a
 * second.
 */
import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import type { Trace, Traces } from "../domain/audit/trace.ts";
import { encode, send, type Placed, type TraceTarget } from "./otlp.ts";
import { headersOf, parentIn } from "./propagation.ts";

const maxPerExport = 64;
const exportDelayMs = 1_000;
/** The runtime may end an invocation before it exports; after this time, another invocation does. */
const takeoverMs = 2 * exportDelayMs;

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** Forwards the caller's context unchanged. */
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
  /** `null` if tracing is off */
  target: TraceTarget | null;
  fetch: typeof fetch;
  randomBytesOf: (count: number) => Uint8Array;
  /** Lets `work` continue after the response is sent. */
  background: (work: Promise<unknown>) => void;
  wait: (ms: number) => Promise<void>;
  /** ms, monotonic */
  elapsed: () => number;
  log: (entry: Record<string, unknown>) => void;
}): Traces {
  const { target, randomBytesOf, background, wait, elapsed, log } = deps;
  let open = 0;
  let waiting: (() => Placed[])[] = [];
  /** ms, monotonic; `null` if no export is pending */
  let pendingUntil: number | null = null;

  const sendWaiting = async (to: TraceTarget): Promise<void> => {
    const made = waiting;
    waiting = [];
    // After the caller's answer.
    await wait(0);
    let spans = 0;
    try {
      const placed = made.flatMap((make) => make());
      spans = placed.length;
      const fault = await send(encode(placed, to.serviceName), to, deps.fetch);
      if (fault !== null) log({ event: "telemetry", fault, spans });
    } catch {
      log({ event: "telemetry", fault: "internal", spans });
    }
  };

  const exportLater = async (to: TraceTarget): Promise<void> => {
    pendingUntil = elapsed() + takeoverMs;
    await wait(exportDelayMs);
    pendingUntil = null;
    if (waiting.length > 0) await sendWaiting(to);
  };

  return {
    join(propagated) {
      const parent = parentIn(propagated);
      // Samples everything unless the caller's trace is not sampled.
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
          waiting.push(() => spans().map((span) => ({ span, context: contextOf(span.spanId) })));
          open -= 1;
          if (open === 0 || waiting.length >= maxPerExport) background(sendWaiting(target));
          else if (pendingUntil === null || pendingUntil <= elapsed())
            background(exportLater(target));
        },
      };
    },
  };
}
