/** Exports spans as OTLP/HTTP in JSON: one attempt with a deadline. */
import { noAnswerReason } from "../domain/network-fault.ts";
import { SpanKind, SpanStatusCode, type SpanContext } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Span } from "../domain/audit/trace.ts";

export interface TraceTarget {
  /** including the path */
  url: string;
  /** usually contain a secret */
  headers: Record<string, string>;
  serviceName: string;
}

/** `context` has the ids of span and trace. */
export interface Placed {
  span: Span;
  context: SpanContext;
}

/** ms, far below the runtime's 30 s of `waitUntil`. */
const deadlineMs = 5_000;
const maxResponseBytes = 10_000;

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

/** Partial success: how many items were rejected. */
async function rejectedIn(response: Response): Promise<number> {
  const reader = response.body?.getReader();
  const bytes: number[] = [];
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (bytes.length + part.value.length > maxResponseBytes) {
      await reader?.cancel();
      return 0;
    }
    bytes.push(...part.value);
  }
  const { partialSuccess = {} } = JsonTraceSerializer.deserializeResponse(
    Uint8Array.from(bytes),
  ) as { partialSuccess?: Record<string, unknown> };
  // Protobuf's JSON encodes 64-bit integers as text.
  return Number(partialSuccess["rejectedSpans"] ?? partialSuccess["rejectedDataPoints"] ?? 0);
}

/** `null` on success, else host, port, and cause only. */
export async function send(
  body: Uint8Array<ArrayBuffer>,
  target: Pick<TraceTarget, "url" | "headers">,
  call: typeof fetch,
): Promise<string | null> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await call(target.url, {
      method: "POST",
      // A redirect could leak the headers.
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
    return `no answer from ${noAnswerReason(target.url, thrown)}`;
  }
}
