/**
 * What `npm install` does for the first start: it builds the server and keeps V8's compiled code of it. Plain JavaScript, as
 * `start.js` is. Whatever goes wrong here is left to the start, which builds what is missing and says what is wrong.
 */
import module, { createRequire } from "node:module";
import { join } from "node:path";
import { problemWithMachine } from "./machine.js";

if (problemWithMachine() === null) {
  const { ensureBuilt } = await import("./build.js");
  const folder = await ensureBuilt(() => {});
  module.enableCompileCache(join(folder, "compiled"));
  // Loading a file has V8 compile what its first lines need; nothing is served.
  createRequire(import.meta.url)(join(folder, "server.cjs"));
  module.flushCompileCache();
}
