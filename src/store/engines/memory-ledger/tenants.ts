/** What the books remember of a tenant beside running calls: version, number of the last record, failing circuits. */
import type { Remembered, Sql } from "../contract/sql.ts";
import type { BookTexts } from "./texts.ts";

const tenantsKept = 10_000;

/** Remembers for each tenant what `read` gave at the first question. */
function createMemory<T>(table: string, read: (tenantId: string) => T) {
  const known = new Map<string, T>();
  return {
    table,
    of(tenantId: string): T {
      const found = known.get(tenantId);
      if (found !== undefined) return found;
      const fresh = read(tenantId);
      known.set(tenantId, fresh);
      return fresh;
    },
    flush(): void {
      if (known.size > tenantsKept) known.clear();
    },
    forget: () => known.clear(),
  };
}

/** The version of a tenant; null: there is no such tenant. */
export const createVersions = (sql: Sql, texts: BookTexts) =>
  createMemory(texts.tables.tenants, (tenantId): number | null => {
    const [row] = sql.all(texts.readVersion, [tenantId]);
    return row === undefined ? null : Number(row[0]);
  });

/** The scopes of the circuits in which something failed. */
export const createScopes = (sql: Sql, texts: BookTexts) =>
  createMemory(
    texts.tables.circuits,
    (tenantId) => new Set(sql.all(texts.readScopes, [tenantId]).map(([scope]) => scope)),
  );

export interface Numbers extends Remembered {
  /** The number of the tenant's next record. */
  next(tenantId: string): number;
  use(tenantId: string, number: number): void;
  /** The highest number that the rows have. */
  written(tenantId: string): number;
}

export function createNumbers(sql: Sql, texts: BookTexts): Numbers {
  const last = new Map<string, number>();
  const inRows = new Map<string, number>();
  const unwritten = new Set<string>();
  const next = (tenantId: string): number => {
    let used = last.get(tenantId);
    if (used === undefined) {
      used = Number(sql.all(texts.readNumber, [tenantId])[0]?.[0] ?? 0);
      last.set(tenantId, used);
      inRows.set(tenantId, used);
    }
    return used + 1;
  };
  return {
    table: texts.tables.numbers,
    next,
    written(tenantId) {
      next(tenantId);
      return inRows.get(tenantId) ?? 0;
    },
    use(tenantId, number) {
      last.set(tenantId, number);
      unwritten.add(tenantId);
    },
    flush() {
      for (const tenantId of unwritten) {
        const number = last.get(tenantId) ?? 0;
        sql.change(texts.writeNumber, [tenantId, number]);
        inRows.set(tenantId, number);
      }
      unwritten.clear();
      if (last.size <= tenantsKept) return;
      last.clear();
      inRows.clear();
    },
    forget() {
      last.clear();
      inRows.clear();
      unwritten.clear();
    },
  };
}
