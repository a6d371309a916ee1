/**
 * `npm start`. Plain JavaScript: it runs on whatever Node is there, if only to say which one is needed.
 * It has the server built from its source, and runs it in this process.
 */
import module, { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const leastNode = [22, 15];
/** Those that the embedded database is compiled for. */
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const fail = (problem) => {
  process.stderr.write(`sampling-router: ${problem}\n`);
  process.exit(1);
};

function checkMachine() {
  const { node } = process.versions;
  const [major, minor] = node.split(".").map(Number);
  const [leastMajor, leastMinor] = leastNode;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor))
    fail(
      `Node ${leastNode.join(".")} or later is needed, and this is ${node}; npm install without --omit=dev brings one along for npm start`,
    );
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform))
    fail(`${platform} is not supported: the embedded database runs on ${platforms.join(", ")}`);
}

checkMachine();
// Ctrl-C while it builds is an end like any other; the server has its own way.
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
// Compiled once, and kept beside the source that it was compiled from.
module.enableCompileCache(join(folder, "compiled"));
const { serve } = createRequire(import.meta.url)(join(folder, "server.cjs"));
await serve({
  databaseThread: pathToFileURL(join(folder, "thread.cjs")),
  consoleFolder: join(folder, "console"),
  onSignal: (next) => void (received = next),
});
module.flushCompileCache();
