/** A libSQL database in a temporary file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { openLibsql, type DatabaseOptions } from "../../src/store/db.ts";
import type { Backend, Opened } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";

/** Two connections to one file collide at once without a timeout: most calls would fail. */
const timeout = 5_000;

const connect = (path: string, options: DatabaseOptions = {}): Opened => {
  const client = createClient({ url: `file:${path}`, timeout });
  return {
    db: openLibsql(client, options),
    close: async () => client.close(),
  };
};

export function fileBackend(): Backend {
  let path = "";
  return {
    name: "libSQL file",
    migrations: readMigrations(),
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
      path = join(folder, "database.sqlite");
      const { db, close } = connect(path);
      return {
        db,
        async close() {
          await close();
          rmSync(folder, { recursive: true });
        },
      };
    },
    again: async (options) => connect(path, options),
  };
}
