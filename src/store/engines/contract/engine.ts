/** Interface of a single writer's database. Plain values only: they cross threads and objects. */
import type { Answer, Entry } from "./entries.ts";
import type { Statement } from "./sql.ts";

/** The open file was deleted or replaced; writes would be lost. */
export const replacedCode = "DATABASE_REPLACED";

export interface Rows {
  columns: string[];
  values: unknown[][];
}

export interface Fault {
  code: string;
  message: string;
}

/** A new call was refused because the database is full. */
export const fullCode = "DATABASE_HAS_NO_ROOM";

/** An unreleased version created the database; it is neither read nor written. */
export const unreleasedCode = "DATABASE_OF_UNRELEASED_VERSION";

/** Result of an atomic job. `answer` belongs to a ledger entry; `null` leaves it to SQL. */
export type Outcome =
  | { ok: true; rows: Rows[]; answer?: Answer | null }
  | { ok: false; fault: Fault };

export type Job = readonly Statement[] | Entry;

export interface Engine {
  /**
   * Atomic and durable once it resolves.
   * @param ifLost `again` if the job may be sent twice; defaults to `once`
   */
  write(job: Statement[] | Entry, ifLost?: "again" | "once"): Promise<Outcome>;
  read(statements: Statement[]): Promise<Outcome>;
}
