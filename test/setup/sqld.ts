/** The real libSQL server as a store's database. */
import { createClient } from "@libsql/client/web";
import { openLibsql, type DatabaseOptions } from "../../src/store/db.ts";
import { openWriteGroups } from "../../src/store/libsql-groups.ts";
import { wipe, type Backend, type Opened } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";

/** One server for all tests of a file; it is emptied before each. */
export function sqldBackend(url: () => string, writes: "alone" | "grouped" = "alone"): Backend {
  const connect = (options: DatabaseOptions = {}): Opened => {
    const client = createClient({ url: url() });
    const groups = { groups: openWriteGroups({ url: url(), authToken: null }) };
    return {
      db: openLibsql(client, { ...options, ...(writes === "grouped" && groups) }),
      close: async () => client.close(),
    };
  };
  return {
    name: "libSQL server",
    migrations: readMigrations(),
    async open() {
      const opened = connect();
      await wipe(opened.db);
      return opened;
    },
    again: async (options) => connect(options),
  };
}
