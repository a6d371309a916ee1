/** An attacker's endpoint on loopback, which should get nothing. It keeps whatever is sent there. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Attacker {
  url: string;
  /** request lines, headers and bodies together */
  heard(): string;
  stop(): Promise<void>;
}

export async function startAttacker(): Promise<Attacker> {
  let heard = "";
  const server = createServer((request, response) => {
    heard += `${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n`;
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (heard += chunk));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ access_token: "stolen", token_type: "bearer" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => heard,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
