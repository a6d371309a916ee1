/** The database of one shard, the D1 binding or a libSQL server, and the stores over it. */
import { createClient } from "@libsql/client/web";
import type { Config } from "./config.ts";
import type { Ids } from "./domain/ids.ts";
import type { Stores } from "./domain/ports.ts";
import { unreadableReport, type Isolate } from "./isolate.ts";
import { openD1, openLibsql, type Database, type DatabaseOptions } from "./store/db.ts";
import { createStores } from "./store/stores.ts";

function openDatabase(
  { database, shards }: Config,
  { name, ...options }: DatabaseOptions & { name: string },
): Database {
  const named = shards.find((shard) => shard.name === name);
  if (named === undefined && database.kind === "d1") return openD1(database.binding, options);
  const { url, authToken } = named ?? (database as Extract<typeof database, { kind: "libsql" }>);
  const client = createClient(authToken === null ? { url } : { url, authToken });
  return openLibsql(client, options);
}

export function openShard(
  { config, auditing }: Isolate,
  { ids, ...options }: DatabaseOptions & { name: string; ids: Ids },
): { db: Database; stores: Stores } {
  const db = openDatabase(config, options);
  const stores = createStores(db, {
    nonce: () => crypto.randomUUID(),
    mac: auditing.mac,
    sessionLimits: config.sessionLimits,
    unreadable: unreadableReport(ids),
  });
  return { db, stores };
}
