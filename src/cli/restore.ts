/**
 * `npm run restore -- FILE [--force]`: replaces the embedded database by a backup's rows. Refused with a
 * running server, or if a database exists unless `--force` moves it aside. Exit code 1 if nothing was restored.
 */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createMac } from "../crypto/mac.ts";
import { recordCodesPurpose } from "../domain/audit/evidence.ts";
import { counted } from "../domain/counted.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { commandLine, startCommand } from "../start/called.ts";
import { makeEmbeddedFolder } from "../start/embedded-file.ts";
import { takeForeignDatabase } from "../start/foreign-database.ts";
import { nameOtherMasterKey } from "../start/master-key.ts";
import { applyMigrations, readMigrations } from "../start/migrations.ts";
import { keptMasterKey } from "../start/secrets.ts";
import { checkout, parseSettings, type Settings } from "../start/settings.ts";
import { openStateDirectory } from "../start/state-directory.ts";
import { contentsOf, describeContents, putInPlace, type Contents } from "../start/whole-copy.ts";
import { lockFile } from "../store/engines/embedded/lock.ts";
import { openLocally, type Local } from "../store/engines/embedded/local.ts";
import { removeRecordMark } from "../store/engines/embedded/record-mark.ts";
import { endLeases } from "../store/ledger/end-leases.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const usage = `usage: ${commandLine("restore", "FILE [--force]")}
Replaces the embedded database of STATE_DIR by a backup. Refused while a router runs on it, or if a database exists. --force: moves the existing database aside.`;

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "it can't be read";

interface Restored extends Contents {
  /** calls that were running at the time of the backup */
  ended: number;
}

/** Migrates the copy and ends its running calls. */
async function prepare(copy: Local, settings: Settings): Promise<Result<number, string>> {
  const migrated = await applyMigrations(copy.db, readMigrations(checkout), "the backup");
  if (!migrated.ok) return migrated;
  const kept = keptMasterKey(settings.stateDir);
  const masterKey = settings.masterKey ?? kept;
  if (masterKey === null)
    say(
      `MASTER_KEY is missing: set it, or put secrets.json into ${settings.stateDir} before the next start.`,
    );
  else {
    const given = { masterKey, previous: settings.passedOn["MASTER_KEY_PREVIOUS"] };
    const other = await nameOtherMasterKey({ db: copy.db, where: "the backup" }, given);
    if (other !== null) say(other);
  }
  // Sweeping creates no codes.
  const mac = await createMac({
    master: new Uint8Array(32),
    previous: null,
    purpose: recordCodesPurpose,
  });
  const ended = await endLeases(copy.db, {
    mac,
    nonce: () => crypto.randomUUID(),
    now: Date.now(),
  });
  return ended.ok ? ended : err("the backup's open calls can't be ended");
}

async function freshFrom(
  file: string,
  fresh: string,
  settings: Settings,
): Promise<Result<Restored, string>> {
  if (!existsSync(file)) return err(`${file} does not exist`);
  try {
    const migrations = readMigrations(checkout);
    const taken = await takeForeignDatabase(file, { path: fresh, migrations });
    if (!taken.ok) return err(`${file} can't be restored: ${taken.error}`);
    const copy = openLocally(fresh, "writes");
    try {
      const contents = await contentsOf(copy);
      if (!contents.ok) return err(`the copy of ${file} can't be used: ${contents.error}`);
      const ended = await prepare(copy, settings);
      return ended.ok ? ok({ ...contents.value, ended: ended.value }) : ended;
    } finally {
      copy.close();
    }
  } catch (cause) {
    return err(`${file} can't be restored: ${messageOf(cause)}`);
  }
}

/** Includes the write-ahead log. */
function moveAside(path: string): string {
  const aside = `${path}.replaced-${Date.now()}`;
  try {
    openLocally(path, "writes").close();
  } catch {
    // Copies the log of a damaged database unchanged.
  }
  for (const end of ["", "-wal"])
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${aside}${end}`);
  for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  return aside;
}

async function restore(
  settings: Settings,
  { file, force }: { file: string; force: boolean },
): Promise<Result<Restored, string>> {
  const stateDir = openStateDirectory(settings.stateDir);
  if (!stateDir.ok) return stateDir;
  const path = makeEmbeddedFolder(stateDir.value);
  const lock = lockFile(path);
  if (!lock.ok) return err(`${lock.error}; end that server first`);
  const fresh = `${path}.restoring`;
  const forget = (): void => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${fresh}${end}`, { force: true });
  };
  try {
    if (existsSync(path) && !force)
      return err(`there is a database at ${path}; use --force to move it aside`);
    forget();
    const restored = await freshFrom(file, fresh, settings);
    if (!restored.ok) return restored;
    if (existsSync(path)) say(`The previous database is now ${moveAside(path)}.`);
    // Records after the backup are missing on purpose.
    removeRecordMark(path);
    putInPlace(fresh, path);
    return restored;
  } finally {
    forget();
    lock.value.release();
  }
}

async function run(): Promise<string | null> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { force: { type: "boolean", default: false } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) return usage;
  process.umask(0o077);
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  if (settings.value.database !== null)
    return "DATABASE_URL is set: this command restores the embedded database only; use the server's own restore";
  const restored = await restore(settings.value, { file: resolve(file), force: values.force });
  if (!restored.ok) return restored.error;
  const { ended, fault } = restored.value;
  say(`Restored: ${describeContents(restored.value)}.`);
  if (ended > 0)
    say(
      `${counted(ended, "call was", "calls were")} running when the backup was made; recorded as unknown and charged as reserved.`,
    );
  if (fault !== null) say(`Its audit chain did not verify: ${fault}.`);
  say(`Start the router with ${startCommand}.`);
  return null;
}

answerHelp(usage);
const fault = await run().catch(messageOf);
if (fault !== null) {
  sayFault(fault);
  process.exitCode = 1;
}
