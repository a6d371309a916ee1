/** Node's own SQLite, for what libSQL must not open: it has no functions that read or write files. */

import type { DatabaseSync } from "node:sqlite";

export async function nodeSqlite(): Promise<typeof DatabaseSync> {
  // Node says on stderr that the module is experimental; callers can't act on that.
  process.removeAllListeners("warning");
  const sqlite = await import("node:sqlite");
  return sqlite.DatabaseSync;
}
