/**
 * `npm start`: builds the server and runs it in this process. Plain JavaScript, so that any Node can report
 * which version is needed.
 */
import "./v8-options.js";
import module, { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { problemWithMachine } from "./machine.js";
import { answerStartArguments, fail } from "./start-arguments.js";

const problem = problemWithMachine();
if (problem !== null)
  fail(
    problem.startsWith("Node ")
      ? `${problem}; npm install without --omit=dev includes one for npm start`
      : problem,
  );
answerStartArguments(
  process.argv.slice(2),
  "usage: npm start\nStarts the router. Settings are environment variables: docs/operate.md. Its state is in STATE_DIR, .state in the checkout.",
);
// Ends on Ctrl-C during the build.
let received = () => {
  process.stdout.write("Ending.\n");
  process.exit(0);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => received());
const { ensureBuilt } = await import("./build.js");
const folder = await ensureBuilt(() => process.stdout.write("Building the server…\n")).catch(
  (cause) => {
    const [first] = cause?.errors ?? [];
    const place = first?.location ? ` (${first.location.file}:${first.location.line})` : "";
    return fail(`the server does not build: ${first?.text ?? cause.message}${place}`);
  },
);
// Compile cache beside the build.
module.enableCompileCache(join(folder, "compiled"));
const { serve } = createRequire(import.meta.url)(join(folder, "server.cjs"));
await serve({
  databaseThread: pathToFileURL(join(folder, "thread.cjs")),
  consoleFolder: join(folder, "console"),
  onSignal: (next) => void (received = next),
});
module.flushCompileCache();
