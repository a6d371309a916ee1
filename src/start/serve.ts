/**
 * The self-hosted server. Messages for people go to stdout, logs and errors to stderr. `start.js` builds this
 * file and calls `serve`.
 */
import { writeSync } from "node:fs";
import { printableJson, printableLines } from "../domain/printable.ts";
import type { NodeHost } from "../node.ts";
import { createLogWriter } from "../node/log-writer.ts";
import { comesFromSignal, createEnding, endOnSignals } from "./ending.ts";
import { launchNode, type Started } from "./launch-node.ts";
import { parseSettings } from "./settings.ts";
import { withFullDisk } from "./state-directory.ts";
import { welcome } from "./welcome.ts";

/** ms for closing the database and the lock. */
const afterwardsMs = 5_000;
const stderr = 2;

const say = (text: string): void => void process.stdout.write(`${printableLines(text)}\n`);
const logWriter = createLogWriter({
  write: (lines) => void process.stderr.write(lines),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
});
const log = logWriter.write;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

/** Stack locations only: a message may contain input. */
const placesOf = (cause: unknown): string[] =>
  cause instanceof Error
    ? (cause.stack ?? "")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line.startsWith("at "))
    : [];

/** Name, stack, and open requests. `ends`: the process exits */
const recordOf = (
  cause: unknown,
  host: NodeHost,
  { ends }: { ends: boolean },
): Record<string, unknown> => ({
  event: "fault",
  fault: cause instanceof Error ? cause.name : typeof cause,
  places: placesOf(cause),
  ends,
  open: host.open.report(),
});

/** Returns only on errors during start. */
export async function serve(started: Started): Promise<void> {
  // A closed pipe, as in `npm start | head`, doesn't end the router.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  // Flushes the log on every exit.
  process.on("exit", logWriter.flush);
  const ending = createEnding();
  let drainSeconds = 0;
  const graceMs = (): number => drainSeconds * 1_000 + afterwardsMs;
  const isEnding = endOnSignals(ending, { say, graceMs, listen: started.onSignal });
  let serving: NodeHost | null = null;

  const fail = async (fault: string): Promise<void> => {
    if (await comesFromSignal(isEnding, wait)) return;
    log(`sampling-router: ${printableLines(fault)}`);
    await ending.run();
    process.exit(1);
  };
  process.on("uncaughtException", (cause, origin) => {
    if (serving === null) return void fail(messageOf(cause));
    const isRejection = origin === "unhandledRejection";
    logWriter.flush();
    writeSync(stderr, `${printableJson(recordOf(cause, serving, { ends: !isRejection }))}\n`);
    // A rejection affects only its own call, which leases end.
    if (isRejection) return;
    // After an exception no orderly shutdown is attempted; leases end open calls.
    process.exit(1);
  });

  const settings = parseSettings(process.env);
  if (!settings.ok) return fail(settings.error);
  ({ drainSeconds } = settings.value);
  const { stateDir } = settings.value;
  try {
    const launched = await launchNode(settings.value, {
      started,
      ending,
      voice: { say, log },
    });
    if (!launched.ok) return await fail(withFullDisk(launched.error, stateDir));
    serving = launched.value.host;
    say(`\n${welcome({ ...launched.value, startedMs: performance.now() })}`);
  } catch (cause) {
    await fail(withFullDisk(messageOf(cause), stateDir));
  }
}
