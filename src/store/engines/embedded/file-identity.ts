/** SQLite would keep writing to a deleted or replaced file, and the data would be lost with the process. */
import { statSync } from "node:fs";
import { replacedCode, type Fault } from "../contract/engine.ts";

export const replacedFault: Fault = {
  code: replacedCode,
  message: "the database's file was deleted or replaced while it was open",
};

/** Device and inode, as bigint since an inode may exceed a safe integer. `null` if the file system doesn't say. */
function identityOf(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "missing" : `${found.dev}:${found.ino}`;
  } catch {
    return null;
  }
}

export function createReplacementCheck(path: string): () => boolean {
  const paths = [path, `${path}-wal`];
  // SQLite creates the log with the first commit.
  let first: (string | null)[] | null = null;
  let isReplaced = false;
  return () => {
    if (isReplaced) return true;
    const found = paths.map(identityOf);
    const known = (first ??= found);
    isReplaced = found.some((each, at) => each !== null && each !== known[at]);
    return isReplaced;
  };
}
