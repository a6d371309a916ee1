/** What a single writer's database is asked, and what it answers. Plain values: they travel between threads and objects. */
import type { Answer, Entry } from "./entries.ts";
import type { Statement } from "./sql.ts";

/** The database's file was deleted or replaced while it was open, and nothing that is written to it lasts. */
export const replacedCode = "DATABASE_REPLACED";

/** Values in the order of their columns: names are sent once and not with each row. */
export interface Rows {
  columns: string[];
  values: unknown[][];
}

/** As SQLite says it. */
export interface Fault {
  /** such as `SQLITE_FULL` */
  code: string;
  message: string;
}

/** The database has no room for a new call, and wrote nothing. */
export const fullCode = "DATABASE_HAS_NO_ROOM";

/** An unreleased version made the database, which is neither read nor written. */
export const unreleasedCode = "DATABASE_OF_UNRELEASED_VERSION";

/**
 * What became of statements that happen together or not at all, or of an entry in the books. `answer`: to an
 * entry; null: the books left it to the ledger's own SQL.
 */
export type Outcome =
  | { ok: true; rows: Rows[]; answer?: Answer | null }
  | { ok: false; fault: Fault };

/** Statements, or an entry of the ledger in the books. */
export type Job = readonly Statement[] | Entry;

export interface Engine {
  /**
   * All of it or nothing, durable when it is answered.
   * @param ifLost `again`: where the answer is lost the job may be sent once more, since the job finds by its id what it
   *   did; absent: `once`
   */
  write(job: Statement[] | Entry, ifLost?: "again" | "once"): Promise<Outcome>;
  /** What they read is of one moment. */
  read(statements: Statement[]): Promise<Outcome>;
}
