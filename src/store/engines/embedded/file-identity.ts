/**
 * Whether the files at the database's paths are still the open ones. SQLite keeps writing to a file that was deleted or replaced,
 * and nothing of that outlives the process.
 */
import { statSync } from "node:fs";
import { replacedCode, type Fault } from "../contract/engine.ts";

export const replacedFault: Fault = {
  code: replacedCode,
  message: "the database's file was deleted or replaced while it was open",
};

/** Device and inode, as bigint: an inode may be larger than a safe integer. null: the file system doesn't say. */
function identityOf(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "missing" : `${found.dev}:${found.ino}`;
  } catch {
    return null;
  }
}

/** @returns asked after each commit, whether the files are others than after the first one; once they are, they stay so */
export function createReplacementCheck(path: string): () => boolean {
  const paths = [path, `${path}-wal`];
  // SQLite makes the log with the first commit.
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
