/** Requests to registered servers: what the proxy needs from the network. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface UpstreamRequest {
  url: string;
  method: "POST" | "GET" | "DELETE";
  /** names in lower case */
  headers: Record<string, string>;
  body: Bytes | string | null;
  signal: AbortSignal;
}

export interface AnswerReader {
  read(): Promise<{ done: false; value: Bytes } | { done: true; value?: Bytes | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** A body while it arrives. A web stream is one, but a host may have something that costs less. */
export interface AnswerBody extends AsyncIterable<Bytes> {
  getReader(): AnswerReader;
  cancel(reason?: unknown): Promise<void>;
}

/** A server's answer, as far as the proxy reads it. A `Response` is one. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: {
    get(name: string): string | null;
    has(name: string): boolean;
    forEach(act: (value: string, name: string) => void): void;
  };
  readonly body: AnswerBody | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** One request; redirects are handed back and not followed. Rejects when nothing answers. */
export type UpstreamFetch = (request: UpstreamRequest) => Promise<UpstreamAnswer>;
