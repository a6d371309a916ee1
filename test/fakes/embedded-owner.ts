/**
 * A process that owns a database's file until the process is ended. It prints `owned`, or why it does not own
 * the file.
 */
import { flushCompileCache } from "node:module";
import { startEmbedded } from "../../src/store/engines/embedded/engine.ts";
import { databaseThread } from "../setup/engine.ts";

const [path] = process.argv.slice(2);
const engine = await startEmbedded({
  path: path ?? "",
  thread: databaseThread,
  memoryLedger: null,
});
// Written now: a process that is killed writes nothing at its end.
flushCompileCache();
process.stdout.write(engine.ok ? "owned\n" : `${engine.error}\n`);
if (!engine.ok) process.exit(1);
setInterval(() => {}, 60_000);
