/** The local provider in its own process. */
import { serveParent } from "./child.ts";
import { startProvider } from "./provider.ts";

const { url, server } = await startProvider();
serveParent({ url }, () => server.closeAllConnections());
