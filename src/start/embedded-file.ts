/** Where the embedded database of a state directory is. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const folderOf = (stateDir: string): string => join(stateDir, "embedded");

export const embeddedFile = (stateDir: string): string => join(folderOf(stateDir), "router.sqlite");

/** Its folder is made where it is missing: beside the file lie its log and its lock. */
export function makeEmbeddedFolder(stateDir: string): string {
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 });
  return embeddedFile(stateDir);
}
