/** The database of one shard: the D1 binding, or a libSQL server. */
import { createClient } from "@libsql/client/web";
import type { Config } from "./config.ts";
import { openD1, openLibsql, type Database, type DatabaseOptions } from "./store/db.ts";

/** A server of one's own is near; what is reached over the internet is not, and takes turns by itself. */
const writesNear = 1;
const writesFar = 8;

/** How many writes one process sends at once: a libSQL server that gets more of them does less. */
export function writesAtOnceOf({ database, shards, writesAtOnce }: Config, name: string): number {
  if (writesAtOnce !== null) return writesAtOnce;
  const named = shards.find((shard) => shard.name === name);
  const url = named?.url ?? (database.kind === "libsql" ? database.url : null);
  return url !== null && URL.parse(url)?.protocol === "http:" ? writesNear : writesFar;
}

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
