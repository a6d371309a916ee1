/** The pass-throughs on Node: the applications that workerd runs too, behind the router's own HTTP server. */
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { about, serveParent } from "./child.ts";
import readThrough from "./workers/read-through.ts";
import streamThrough from "./workers/stream-through.ts";

const { serverUrl, reads } = about() as { serverUrl: string; reads: boolean };
const app = reads ? readThrough : streamThrough;
const server = createAdaptorServer({
  fetch: (request) => app.fetch(request, { SERVER_URL: serverUrl }),
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${port}` }, () => void server.close());
});
