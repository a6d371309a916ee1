/** Where the embedded database of a state directory is. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { startCommand } from "./called.ts";

/** Seen from the state directory, which may be moved or mounted elsewhere. */
export const embeddedPlace = join("embedded", "router.sqlite");

export const embeddedFile = (stateDir: string): string => join(stateDir, embeddedPlace);

/** What to do about a database that was completed here and is gone; null: it is there, or there never was one. */
export function missingDatabase(stateDir: string, completedAt: string | null): string | null {
  if (completedAt !== embeddedPlace || existsSync(embeddedFile(stateDir))) return null;
  return `the database ${embeddedFile(stateDir)} is missing, and an earlier ${startCommand} completed it: restore it, or start with an empty STATE_DIR`;
}

/** Makes the file's folder where it is missing: the log and the lock lie beside the file. */
export function makeEmbeddedFolder(stateDir: string): string {
  const file = embeddedFile(stateDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}
