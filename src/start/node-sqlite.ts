/** Node's SQLite, for untrusted files: unlike libSQL it has no functions that access files. */

import type { DatabaseSync } from "node:sqlite";

export async function nodeSqlite(): Promise<typeof DatabaseSync> {
  // Suppresses the experimental warning.
  process.removeAllListeners("warning");
  const sqlite = await import("node:sqlite");
  return sqlite.DatabaseSync;
}
