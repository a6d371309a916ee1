import { existsSync, mkdirSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { ownAlone } from "./permissions.ts";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOENT: "directories can't be created there",
  ENOTDIR: "a part of the path is not a directory",
  EEXIST: "a link on the path leads nowhere",
};

export const reasonOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return reasons[code] ?? (code || "it failed");
};

/** Node's `recursive` never returns on file systems such as /proc. */
function create(path: string): void {
  if (existsSync(path)) return;
  create(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Owner-only. Returns the real path. */
export function openStateDirectory(path: string): Result<string, string> {
  try {
    create(path);
    // Permission bits don't show root's rights, read-only mounts, or full disks.
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

/** More than a new database with its log. */
const minFreeBytes = 4 * 1024 * 1024;

/** Steps report a full disk differently, so free space is added to any error. */
export function withFullDisk(fault: string, path: string, statfs = statfsSync): string {
  try {
    const { bavail, bsize } = statfs(path);
    const free = bavail * bsize;
    return free >= minFreeBytes
      ? fault
      : `${fault}\nThe disk of STATE_DIR ${path} is full (${Math.floor(free / 1024)} kB free): free some space, and start again.`;
  } catch {
    return fault;
  }
}
