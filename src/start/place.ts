/** What a start makes sure of before it opens anything: its state directory, its port, a sound database. */
import { join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import type { Ending } from "./ending.ts";
import { lockStateDirectory } from "./lock.ts";
import { checkPort } from "./port.ts";
import { endAll } from "./processes.ts";
import { runtimeProgram } from "./runtime-program.ts";
import type { Settings } from "./settings.ts";
import type { Migration } from "../store/migrations.ts";
import { checkEmbedded } from "./soundness.ts";
import { openStateDirectory } from "./state-directory.ts";

export interface Voice {
  /** to the person who waits */
  say: (line: string) => void;
  /** to the log */
  log: (line: string) => void;
}

export interface Databases {
  folder: "objects" | "embedded";
  /** null: the runtime of Durable Objects has tables of its own beside theirs */
  migrations: readonly Migration[] | null;
}

/**
 * The state directory, held by this process alone, and the port free.
 * @param context `databases`: the folder with those that are opened next, and the migrations that made them
 */
export async function takePlace(
  settings: Settings,
  context: { ending: Ending; voice: Voice; databases: Databases },
): Promise<Result<string, string>> {
  const { ending, voice, databases } = context;
  const { say } = voice;
  const stateDir = openStateDirectory(settings.stateDir);
  if (!stateDir.ok) return stateDir;
  const lock = await lockStateDirectory(stateDir.value, settings.port);
  if (!lock.ok) return lock;
  ending.add(lock.value.release);
  // Two runtimes on one embedded database fail each other's writes, so a left one goes first.
  const stale = await endAll(runtimeProgram(stateDir.value));
  const pids = stale.pids.join(", ");
  if (!stale.ended) return err(`a runtime of an earlier start can't be ended, pid ${pids}`);
  if (pids !== "") say(`Ended the runtime of an earlier start, pid ${pids}.`);
  const port = await checkPort(settings.port, settings.host);
  if (!port.ok) return port;
  const sound =
    settings.database === null
      ? await checkEmbedded(join(stateDir.value, databases.folder), databases.migrations)
      : ok(null);
  return sound.ok ? stateDir : sound;
}
