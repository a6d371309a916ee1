/** A forward proxy on loopback, for http and for CONNECT. */
import { createServer, request as ask } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

export interface ForwardProxy {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** what it was asked for: `GET http://host/path`, or `CONNECT host:port` */
  asked: string[];
  /** the credentials that came with the last request */
  authorization: () => string | undefined;
  /** status of its own that answers everything from now on; null: it forwards */
  refuse(status: number | null): void;
  stop(): Promise<void>;
}

/** @param leads where everything goes, whatever host was named: the test's own server */
export async function startForwardProxy(leads: { port: number }): Promise<ForwardProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let authorization: string | undefined;
  let refusal: number | null = null;
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    authorization = incoming.headers["proxy-authorization"];
    if (refusal !== null) return void outgoing.writeHead(refusal).end();
    const { pathname, search } = new URL(incoming.url ?? "");
    const { method = "GET", headers } = incoming;
    const forwarded = ask(
      { host: "127.0.0.1", port: leads.port, path: pathname + search, method, headers },
      (answer) => void answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)),
    );
    incoming.pipe(forwarded);
  });
  server.on("connection", (socket) => void sockets.add(socket));
  server.on("connect", (incoming, client: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    authorization = incoming.headers["proxy-authorization"];
    client.on("error", () => {});
    if (refusal !== null) return void client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const peer = connect(leads.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(peer).pipe(client);
    });
    peer.on("error", () => client.destroy());
    sockets.add(peer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    authorization: () => authorization,
    refuse: (status) => void (refusal = status),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
