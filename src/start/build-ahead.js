/**
 * Run by `npm install`: builds the server and V8's code cache for the first start, which retries whatever fails
 * here. Plain JavaScript, like `start.js`.
 */
import "./v8-options.js";
import module, { createRequire } from "node:module";
import { join } from "node:path";
import { problemWithMachine } from "./machine.js";

if (problemWithMachine() === null) {
  const { ensureBuilt } = await import("./build.js");
  const folder = await ensureBuilt(() => {});
  module.enableCompileCache(join(folder, "compiled"));
  // Compiles what the first lines need, without serving.
  createRequire(import.meta.url)(join(folder, "server.cjs"));
  module.flushCompileCache();
}
