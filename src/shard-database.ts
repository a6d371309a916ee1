/** The database of one shard: the D1 binding, or a libSQL server. */
import { createClient } from "@libsql/client/web";
import type { Config } from "./config.ts";
import { openD1, openLibsql, type Database, type DatabaseOptions } from "./store/db.ts";

export function openShard(
  { database, shards }: Config,
  { name, ...options }: DatabaseOptions & { name: string },
): Database {
  const named = shards.find((shard) => shard.name === name);
  if (named === undefined && database.kind === "d1") return openD1(database.binding, options);
  const { url, authToken } = named ?? (database as Extract<typeof database, { kind: "libsql" }>);
  const client = createClient(authToken === null ? { url } : { url, authToken });
  return openLibsql(client, options);
}
