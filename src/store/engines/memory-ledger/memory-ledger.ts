/**
 * Counters, open calls and sums are cached; the rows are the truth. `flush` before the commit makes cached
 * changes durable with the call's row.
 */
import { admitEntry } from "./admit.ts";
import type { Answer, Entry } from "../contract/entries.ts";
import { createMemory, type LedgerParts, type Memory } from "./memory.ts";
import { settleEntry } from "./settle.ts";
import type { CachedTable, Sql, Statement } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

export interface MemoryLedger {
  enter(entry: Entry): Answer | null;
  /**
   * Call before foreign statements: flushes the tables that they name. Call the result afterwards: they may
   * have changed.
   */
  makeWay(statements: readonly Statement[]): () => void;
  lag(statements: readonly Statement[]): boolean;
  flush(): void;
  /** Call after a rollback: discards changes that no row has. */
  forget(): void;
}

/** Matches statements that name one of the tables. */
export const namesOf = (tables: readonly string[], flags = "i"): RegExp =>
  new RegExp(`\\b(?:${tables.join("|")})\\b`, flags);

export function remembersOf(memory: Memory): {
  all: readonly CachedTable[];
  namedIn(statements: readonly Statement[]): CachedTable[];
} {
  const all: CachedTable[] = Object.values(memory);
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

export const noMemoryLedger: MemoryLedger = {
  enter: () => null,
  makeWay: () => () => {},
  lag: () => false,
  flush: () => {},
  forget: () => {},
};

export function createMemoryLedger(sql: Sql, texts: LedgerTexts): MemoryLedger {
  const memory = createMemory(sql, texts);
  const parts: LedgerParts = { sql, texts, memory };
  const remembered = remembersOf(memory);
  return {
    enter: (entry) =>
      entry.kind === "admit" ? admitEntry(parts, entry) : settleEntry(parts, entry),
    makeWay(statements) {
      const named = remembered.namedIn(statements);
      for (const each of named) each.flush();
      return () => {
        for (const each of named) each.forget();
      };
    },
    // Readers see committed rows, and each commit includes all sums.
    lag: () => false,
    flush() {
      for (const each of remembered.all) each.flush();
    },
    forget() {
      for (const each of remembered.all) each.forget();
    },
  };
}
