import type { Config } from "../config.ts";

/** Databases on the internet schedule writes themselves. */
const writesNear = 1;
const writesFar = 8;

/** A libSQL server slows down under more concurrent writes. */
export function writesAtOnceOf({ database, writesAtOnce }: Config): number {
  if (writesAtOnce !== null) return writesAtOnce;
  const url = database.kind === "libsql" ? database.url : null;
  return url !== null && URL.parse(url)?.protocol === "http:" ? writesNear : writesFar;
}
