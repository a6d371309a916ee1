/** Spans as OTLP/HTTP in JSON, sent once, with a deadline. */
import { whyNoAnswer } from "../domain/network-fault.ts";
import { SpanKind, SpanStatusCode, type SpanContext } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Span } from "../domain/audit/trace.ts";

/** Where spans go. */
export interface TraceTarget {
  /** the collector's, path included */
  url: string;
  /** headers of the request, which usually hold a secret */
  headers: Record<string, string>;
  serviceName: string;
}

/** A span, and `context`, which has the span's own id and the id of its trace. */
export interface Placed {
  span: Span;
  context: SpanContext;
}

/** Far below the 30 s that the runtime leaves for work after the answer. */
const deadlineMs = 5_000;
/** A collector's answer is small. A larger body is no collector's answer and isn't read. */
const mostResponseBytes = 10_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

export function encode(placed: readonly Placed[], serviceName: string): Uint8Array<ArrayBuffer> {
  const resource = resourceFromAttributes({ "service.name": serviceName });
  const spans = placed.map(({ span, context }): ReadableSpan => ({
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(span.parentSpanId === null
      ? {}
      : {
          parentSpanContext: {
            traceId: context.traceId,
            spanId: span.parentSpanId,
            traceFlags: context.traceFlags,
            isRemote: span.parentIsRemote,
          },
        }),
    startTime: millisToHrTime(span.startedAt),
    endTime: millisToHrTime(span.endedAt),
    duration: millisToHrTime(span.endedAt - span.startedAt),
    ended: true,
    status: { code: span.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    resource,
    instrumentationScope: { name: "sampling-router" },
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }));
  return new Uint8Array(JsonTraceSerializer.serializeRequest(spans) ?? []);
}

/** How many spans, or points of figures, the collector says that it did not take, in an answer that is a success. */
async function rejectedIn(response: Response): Promise<number> {
  const reader = response.body?.getReader();
  const bytes: number[] = [];
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (bytes.length + part.value.length > mostResponseBytes) {
      await reader?.cancel();
      return 0;
    }
    bytes.push(...part.value);
  }
  const { partialSuccess = {} } = JsonTraceSerializer.deserializeResponse(
    Uint8Array.from(bytes),
  ) as { partialSuccess?: Record<string, unknown> };
  // Protobuf's JSON has 64-bit integers as text.
  return Number(partialSuccess["rejectedSpans"] ?? partialSuccess["rejectedDataPoints"] ?? 0);
}

/**
 * null when the collector took the spans, else what went wrong: host, port and cause, and nothing else
 * of the URL, the headers or the answer.
 */
export async function send(
  body: Uint8Array<ArrayBuffer>,
  target: Pick<TraceTarget, "url" | "headers">,
  call: typeof fetch,
): Promise<string | null> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await call(target.url, {
      method: "POST",
      // A redirect could carry the headers to another host.
      redirect: "manual",
      headers: { ...target.headers, "Content-Type": "application/json" },
      body,
      signal,
    });
    if (response.ok) {
      const rejected = await rejectedIn(response);
      return rejected === 0 ? null : `rejected ${rejected}`;
    }
    await response.body?.cancel();
    return `status ${response.status}`;
  } catch (thrown) {
    return `no answer from ${whyNoAnswer(target.url, thrown)}`;
  }
}
