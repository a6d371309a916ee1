/** Synchronous SQL for the in-memory ledger; implemented by a libSQL connection and by a Durable Object. */

export type Bound = string | number | bigint | null | Uint8Array;

export interface Statement {
  sql: string;
  params: Bound[];
}

/** The caller begins and ends the transaction. */
export interface Sql {
  all(sql: string, params: Bound[]): unknown[][];
  change(sql: string, params: Bound[]): number;
}

/** A write-back cache of a table. `flush` runs before other statements use the table, and `forget` after them. */
export interface CachedTable {
  table: string;
  alsoReads?: string;
  flush(): void;
  forget(): void;
}
