/** Restricts the state directory to its owner: secrets, the database, and compiled code. */
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";

const ownerOnly = 0o077;
const writableByOthers = 0o022;
const enterableByOthers = 0o011;

const shown = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

const refused = (path: string, mode: number): Result<never, string> =>
  err(
    `STATE_DIR: ${path} is writable by other users (mode ${shown(mode)}); check its contents, then run: chmod -R go-rwx on it`,
  );

/** Links are skipped: their modes mean nothing. */
function* everythingIn(folder: string): Generator<{ path: string; mode: number }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) continue;
    yield { path, mode: lstatSync(path).mode };
    if (entry.isDirectory()) yield* everythingIn(path);
  }
}

const tighten = (path: string, mode: number): void => {
  if ((mode & ownerOnly) !== 0) chmodSync(path, mode & 0o700);
};

/**
 * Sets 0700 and 0600; refuses what others could have written, unless an enclosing directory prevents access.
 * Windows has no modes.
 */
export function ownAlone(stateDir: string): Result<null, string> {
  if (process.platform === "win32") return ok(null);
  const { mode } = lstatSync(stateDir);
  if ((mode & writableByOthers) !== 0) return refused(stateDir, mode);
  const isOpen = (mode & enterableByOthers) !== 0;
  for (const inner of everythingIn(stateDir)) {
    if (isOpen && (inner.mode & writableByOthers) !== 0) return refused(inner.path, inner.mode);
    tighten(inner.path, inner.mode);
  }
  tighten(stateDir, mode);
  return ok(null);
}
