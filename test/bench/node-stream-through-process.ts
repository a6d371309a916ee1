/** The streaming pass-through on Node: the Worker's own application, behind the router's HTTP server. */
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { about, serveParent } from "./child.ts";
import app from "./workers/stream-through.ts";

const { serverUrl } = about() as { serverUrl: string };
const server = createAdaptorServer({
  fetch: (request) => app.fetch(request, { SERVER_URL: serverUrl }),
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${port}` }, () => void server.close());
});
