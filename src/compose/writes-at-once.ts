import type { Config } from "../config.ts";

/** A server of one's own is near; what is reached over the internet is not, and takes turns by itself. */
const writesNear = 1;
const writesFar = 8;

/** How many writes one process sends at once: a libSQL server that gets more of them does less. */
export function writesAtOnceOf({ database, writesAtOnce }: Config): number {
  if (writesAtOnce !== null) return writesAtOnce;
  const url = database.kind === "libsql" ? database.url : null;
  return url !== null && URL.parse(url)?.protocol === "http:" ? writesNear : writesFar;
}
