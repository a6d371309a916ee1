/** Requests to registered servers: what the proxy needs from whoever knows their secrets, and the network. */
import type { Answer } from "./ports.ts";
import type { SealedServer } from "./servers.ts";

export interface UpstreamRequest {
  url: string;
  method: "POST" | "GET" | "DELETE";
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | string | null;
  signal: AbortSignal;
}

/** One request; redirects are handed back and not followed. Rejects when nothing answers. */
export type UpstreamFetch = (request: UpstreamRequest) => Promise<Response>;

/** Headers that a server's entry adds: static ones, and the router's own authorization. */
export type HeadersFor = (server: SealedServer) => Answer<Record<string, string>>;

/** A server answered 401: whoever looks after its credentials is told. */
export type OnUnauthorized = (server: SealedServer) => Promise<void>;
