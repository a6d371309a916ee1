/**
 * `npm run dev`: the Worker in the real Workers runtime. Messages for people go to stdout, logs and errors to
 * stderr.
 */
import { printableLines } from "../domain/printable.ts";
import { comesFromSignal, createEnding, endOnSignals } from "./ending.ts";
import { launchDev } from "./launch-dev.ts";
import { parseSettings } from "./settings.ts";
import { answerStartArguments } from "./start-arguments.js";
import { withFullDisk } from "./state-directory.ts";
import { welcome } from "./welcome.ts";

answerStartArguments(
  process.argv.slice(2),
  "usage: npm run dev\nStarts the Worker in the real Workers runtime. Settings are environment variables: docs/operate.md.",
);
// A closed pipe, as in `npm start | head`, doesn't end the router.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
const say = (text: string): void => void process.stdout.write(`${printableLines(text)}\n`);
const log = (line: string): void => void process.stderr.write(`${line}\n`);

const ending = createEnding();
const isEnding = endOnSignals(ending, { say, graceMs: () => 5_000 });

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

async function run(): Promise<string | null> {
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const launched = await launchDev(settings.value, ending, { say, log });
  if (!launched.ok) return withFullDisk(launched.error, settings.value.stateDir);
  say(`\n${welcome({ ...launched.value, startedMs: performance.now() })}`);
  return null;
}

async function fail(fault: string): Promise<void> {
  if (await comesFromSignal(isEnding, wait)) return;
  log(`sampling-router: ${printableLines(fault)}`);
  await ending.run();
  process.exit(1);
}

// miniflare reports an unusable runtime only by an uncatchable event.
process.on("uncaughtException", (cause) => void fail(messageOf(cause)));
const fault = await run().catch(messageOf);
if (fault !== null) await fail(fault);
