/** A database's rows in parts that one request takes. */
import type { ImportPart } from "../store/durable/import-rows.ts";
import type { Local } from "../store/embedded/local.ts";

/** Rows that are looked at together, and what one part holds at most, where a row is not larger itself. */
const rowsAtOnce = 500;
const mostCharacters = 1_000_000;

const textsIn = (source: Local, sql: string): string[] =>
  JSON.parse(String(source.one(sql))) as string[];

/** Each object makes its own list of migrations. Keys go last. */
export const tablesIn = (source: Local): string[] =>
  textsIn(
    source,
    `select json_group_array(name) from (select name from sqlite_master where type = 'table'
      and name not like 'sqlite\\_%' escape '\\' and name <> 'd1_migrations' order by name = 'api_keys', name)`,
  );

const hasRowids = (source: Local, table: string): boolean =>
  source.one(`select wr from pragma_table_list('${table}')`) === 0;

/** In the order in which the rows are in the file; of a table without such an order, in that of its key. */
export function* partsOf(source: Local, table: string): Generator<ImportPart> {
  const columns = textsIn(
    source,
    `select json_group_array(name) from pragma_table_info('${table}')`,
  );
  const named = columns.map((name) => `"${name}"`).join(", ");
  // By their numbers the rows of a large table are found at once; the others are few.
  const byNumber = hasRowids(source, table);
  let rows: ImportPart["rows"] = [];
  let size = 0;
  let last = -1;
  for (let from = 0; ; from += rowsAtOnce) {
    const page = JSON.parse(
      String(
        source.one(
          byNumber
            ? `select json_group_array(json_array(place, ${named})) from (
                select rowid as place, ${named} from "${table}" where rowid > ${last} order by rowid limit ${rowsAtOnce})`
            : `select json_group_array(json_array(0, ${named})) from (
                select ${named} from "${table}" limit ${rowsAtOnce} offset ${from})`,
        ),
      ),
    ) as [number, ...ImportPart["rows"][number]][];
    for (const [place, ...row] of page) {
      last = place;
      const characters = JSON.stringify(row).length;
      if (rows.length > 0 && size + characters > mostCharacters) {
        yield { table, columns, rows };
        [rows, size] = [[], 0];
      }
      rows.push(row);
      size += characters;
    }
    if (page.length < rowsAtOnce) break;
  }
  if (rows.length > 0) yield { table, columns, rows };
}
