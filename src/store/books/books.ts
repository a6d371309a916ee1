/**
 * The books: the ledger of a database with a single writer. Counters, open calls and sums are in memory, and the
 * rows are their truth. Whoever owns the transaction calls `flush` before the commit, so what a call changes in
 * memory is on the disk with the call's own row.
 */
import { admitEntry } from "./admit.ts";
import type { Answer, Entry } from "./entries.ts";
import { createMemory, type Desk } from "./memory.ts";
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
  /** Stands before the commit. */
  flush(): void;
  /** Stands after a rollback: what is remembered was not written. */
  forget(): void;
}

/** Whether a statement may touch the table: every statement names what it reads and writes. */
const namesOf = (tables: readonly string[]): RegExp =>
  new RegExp(`\\b(?:${tables.join("|")})\\b`, "gi");

/** Where nobody keeps books, everything is left to the ledger's own SQL. */
export const noBooks: Books = {
  enter: () => null,
  makeWay: () => () => {},
  flush: () => {},
  forget: () => {},
};

export function createBooks(sql: Sql, texts: BookTexts): Books {
  const memory = createMemory(sql, texts);
  const desk: Desk = { sql, texts, memory };
  const remembered = new Map<string, Remembered>(
    Object.values(memory).map((each) => [each.table, each]),
  );
  const names = namesOf([...remembered.keys()]);
  const namedIn = (statements: readonly Statement[]): Remembered[] => {
    const found = new Set<string>();
    for (const statement of statements)
      for (const [name] of statement.sql.matchAll(names)) found.add(name.toLowerCase());
    return [...found].flatMap((name) => remembered.get(name) ?? []);
  };
  return {
    enter: (entry) => (entry.kind === "admit" ? admitEntry(desk, entry) : settleEntry(desk, entry)),
    makeWay(statements) {
      const named = namedIn(statements);
      for (const each of named) each.flush();
      return () => {
        for (const each of named) each.forget();
      };
    },
    flush() {
      for (const each of remembered.values()) each.flush();
    },
    forget() {
      for (const each of remembered.values()) each.forget();
    },
  };
}
