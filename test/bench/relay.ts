/** A relay in front of the libSQL server: every exchange with the database passes here, seen. */
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Relay {
  url: string;
  stop(): void;
}

/** `onExchange` is called as a request arrives, before it goes on. */
export async function startRelay(
  target: string,
  onExchange: (about: { method: string; path: string }) => void,
): Promise<Relay> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    onExchange({ method, path: url });
    const onward = request({ agent, hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
