/** One process owns the file. An operating system lock ends with its process, so there are no stale pid files. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { err, ok, type Result } from "../../../domain/result.ts";
import { faultOf } from "./connection.ts";

export interface Lock {
  release(): void;
}

/** Only SQLite opens this file: closing any descriptor of a file drops all of the process's locks on it. */
const lockPath = (path: string): string => `${path}.lock`;
const ownerPath = (path: string): string => `${path}.owner.json`;

function ownerOf(path: string): string {
  try {
    const owner: unknown = JSON.parse(readFileSync(ownerPath(path), "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner)) return "";
    return `, pid ${Number(owner.pid)} since ${statSync(ownerPath(path)).mtime.toISOString()}`;
  } catch {
    return "";
  }
}

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
