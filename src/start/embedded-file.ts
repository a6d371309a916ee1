import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { startCommand } from "./called.ts";

/** Relative to the state directory, which may be moved. */
export const embeddedPlace = join("embedded", "router.sqlite");

export const embeddedFile = (stateDir: string): string => join(stateDir, embeddedPlace);

/** How to proceed if a completed database is missing. */
export function missingDatabase(stateDir: string, completedAt: string | null): string | null {
  if (completedAt !== embeddedPlace || existsSync(embeddedFile(stateDir))) return null;
  return `the database ${embeddedFile(stateDir)} is missing although an earlier ${startCommand} created it: restore it, or start with an empty STATE_DIR`;
}

/** The log and lock are in the file's folder. */
export function makeEmbeddedFolder(stateDir: string): string {
  const file = embeddedFile(stateDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}
