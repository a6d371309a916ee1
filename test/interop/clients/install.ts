/** `npm run clients` installs the clients that test/interop/model-clients.test.ts runs (60 MB, once). */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { installPinned } from "../../setup/pinned-packages.ts";
import { folder, loader, pinned } from "./installed.ts";

await installPinned(pinned, folder);
copyFileSync(join(pinned, loader), join(folder, loader));
