type Bytes = Uint8Array<ArrayBuffer>;

export interface UpstreamRequest {
  url: string;
  method: "POST" | "GET" | "DELETE";
  headers: Record<string, string>;
  body: Bytes | string | null;
  signal: AbortSignal;
}

export interface AnswerReader {
  read(): Promise<{ done: false; value: Bytes } | { done: true; value?: Bytes | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** A web stream, or a host's cheaper equivalent. */
export interface AnswerBody extends AsyncIterable<Bytes> {
  getReader(): AnswerReader;
  cancel(reason?: unknown): Promise<void>;
}

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

/** Does not follow redirects. Rejects without an answer. */
export type UpstreamFetch = (request: UpstreamRequest) => Promise<UpstreamAnswer>;
