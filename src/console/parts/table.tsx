import type { ComponentChildren } from "preact";
import { csvOf, download, type Cell } from "../csv.ts";

export interface Column<Row> {
  title: string;
  show: (row: Row) => ComponentChildren;
  /** CSV cell; absent if the column is not exported */
  text?: (row: Row) => Cell;
  isNumber?: true;
  /** CSV only */
  isFileOnly?: true;
}

export interface TableProps<Row> {
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  empty: ComponentChildren;
  foot?: ComponentChildren;
  current?: string | null;
  /** pointer action on a row; keyboards use a button in a cell */
  open?: (row: Row) => void;
}

/** Ignores controls within the row and text selection. */
const isForRow = ({ target }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest("a, button, input, label, select, summary") === null &&
  getSelection()?.isCollapsed !== false;

function exportRows<Row>({ name, columns, rows }: TableProps<Row>): void {
  const withText = columns.filter(({ text }) => text !== undefined);
  const text = csvOf(
    withText.map(({ title }) => title),
    rows.map((row) => withText.map((column) => column.text?.(row) ?? null)),
  );
  download(`${name.toLowerCase().replaceAll(" ", "-")}.csv`, { text, type: "text/csv" });
}

const alignment = <Row,>({ isNumber }: Column<Row>): { class?: string } =>
  isNumber === true ? { class: "number" } : {};

export function Table<Row>(props: TableProps<Row>) {
  const { name, rows, keyOf, empty, foot, current, open } = props;
  const columns = props.columns.filter(({ isFileOnly }) => isFileOnly !== true);
  if (rows.length === 0)
    return (
      <>
        <div class="empty">{empty}</div>
        {foot !== undefined && <div class="foot">{foot}</div>}
      </>
    );
  return (
    <>
      <div class="frame" role="region" aria-label={name} tabIndex={0}>
        <table>
          <caption class="unseen">{name}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" {...alignment(column)}>
                  {column.title === "" ? <span class="unseen">Actions</span> : column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                {...(keyOf(row) === current && { "aria-current": "true" })}
                {...(open !== undefined && {
                  class: "opens",
                  onClick: (event: MouseEvent) => isForRow(event) && open(row),
                })}
              >
                {columns.map((column) => (
                  <td key={column.title} {...alignment(column)}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="foot">
        {foot}
        <button type="button" class="quiet" onClick={() => exportRows(props)}>
          Save as CSV
        </button>
      </div>
    </>
  );
}
