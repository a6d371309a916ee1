/**
 * One process owns the file. The lock is the operating system's, taken by SQLite: it ends with its process,
 * however that one ends. A file with a pid could be stale, and that pid could be another program's by now; so
 * the file beside the lock only says who, and is believed while the lock is held.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { err, ok, type Result } from "../../../domain/result.ts";
import { faultOf } from "./connection.ts";

export interface Lock {
  release(): void;
}

/** Only SQLite opens this file: a process that closes a file ends all of its own locks on that file. */
const lockPath = (path: string): string => `${path}.lock`;
const ownerPath = (path: string): string => `${path}.owner.json`;

/** Such as `, pid 4242 since 2026-11-22T08:00:00.000Z`; empty while the owner has not said so yet. */
function ownerOf(path: string): string {
  try {
    const owner: unknown = JSON.parse(readFileSync(ownerPath(path), "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner)) return "";
    return `, pid ${Number(owner.pid)} since ${statSync(ownerPath(path)).mtime.toISOString()}`;
  } catch {
    return "";
  }
}

/** Answers at once, and never waits for another owner. */
export function lockFile(path: string): Result<Lock, string> {
  let held: Libsql.Database | null = null;
  try {
    held = new Libsql(pathToFileURL(lockPath(path)).href, { timeout: 0 });
    held.exec("begin exclusive");
    writeFileSync(ownerPath(path), `${JSON.stringify({ pid: process.pid })}\n`, { mode: 0o600 });
    const owned = held;
    return ok({
      release() {
        rmSync(ownerPath(path), { force: true });
        owned.close();
      },
    });
  } catch (cause) {
    held?.close();
    const { code, message } = faultOf(cause);
    return code.startsWith("SQLITE_BUSY")
      ? err(`${path} is in use by another process${ownerOf(path)}`)
      : err(`${path} can't be locked: ${message}`);
  }
}
