/**
 * The port to traces. What a request is part of comes from its caller (W3C Trace Context); what is
 * recorded of it is derived once it is over, so that ids are all that a running call has to carry.
 */

/** The caller's `traceparent` and `tracestate`, as they came; null: none. */
export interface Propagated {
  traceparent: string | null;
  tracestate: string | null;
}

export const unpropagated: Propagated = { traceparent: null, tracestate: null };

/** Names and values as the semantic conventions have them. Never content, keys or headers. */
export type Attributes = Record<string, string | number | boolean | string[]>;

export interface Span {
  name: string;
  /** `server`: what our caller asked of us; `client`: what we asked of a provider */
  kind: "server" | "client";
  /** 16 hex digits, as is `parentSpanId` */
  spanId: string;
  parentSpanId: string | null;
  /** whether the parent is the caller's span */
  parentIsRemote: boolean;
  /** ms since the epoch */
  startedAt: number;
  endedAt: number;
  failed: boolean;
  attributes: Attributes;
}

/** One request's place in a trace. */
export interface Trace {
  /** 32 hex digits; null: nobody traces this request */
  traceId: string | null;
  /** ids of the request's own span and of the caller's; null: nothing is recorded */
  recorded: { spanId: string; parentSpanId: string | null } | null;
  /** A new span's id, and what tells a provider of it. Nothing recorded: the caller's own context. */
  child(): { spanId: string; headers: Record<string, string> };
  /**
   * Called once. Returns at once: the spans are made and sent after the answer, where a failure,
   * even a bug, is one line in the log. Nothing recorded: they aren't made.
   */
  end(spans: () => readonly Span[]): void;
}

export interface Traces {
  /** Joins the caller's trace, or begins one; a malformed context counts as none, as W3C says. */
  join(propagated: Propagated): Trace;
}
