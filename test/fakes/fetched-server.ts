/** A server that answers in all ways that a `fetch` may meet, for tests that compare two of them. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export type Way = (request: IncomingMessage, response: ServerResponse) => void;

export function coded(name: string, pack: (bytes: Buffer) => Buffer): Way {
  return (_, response) => {
    response.setHeader("Content-Encoding", name);
    response.end(pack(Buffer.from("packed ".repeat(20_000))));
  };
}

/** What the server does with a request, by its path. */
export const commonWays: Record<string, Way> = {
  "/headers": ({ headers, method }, response) => {
    response.setHeader("X-Two", ["a", "b"]);
    response.end(JSON.stringify({ headers, method }));
  },
  "/echo": (request, response) => void request.pipe(response),
  "/long": (_, response) => void response.end(Buffer.alloc(3_000_000, "x")),
  "/gzip": coded("gzip", gzipSync),
  "/none": (_, response) => void response.writeHead(204).end(),
  "/cut": (_, response) => {
    response.writeHead(200, { "Content-Length": "10" }).write("half");
    setTimeout(() => response.destroy(), 20);
  },
  "/dropped": (_, response) => void response.destroy(),
};

export interface FetchedServer {
  origin: string;
  /** how many answers ended before they were whole */
  left(): number;
  stop(): void;
}

export async function startFetchedServer(ways: Record<string, Way>): Promise<FetchedServer> {
  let left = 0;
  const server = createServer((request, response) => {
    response.on("close", () => void (response.writableEnded || (left += 1)));
    ways[request.url ?? ""]?.(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    left: () => left,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
