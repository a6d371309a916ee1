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

/** The rows are the truth. `flush` runs before other statements touch the table, `forget` after them. */
export interface Remembered {
  table: string;
  alsoReads?: string;
  flush(): void;
  forget(): void;
}
