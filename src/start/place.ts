/** Before opening anything: state directory, port, and an intact database. */
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
  say: (line: string) => void;
  log: (line: string) => void;
}

export interface Databases {
  folder: "objects" | "embedded";
  /** `null` for Durable Objects, whose files have tables of the runtime */
  migrations: readonly Migration[] | null;
}

/**
 * Locks the state directory.
 * @param context `databases`: their folder and migrations
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
  // A leftover runtime would conflict with this one.
  const stale = await endAll(runtimeProgram(stateDir.value));
  const pids = stale.pids.join(", ");
  if (!stale.ended) return err(`a runtime of an earlier start can't be stopped, pid ${pids}`);
  if (pids !== "") say(`Stopped the runtime of an earlier start, pid ${pids}.`);
  const port = await checkPort(settings.port, settings.host);
  if (!port.ok) return port;
  const sound =
    settings.database === null
      ? await checkEmbedded(join(stateDir.value, databases.folder), databases.migrations)
      : ok(null);
  return sound.ok ? stateDir : sound;
}
