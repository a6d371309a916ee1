/** Requests to registered servers: what the proxy needs from the network. */

export interface UpstreamRequest {
  url: string;
  method: "POST" | "GET" | "DELETE";
  /** names in lower case */
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | string | null;
  signal: AbortSignal;
}

/** One request; redirects are handed back and not followed. Rejects when nothing answers. */
export type UpstreamFetch = (request: UpstreamRequest) => Promise<Response>;
