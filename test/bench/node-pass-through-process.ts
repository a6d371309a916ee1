/** The bare pass-through on Node: the application that workerd runs too, behind the router's own HTTP server. */
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { about, serveParent } from "./child.ts";
import app from "./workers/pass-through.ts";

const { providerUrl } = about() as { providerUrl: string };
const server = createAdaptorServer({
  fetch: (request) => app.fetch(request, { PROVIDER_URL: providerUrl }),
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveParent({ url: `http://127.0.0.1:${port}` }, () => void server.close());
});
