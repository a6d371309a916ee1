/** All that the databases of a running router hold of a tenant, read from their files. */
import { DatabaseSync } from "node:sqlite";
import { databaseFilesIn } from "./router.ts";

/** Tables and columns that the router writes by the clock, or at some time after an answer. */
const writtenLater = {
  tables: new Set(["grouped_usage", "health", "latencies", "latency_cursors", "seals"]),
  columns: { seal_number: null, seal_position: null },
};

export interface RowsOfTenants {
  /** By table; `log` is the length of each database's log. What has not been committed yet is not seen. */
  of(tenantId: string): Record<string, unknown[]>;
  close(): void;
}

export function openRows(stateDir: string): RowsOfTenants {
  const opened = new Map<string, DatabaseSync>();
  // On the Worker each tenant has a file, made when the tenant is.
  const databases = (): DatabaseSync[] =>
    databaseFilesIn(stateDir)
      .filter((path) => path.endsWith(".sqlite"))
      .map((path) => {
        const database = opened.get(path) ?? new DatabaseSync(path, { readOnly: true });
        opened.set(path, database);
        return database;
      });
  type Row = Record<string, unknown>;
  const rowsIn = (database: DatabaseSync, sql: string, ...values: string[]): Row[] =>
    database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row, ...writtenLater.columns }));
  const tablesIn = (database: DatabaseSync): string[] =>
    rowsIn(
      database,
      `select t.name from pragma_table_list t, pragma_table_info(t.name) c
       where c.name = 'tenant_id' and t.type = 'table'`,
    )
      .map(({ name }) => String(name))
      .filter((name) => !writtenLater.tables.has(name));
  return {
    of(id) {
      const found: Record<string, unknown[]> = {};
      for (const database of databases()) {
        const tables = tablesIn(database);
        if (tables.length === 0) continue;
        const add = (name: string, sql: string, ...values: string[]): unknown =>
          (found[name] ??= []).push(...rowsIn(database, sql, ...values));
        for (const table of tables) add(table, `select * from "${table}" where tenant_id = ?`, id);
        add("tenants", "select * from tenants where id = ?", id);
        add("log", "select count(*) from admin_events");
      }
      return found;
    },
    close() {
      for (const database of opened.values()) database.close();
    },
  };
}
