/**
 * The books: the ledger of a database with a single writer. Counters, open calls and sums are in memory, and the
 * rows are their truth. Whoever owns the transaction calls `flush` before the commit, so what a call changes in
 * memory is on the disk with the call's own row.
 */
import { admitEntry } from "./admit.ts";
import type { Answer, Entry } from "./entries.ts";
import { createMemory, type Desk, type Memory } from "./memory.ts";
import { settleEntry } from "./settle.ts";
import type { Remembered, Sql, Statement } from "./sql.ts";
import type { BookTexts } from "./texts.ts";

export interface Books {
  /** null: the books leave it to the ledger's own SQL, and have entered nothing. */
  enter(entry: Entry): Answer | null;
  /**
   * Stands before statements that are not the books' own: their tables are written first, whatever they do. The
   * function that it gives stands after them, since they may have changed these tables.
   */
  makeWay(statements: readonly Statement[]): () => void;
  /** Whether a table that the statements read lacks something that `makeWay` would write. */
  lag(statements: readonly Statement[]): boolean;
  /** Stands before the commit. */
  flush(): void;
  /** Stands after a rollback: what is remembered was not written. */
  forget(): void;
}

/** Whether a statement may touch the table: every statement names what it reads and writes. */
export const namesOf = (tables: readonly string[], flags = "i"): RegExp =>
  new RegExp(`\\b(?:${tables.join("|")})\\b`, flags);

/** Everything that is remembered, and what of it statements may touch. */
export function remembersOf(memory: Memory): {
  all: readonly Remembered[];
  namedIn(statements: readonly Statement[]): Remembered[];
} {
  const all: Remembered[] = Object.values(memory);
  const byTable = new Map(
    all.flatMap((each) =>
      [each.table, each.alsoReads ?? each.table].map((name) => [name, each] as const),
    ),
  );
  const names = namesOf([...byTable.keys()], "gi");
  return {
    all,
    namedIn(statements) {
      const found = new Set<string>();
      for (const statement of statements)
        for (const [name] of statement.sql.matchAll(names)) found.add(name.toLowerCase());
      return [...found].flatMap((name) => byTable.get(name) ?? []);
    },
  };
}

/** Where nobody keeps books, everything is left to the ledger's own SQL. */
export const noBooks: Books = {
  enter: () => null,
  makeWay: () => () => {},
  lag: () => false,
  flush: () => {},
  forget: () => {},
};

export function createBooks(sql: Sql, texts: BookTexts): Books {
  const memory = createMemory(sql, texts);
  const desk: Desk = { sql, texts, memory };
  const remembered = remembersOf(memory);
  return {
    enter: (entry) => (entry.kind === "admit" ? admitEntry(desk, entry) : settleEntry(desk, entry)),
    makeWay(statements) {
      const named = remembered.namedIn(statements);
      for (const each of named) each.flush();
      return () => {
        for (const each of named) each.forget();
      };
    },
    // Whoever reads reads what was committed, and all sums are.
    lag: () => false,
    flush() {
      for (const each of remembered.all) each.flush();
    },
    forget() {
      for (const each of remembered.all) each.forget();
    },
  };
}
