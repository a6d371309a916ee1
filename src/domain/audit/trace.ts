/** W3C Trace Context. Spans are derived after the request has ended; a running call carries only ids. */

export interface Propagated {
  traceparent: string | null;
  tracestate: string | null;
}

export type Attributes = Record<string, string | number | boolean | string[]>;

export interface Span {
  name: string;
  /** `server`: the incoming request; `client`: a provider call */
  kind: "server" | "client";
  spanId: string;
  parentSpanId: string | null;
  parentIsRemote: boolean;
  startedAt: number;
  endedAt: number;
  failed: boolean;
  attributes: Attributes;
}

export interface Trace {
  /** 32 hex digits; null: not traced */
  traceId: string | null;
  recorded: { spanId: string; parentSpanId: string | null } | null;
  /** A new span id and its propagation headers; the caller's own context if nothing is recorded. */
  child(): { spanId: string; headers: Record<string, string> };
  /** Returns immediately. Spans are built and sent after the answer; failures are only logged. */
  end(spans: () => readonly Span[]): void;
}

export interface Traces {
  /** Joins the caller's trace or starts one. A malformed context counts as none. */
  join(propagated: Propagated): Trace;
}
