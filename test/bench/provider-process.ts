/** The local provider in its own process. */
import { about, serveParent } from "./child.ts";
import { startProvider } from "./provider.ts";

const { thinkMs } = about() as { thinkMs?: number };
const { url, server } = await startProvider(() => {}, thinkMs);
serveParent({ url }, () => server.closeAllConnections());
