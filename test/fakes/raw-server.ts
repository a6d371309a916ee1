/** An MCP server that answers exactly what a test sets, and keeps exactly what was sent to it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawRequest {
  method: string;
  /** names in lower case */
  headers: Record<string, string>;
  /** as it came */
  text: string;
  json: RawJson;
}

export interface RawJson {
  id?: unknown;
  method?: string;
  params?: {
    name?: string;
    inputResponses?: Record<string, unknown>;
    requestState?: string;
    _meta?: Record<string, unknown>;
    [key: string]: unknown;
  };
}

/** What a handler may do with the response; `closed` resolves when its reader has gone. */
export interface RawReply {
  json(body: unknown, about?: { status?: number; headers?: Record<string, string> }): void;
  /** JSON text as it stands */
  text(body: string, about?: { status?: number; headers?: Record<string, string> }): void;
  /** Begins a stream of events; what is written goes out as it stands. */
  stream(headers?: Record<string, string>): { write(part: string | Uint8Array): void; end(): void };
  /** Resets the connection. */
  cut(): void;
  closed: Promise<void>;
}

export type RawHandler = (request: RawRequest, reply: RawReply) => void | Promise<void>;

/** The router's own question after a server's era. */
export const isProbe = (json: unknown): boolean =>
  (json as { id?: unknown } | null)?.id === "sampling-router-discover";

export interface RawServer {
  url: string;
  handle(handler: RawHandler): void;
  requests(): RawRequest[];
  clear(): void;
  stop(): Promise<void>;
}

/**
 * `probes`: the router's questions after its era, too, are the script's to answer. `port`: absent: one that is free, which
 * the router asks without `fetch`.
 */
export async function startRawServer(
  options: { probes?: "scripted"; port?: number } = {},
): Promise<RawServer> {
  const answersProbes = options.probes !== "scripted";
  let handler: RawHandler = (_, reply) => reply.text("{}");
  let seen: RawRequest[] = [];
  const open = new Set<ServerResponse>();

  const replyTo = (response: ServerResponse): RawReply => {
    const text: RawReply["text"] = (body, about = {}) => {
      response.writeHead(about.status ?? 200, {
        "Content-Type": "application/json",
        ...about.headers,
      });
      response.end(body);
    };
    return {
      text,
      json: (body, about) => text(JSON.stringify(body), about),
      stream(headers = {}) {
        response.writeHead(200, { "Content-Type": "text/event-stream", ...headers });
        response.flushHeaders();
        return { write: (part) => void response.write(part), end: () => void response.end() };
      },
      cut: () => void response.destroy(),
      closed: new Promise((resolve) => response.once("close", () => resolve())),
    };
  };

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open.add(response);
    response.once("close", () => open.delete(response));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    let json: RawJson = {};
    try {
      json = JSON.parse(text) as RawJson;
    } catch {
      // Some tests send none.
    }
    if (isProbe(json) && answersProbes) {
      // Requests that ask for the server's era are no part of any script.
      const result = {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private",
      };
      return replyTo(response).json({ jsonrpc: "2.0", id: json.id, result });
    }
    const arrived: RawRequest = {
      method: request.method ?? "",
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      text,
      json,
    };
    seen.push(arrived);
    await handler(arrived, replyTo(response));
  };
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    handle: (next) => (handler = next),
    requests: () => seen,
    clear: () => (seen = []),
    async stop() {
      for (const response of open) response.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
