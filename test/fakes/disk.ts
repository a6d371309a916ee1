/** A disk that is slow, full or loses its power, for a process of a test: `disk.c`, made by the system's compiler. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("disk.c", import.meta.url));

export interface DiskSettings {
  /** the database's file */
  path: string;
  /** ms that each sync takes */
  syncMs?: number;
  /** where every write and sync is written down */
  log?: string;
  /** while this file exists, no file grows */
  fullWhile?: string;
}

/** Why there is no such disk here; null: there is. */
export function noDisk(): string | null {
  if (process.platform !== "linux") return "the disk of these tests is loaded by Linux's linker";
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    return "the disk of these tests needs a C compiler, cc";
  }
}

function built(): string {
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const library = join(tmpdir(), `sampling-router-disk-${hash}.so`);
  if (existsSync(library)) return library;
  const fresh = `${library}.${process.pid}`;
  execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", fresh, source, "-ldl", "-lpthread"]);
  renameSync(fresh, library);
  return library;
}

/** For the environment of a process that uses it. */
export const diskEnvironment = (disk: DiskSettings): Record<string, string> => ({
  LD_PRELOAD: built(),
  DISK_PATH: disk.path,
  ...(disk.syncMs !== undefined && { DISK_SYNC_US: String(Math.round(disk.syncMs * 1_000)) }),
  ...(disk.log !== undefined && { DISK_LOG: disk.log }),
  ...(disk.fullWhile !== undefined && { DISK_FULL: disk.fullWhile }),
});
