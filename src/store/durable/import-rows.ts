/** Rows of a whole database, part by part, as they travel into the object `home`. */
import type { Statement } from "../books/sql.ts";

export interface ImportPart {
  table: string;
  columns: string[];
  /** in the order of the columns */
  rows: (string | number | null)[][];
}

/** A name stands in the text of a statement. */
const isName = (name: unknown): name is string =>
  typeof name === "string" && /^[a-z][a-z0-9_]*$/.test(name);
const isValue = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "number";

/** null: the value is no part of an import. */
export function readImport(body: unknown): ImportPart | null {
  if (typeof body !== "object" || body === null) return null;
  const { table, columns, rows } = body as Record<string, unknown>;
  if (!isName(table) || !Array.isArray(columns) || !Array.isArray(rows)) return null;
  if (columns.length === 0 || !columns.every(isName)) return null;
  const isRow = (row: unknown): boolean =>
    Array.isArray(row) && row.length === columns.length && row.every(isValue);
  return rows.every(isRow) ? { table, columns, rows: rows as ImportPart["rows"] } : null;
}

/** The last one gives how many rows the table has then. */
export function importStatements({ table, columns, rows }: ImportPart): Statement[] {
  const named = columns.map((name) => `"${name}"`).join(", ");
  const values = columns.map((_, at) => `value ->> ${at}`).join(", ");
  return [
    {
      sql: `insert or ignore into "${table}" (${named}) select ${values} from json_each(?) order by key`,
      params: [JSON.stringify(rows)],
    },
    { sql: `select count(*) from "${table}"`, params: [] },
  ];
}
