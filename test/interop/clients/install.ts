/**
 * `npm run clients` installs the SDKs that test/interop/model-clients.test.ts runs (60 MB), and `npm run clients -- agents`
 * the agents of test/interop/agent-clients.test.ts (800 MB).
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { installPinned } from "../../setup/pinned-packages.ts";
import { agentFolder, folder, loader, pinned, pinnedAgents } from "./installed.ts";

if (process.argv[2] === "agents") await installPinned(pinnedAgents, agentFolder);
else {
  await installPinned(pinned, folder);
  copyFileSync(join(pinned, loader), join(folder, loader));
}
