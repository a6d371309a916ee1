import type { AsyncResult } from "../domain/refusals.ts";
import { ok } from "../domain/result.ts";
import type { Database } from "./db.ts";

type Writer = Pick<Database, "write">;
type Writing = [db: Writer, ...sent: Parameters<Database["write"]>];

export const inLane = (db: Database, lane: string): Writer => ({
  write: (statements) => db.write(statements, { lane }),
});

export async function execute(...[db, ...sent]: Writing): AsyncResult<null> {
  const written = await db.write(...sent);
  return written.ok ? ok(null) : written;
}

export async function countRows(...[db, ...sent]: Writing): AsyncResult<number> {
  const written = await db.write(...sent);
  return written.ok ? ok(written.value.flat().length) : written;
}

export async function hasRows(...writing: Writing): AsyncResult<boolean> {
  const counted = await countRows(...writing);
  return counted.ok ? ok(counted.value > 0) : counted;
}
