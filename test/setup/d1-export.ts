/** Writes a database as `wrangler d1 export` does: tables with their rows, then indexes. */
import type { Local } from "../../src/store/engines/embedded/local.ts";

const listOf = <T = string>(opened: Local, sql: string): T[] =>
  JSON.parse(String(opened.one(`select json_group_array(${sql}`))) as T[];

const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Line ends are spelt out, as the export spells them. */
function literal(quoted: string): string {
  if (!/[\n\r]/.test(quoted)) return quoted;
  const text = quoted.replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const withReturns = quoted.includes("\r") ? `replace(${text},'\\r',char(13))` : text;
  return quoted.includes("\n") ? `replace(${withReturns},'\\n',char(10))` : withReturns;
}

function rowsOf(opened: Local, table: string): string[] {
  const columns = listOf(opened, `name) from pragma_table_info('${table}')`);
  const names = columns.map(named);
  const values = names.map((name) => `quote(${name})`).join(", ");
  const rows = listOf<string[]>(opened, `json_array(${values})) from ${named(table)}`);
  return rows.map(
    (row) =>
      `INSERT INTO ${named(table)} (${names.join(",")}) VALUES(${row.map(literal).join(",")});`,
  );
}

export function exportOf(opened: Local): string {
  const tables = listOf(
    opened,
    `name) from (select name from sqlite_schema where type = 'table' and sql not null
      and name not like '\\_cf\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by rowid)`,
  );
  const lines = ["PRAGMA defer_foreign_keys=TRUE;"];
  for (const table of tables) {
    const sql = String(opened.one(`select sql from sqlite_schema where name = '${table}'`));
    lines.push(`${sql};`, ...rowsOf(opened, table));
  }
  lines.push("DELETE FROM sqlite_sequence;", ...rowsOf(opened, "sqlite_sequence"));
  const indexes = listOf(
    opened,
    "sql) from (select sql from sqlite_schema where type = 'index' and sql not null)",
  );
  return [...lines, ...indexes.map((sql) => `${sql};`)].join("\n");
}
