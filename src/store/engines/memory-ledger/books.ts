/**
 * The books: the ledger of a database with a single writer. Counters, open calls and sums are in memory, and the rows
 * are the truth about all three. The owner of the transaction calls `flush` before the commit. So what a call changes
 * in memory reaches the disk together with the call's own row.
 */
import { admitEntry } from "./admit.ts";
import type { Answer, Entry } from "../contract/entries.ts";
import { createMemory, type Desk, type Memory } from "./memory.ts";
import { settleEntry } from "./settle.ts";
import type { Remembered, Sql, Statement } from "../contract/sql.ts";
import type { BookTexts } from "./texts.ts";

export interface Books {
  /** null: the books leave the entry to the ledger's own SQL, and have written nothing. */
  enter(entry: Entry): Answer | null;
  /**
   * Is called before statements that are not the books' own. It writes what the tables of these statements lack. The
   * function that it returns is called after the statements, since they may have changed these tables.
   */
  makeWay(statements: readonly Statement[]): () => void;
  /** Whether a table that the statements read lacks something that `makeWay` would write. */
  lag(statements: readonly Statement[]): boolean;
  /** Is called before the commit. */
  flush(): void;
  /** Is called after a rollback, since then the memory has what no row has. */
  forget(): void;
}

/** Finds the statements that may touch one of the tables: a statement names every table that it reads or writes. */
export const namesOf = (tables: readonly string[], flags = "i"): RegExp =>
  new RegExp(`\\b(?:${tables.join("|")})\\b`, flags);

/** All parts of the memory, and those parts whose tables the statements may touch. */
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

/** For an engine without books: all entries are left to the ledger's own SQL. */
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
    // A reader sees what was committed, and each commit has all sums.
    lag: () => false,
    flush() {
      for (const each of remembered.all) each.flush();
    },
    forget() {
      for (const each of remembered.all) each.forget();
    },
  };
}
