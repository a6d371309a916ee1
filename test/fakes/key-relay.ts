/** A relay on loopback that adds an API key: for programs that can't send one by themselves. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface KeyRelay {
  /** of the relay, without a path */
  url: string;
  stop(): Promise<void>;
}

/**
 * A caller that names another host or origin gets no key, as a page of another origin would have no key. Such a
 * caller gets the target's own answer.
 */
export async function startKeyRelay(target: string, key: string): Promise<KeyRelay> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const { host, origin } = headers;
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const local = host === own && (origin === undefined || origin === `http://${own}`);
    const onward = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...(local ? { authorization: `Bearer ${key}` } : {}) },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.once("error", () => outgoing.destroy());
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.once("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
