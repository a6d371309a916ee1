/** Synchronous SQL for the in-memory ledger; implemented by a libSQL connection and by a Durable Object. */

export type Bound = string | number | bigint | null | Uint8Array;

export interface Statement {
  sql: string;
  params: Bound[];
}

/** The caller begins and ends the transaction. */
export interface Sql {
  /** Row values are in column order. */
  all(sql: string, params: Bound[]): unknown[][];
  /** Returns the number of written rows. */
  change(sql: string, params: Bound[]): number;
}

/**
 * Cache of one table; the rows are the truth. `flush` runs before other statements touch the table, `forget`
 * after them.
 */
export interface Remembered {
  table: string;
  /** another table that is read, never written */
  alsoReads?: string;
  flush(): void;
  /** Discards the cache, including unwritten changes. */
  forget(): void;
}
