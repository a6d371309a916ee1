import type { CachedTable, Sql } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

const tenantsKept = 10_000;

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

export const createVersions = (sql: Sql, texts: LedgerTexts) =>
  createMemory(texts.tables.tenants, (tenantId): number | null => {
    const [row] = sql.all(texts.readVersion, [tenantId]);
    return row === undefined ? null : Number(row[0]);
  });

export const createScopes = (sql: Sql, texts: LedgerTexts) =>
  createMemory(
    texts.tables.circuits,
    (tenantId) => new Set(sql.all(texts.readScopes, [tenantId]).map(([scope]) => scope)),
  );

export interface Numbers extends CachedTable {
  next(tenantId: string): number;
  use(tenantId: string, number: number): void;
  written(tenantId: string): number;
}

export function createNumbers(sql: Sql, texts: LedgerTexts): Numbers {
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
