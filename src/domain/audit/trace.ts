/**
 * The port to traces. A request's trace comes from its caller (W3C Trace Context). The request's spans are
 * derived once it is over, so a running call carries nothing but ids.
 */

/** The caller's `traceparent` and `tracestate`, as they came; null: none. */
export interface Propagated {
  traceparent: string | null;
  tracestate: string | null;
}

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
  /**
   * The id of a new span, and the headers that tell a provider of it. Where nothing is recorded, the headers
   * are the caller's own context.
   */
  child(): { spanId: string; headers: Record<string, string> };
  /**
   * Called once, and returns at once. The spans are made and sent after the answer; a failure there, even a
   * bug, is one line in the log. Where nothing is recorded, no spans are made.
   */
  end(spans: () => readonly Span[]): void;
}

export interface Traces {
  /** Joins the caller's trace, or begins one; a malformed context counts as none, as W3C says. */
  join(propagated: Propagated): Trace;
}
