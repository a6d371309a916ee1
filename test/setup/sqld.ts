/** The real libSQL server as a store's database. */
import { createClient } from "@libsql/client/web";
import { openLibsql } from "../../src/store/db.ts";
import { openWriteGroups } from "../../src/store/engines/libsql/libsql-groups.ts";
import { lastingBackend, type Backend } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";
import { patient } from "./patience.ts";

/** Packing and unpacking answers takes a quarter of the time of these suites, and no test is about it. */
const plainly = (request: Request): Promise<Response> => {
  request.headers.set("accept-encoding", "identity");
  return fetch(request);
};

/** On a busy machine, 64 writes one after another take longer than a call may wait. */
const timeoutMs = patient(20_000);

/** One server for all tests of a file; it is emptied before each. */
export const sqldBackend = (url: () => string, writes: "alone" | "grouped" = "alone"): Backend =>
  lastingBackend({
    name: "libSQL server",
    migrations: readMigrations(),
    histories: 3,
    connect(options = {}) {
      const client = createClient({ url: url(), fetch: plainly });
      const server = { url: url(), authToken: null, fetch: plainly, timeoutMs };
      const groups = { groups: openWriteGroups(server) };
      return {
        db: openLibsql(client, { timeoutMs, ...options, ...(writes === "grouped" && groups) }),
        close: async () => client.close(),
      };
    },
  });
