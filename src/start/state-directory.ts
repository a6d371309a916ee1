/** The directory that holds the embedded database, the secrets and the lock. */
import { existsSync, mkdirSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { ownAlone } from "./permissions.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOENT: "the system makes no directory there",
  ENOTDIR: "a part of the path is not a directory",
  EEXIST: "a link on the path leads nowhere",
};

export const reasonOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return reasons[code] ?? (code || "it failed");
};

/** Not `recursive`: Node's own never returns where a file system makes no directories, as /proc. */
function create(path: string): void {
  if (existsSync(path)) return;
  create(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Creates the directory where it is missing, and makes it readable for its owner alone; gives its real path. */
export function openStateDirectory(path: string): Result<string, string> {
  try {
    create(path);
    // Permission bits don't tell what root, a read-only mount or a full disk allows: write.
    const probe = join(path, `.write-${process.pid}`);
    writeFileSync(probe, "written", { mode: 0o600 });
    rmSync(probe);
    const real = realpathSync(path);
    const owned = ownAlone(real);
    return owned.ok ? ok(real) : owned;
  } catch (cause) {
    return err(`STATE_DIR ${path} is not writable: ${reasonOf(cause)}`);
  }
}

/** A new database with its write-ahead log takes less. */
const leastFreeBytes = 4 * 1024 * 1024;

/** Each step of a start words a full disk in its own way, so what is free is added to any fault. */
export function withFullDisk(fault: string, path: string, statfs = statfsSync): string {
  try {
    const { bavail, bsize } = statfs(path);
    const free = bavail * bsize;
    return free >= leastFreeBytes
      ? fault
      : `${fault}\nThe disk of STATE_DIR ${path} is full (${Math.floor(free / 1024)} kB free): free some space, and start again.`;
  } catch {
    return fault;
  }
}
