#!/usr/bin/env node
/**
 * The package's program, `npx mcp-sampling-router`. Plain JavaScript, so that any Node can report which version
 * is needed. `router-package.ts` copies it into the package.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const server = join(root, "lib", "server");
const name = "mcp-sampling-router";

/** In the order of the usage. */
const commands = {
  start: "starts the router in this folder (default)",
  init: "asks for settings and writes .env, and optionally compose.yaml or wrangler.toml",
  proxy: "runs a stdio server and answers its sampling through a router: proxy -- COMMAND",
  doctor: "checks an installation and recommends fixes",
  backup: "writes a backup of the embedded database",
  restore: "restores a backup of the embedded database",
  migrate: "migrates the database at DATABASE_URL",
  catalogue: "syncs or shows the catalogue",
  audit: "verifies an export of audit records",
  replay: "replays a recorded decision",
};
const usage = [
  `usage: npx ${name} [COMMAND]`,
  ...Object.entries(commands).map(([each, does]) => `  ${each.padEnd(10)} ${does}`),
  "Use --help with any command. Settings are environment variables or in .env of this folder.",
].join("\n");

/** Duplicated from `start-arguments.js`, which an incomplete package may lack. */
const fail = (problem) => {
  const shown = problem.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  process.stderr.write(`sampling-router: ${shown}\n`);
  process.exit(1);
};

async function start(rest) {
  const { answerStartArguments } = await import("./lib/start-arguments.js");
  answerStartArguments(
    rest,
    `usage: npx ${name} [start]\nStarts the router. Its state is in STATE_DIR, .sampling-router in this folder.`,
  );
  let received = () => {
    process.stdout.write("Ending.\n");
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => received());
  await import("./lib/v8-options.js");
  const { serve } = createRequire(import.meta.url)(join(server, "server.cjs"));
  return serve({
    databaseThread: pathToFileURL(join(server, "thread.cjs")),
    consoleFolder: join(server, "console"),
    onSignal: (next) => void (received = next),
  });
}

const [given = "start", ...rest] = process.argv.slice(2);
if (given === "--version" || given === "-v") {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  process.stdout.write(`${version}\n`);
} else if (given === "--help" || given === "-h" || given === "help")
  process.stdout.write(`${usage}\n`);
else if (!Object.hasOwn(commands, given)) fail(`unknown command ${given}\n${usage}`);
else if (given === "proxy") {
  // Works on older Node versions, without `.env`, which may be the server's.
  process.argv.splice(2, 1);
  await import("./lib/commands/proxy.js");
} else {
  const { problemWithMachine } = await import("./lib/machine.js");
  const problem = problemWithMachine();
  if (problem !== null) fail(problem);
  const { readEnvFile } = await import("./lib/env-file.js");
  const fault = readEnvFile(process.cwd(), process.env);
  if (fault !== null) fail(fault);
  if (given === "start") await start(rest);
  else {
    // Hides the command's name.
    process.argv.splice(2, 1);
    await import(`./lib/commands/${given}.js`);
  }
}
