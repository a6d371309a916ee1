/**
 * One launcher per state directory. The lock is the operating system's, through SQLite: the lock ends with its
 * process, however the process ends, and two launchers can't both find it free. A file with a pid could be
 * stale, and the pid could be another process's by now; `runtime.json` only says who.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { nodeSqlite } from "./node-sqlite.ts";
import { reasonOf } from "./state-directory.ts";

export interface Lock {
  release(): void;
}

const lockFile = "launcher.lock";
const holderFile = "runtime.json";

// SQLite's SQLITE_BUSY.
const busyCode = 5;
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && cause.errcode === busyCode;

function holderOf(path: string): string {
  try {
    const held: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof held === "object" && held !== null && "pid" in held && "port" in held)
      return `, pid ${Number(held.pid)}, on port ${Number(held.port)}`;
  } catch {
    // The holder has only just begun, or has just ended.
  }
  return "";
}

export async function lockStateDirectory(
  stateDir: string,
  port: number,
): Promise<Result<Lock, string>> {
  const DatabaseSync = await nodeSqlite();
  const holder = join(stateDir, holderFile);
  const database = new DatabaseSync(join(stateDir, lockFile));
  try {
    database.exec("begin exclusive");
  } catch (cause) {
    database.close();
    return isBusy(cause)
      ? err(`STATE_DIR ${stateDir} is in use: already running${holderOf(holder)}`)
      : err(`STATE_DIR ${stateDir} can't be locked: ${reasonOf(cause)}`);
  }
  writeFileSync(holder, `${JSON.stringify({ pid: process.pid, port })}\n`, { mode: 0o600 });
  return ok({
    release() {
      rmSync(holder, { force: true });
      database.close();
    },
  });
}
