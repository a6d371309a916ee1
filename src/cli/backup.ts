/**
 * `npm run backup -- FILE`: copies the embedded database, also while a server runs, and verifies the copy.
 * Exit code 1 if there is no backup or its audit chain is invalid.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { commandLine } from "../start/called.ts";
import { embeddedFile } from "../start/embedded-file.ts";
import { readMigrations } from "../start/migrations.ts";
import { checkOwnSchema, codeIn } from "../start/own-schema.ts";
import { keptMasterKey } from "../start/secrets.ts";
import { checkout, parseSettings } from "../start/settings.ts";
import { contentsOf, describeContents, putInPlace, type Contents } from "../start/whole-copy.ts";
import { lockFile } from "../store/engines/embedded/lock.ts";
import { openLocally } from "../store/engines/embedded/local.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const usage = `usage: ${commandLine("backup", "FILE")}
Writes the embedded database of STATE_DIR to FILE and verifies it. A running router is not interrupted.`;

/** Throws SQLite's errors. */
function copyInto(from: string, fresh: string): "running" | "stopped" {
  const lock = lockFile(from);
  // Without a server, the log must be moved into the file; otherwise only the server may do that.
  const opened = openLocally(from, lock.ok ? "writes" : "reads");
  try {
    opened.exec(`vacuum into '${fresh.replaceAll("'", "''")}'`);
    return lock.ok ? "stopped" : "running";
  } finally {
    opened.close();
    if (lock.ok) lock.value.release();
  }
}

interface Written extends Contents {
  /** why `restore` would refuse it */
  foreign: string | null;
}

async function lookAt(fresh: string): Promise<Result<Written, string>> {
  const own = await checkOwnSchema(fresh, readMigrations(checkout));
  const opened = openLocally(fresh, "reads");
  try {
    const found = await contentsOf(opened);
    return found.ok ? ok({ ...found.value, foreign: own.ok ? null : own.error }) : found;
  } finally {
    opened.close();
  }
}

/** A new folder, so that no file can be planted; next to the backup, so that it can be renamed. */
const folderBeside = (file: string): string => mkdtempSync(`${file}.partial-`);

async function backUp(from: string, file: string): Promise<Result<Written, string>> {
  if (existsSync(file)) return err(`${file} already exists; choose another file`);
  if (!existsSync(from)) return err(`there is no embedded database at ${from}`);
  let folder: string | null = null;
  try {
    const code = await codeIn(from);
    if (code !== null) return err(`no backup was written: in ${from}, ${code}; remove it first`);
    folder = folderBeside(file);
    const fresh = join(folder, "backup.sqlite");
    if (copyInto(from, fresh) === "running") say("A server is running on it and continues.");
    const found = await lookAt(fresh);
    if (!found.ok) return err(`the backup can't be used: ${found.error}`);
    putInPlace(fresh, file);
    return ok(found.value);
  } catch (cause) {
    return err(`no backup was written: ${cause instanceof Error ? cause.message : "it failed"}`);
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

async function run(): Promise<string | null> {
  const [given, ...more] = process.argv.slice(2);
  if (given === undefined || more.length > 0) return usage;
  process.umask(0o077);
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const { database, stateDir } = settings.value;
  if (database !== null)
    return "DATABASE_URL is set: this command backs up the embedded database only; use the server's own backup";
  const file = resolve(given);
  const backup = await backUp(embeddedFile(stateDir), file);
  if (!backup.ok) return backup.error;
  const { fault, foreign } = backup.value;
  say(`${file}: ${describeContents(backup.value)}.`);
  say(
    "MASTER_KEY is not included. Keep it in another place: without it, this backup's credentials can't be opened and its API keys are not recognized.",
  );
  if (settings.value.masterKey !== undefined) say("The key is the one in this environment.");
  else if (keptMasterKey(stateDir) !== null) say(`The key is in ${stateDir}/secrets.json.`);
  else say("The key is the MASTER_KEY that the router was started with.");
  if (foreign !== null)
    return `the backup is written, and ${commandLine("restore", "FILE")} refuses it: ${foreign}`;
  return fault === null
    ? null
    : `the backup is written, and its audit chain does not verify: ${fault}`;
}

answerHelp(usage);
const fault = await run();
if (fault !== null) {
  sayFault(fault);
  process.exitCode = 1;
}
