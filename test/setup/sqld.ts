/** The real libSQL server as a store's database. */
import { createClient } from "@libsql/client/web";
import { openLibsql } from "../../src/store/db.ts";
import { openWriteGroups } from "../../src/store/libsql-groups.ts";
import { lastingBackend, type Backend } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";

/** One server for all tests of a file; it is emptied before each. */
export const sqldBackend = (url: () => string, writes: "alone" | "grouped" = "alone"): Backend =>
  lastingBackend({
    name: "libSQL server",
    migrations: readMigrations(),
    connect(options = {}) {
      const client = createClient({ url: url() });
      const groups = { groups: openWriteGroups({ url: url(), authToken: null }) };
      return {
        db: openLibsql(client, { ...options, ...(writes === "grouped" && groups) }),
        close: async () => client.close(),
      };
    },
  });
