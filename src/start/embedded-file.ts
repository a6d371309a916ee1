/** Where the embedded database of a state directory is. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const folderOf = (stateDir: string): string => join(stateDir, "embedded");

export const embeddedFile = (stateDir: string): string => join(folderOf(stateDir), "router.sqlite");

/** Makes the file's folder where it is missing: the log and the lock lie beside the file. */
export function makeEmbeddedFolder(stateDir: string): string {
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 });
  return embeddedFile(stateDir);
}
