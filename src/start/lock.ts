/**
 * One launcher per state directory, by an operating system lock through SQLite, which can't be stale.
 * `runtime.json` only names the holder.
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
    // The holder has just started or ended.
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
