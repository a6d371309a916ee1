/** The bare pass-through: what comes is sent on, and the answer is piped back. */
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { about, serveParent } from "./child.ts";

const { providerUrl } = about() as { providerUrl: string };
const { hostname, port } = new URL(providerUrl);
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const onward = request({ agent, hostname, port, path: url, method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
});
server.listen(0, "127.0.0.1", () => {
  const { port: own } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${own}` }, () => server.closeAllConnections());
});
