/** A scrollable table with an empty state, sorting, sums, and CSV export. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { csvBreak, csvCell } from "../../domain/audit/csv.ts";
import { none } from "../format.ts";
import type { Cell, Column } from "./columns.tsx";
import { Button } from "./page.tsx";

export interface TableProps<Row> {
  /** for screen readers and the file name */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** the first action */
  empty: ComponentChildren;
  /** next to the CSV button */
  foot?: ComponentChildren;
  /** titles above the rows of each group; rows are in the groups' order */
  groupOf?: (row: Row) => string;
  /** of the given rows */
  order?: Sorted;
  /** the opened row */
  current?: string | null;
  /** rows that are shown before "Show all"; absent if all are */
  isShown?: ((row: Row, at: number) => boolean) | undefined;
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
  const cells: Cell[][] = [
    withText.map(({ title }) => title),
    ...rows.map((row) => withText.map((column) => column.text?.(row) ?? null)),
  ];
  const text = cells.map((row) => row.map((cell) => csvCell(cell)).join(",") + csvBreak).join("");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: `${name.toLowerCase().replaceAll(" ", "-")}.csv` });
  link.click();
  // The browser has started reading by then.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

const classOf = <Row,>({ title, isNumber, isWide }: Column<Row>): string =>
  `${isNumber === true ? "number" : title === "" ? "does" : ""} ${isWide === true ? "wide" : ""}`;

type Sorted = { title: string; isDescending: boolean };

function sortedBy<Row>(
  rows: readonly Row[],
  { text, order = text }: Column<Row>,
  { isDescending }: Sorted,
): readonly Row[] {
  if (order === undefined) return rows;
  return rows.toSorted((one, other) => {
    const [a, b] = [order(one), order(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const ascending = typeof a === "string" ? a.localeCompare(String(b)) : Number(a) - Number(b);
    return isDescending ? -ascending : ascending;
  });
}

type Sorting = { sorted: Sorted | null; sort: (sorted: Sorted) => void };

function Head<Row>({ column, sorted, sort }: Sorting & { column: Column<Row> }) {
  const { title, isNumber } = column;
  const own = sorted?.title === title ? sorted : null;
  const direction = own === null ? undefined : own.isDescending ? "descending" : "ascending";
  const arrow = { ascending: " ↑", descending: " ↓" };
  // Numbers start with the highest.
  const isDescending = own === null ? isNumber === true : !own.isDescending;
  return (
    <th scope="col" role="columnheader" class={classOf(column)} aria-sort={direction}>
      {(column.order ?? column.text) === undefined ? (
        title || <span class="unseen">Actions</span>
      ) : (
        <Button class="sort" onClick={() => sort({ title, isDescending })}>
          {title}
          <span aria-hidden="true">{direction === undefined ? " ↕" : arrow[direction]}</span>
        </Button>
      )}
    </th>
  );
}

function Sums<Row>({ columns, rows }: Pick<TableProps<Row>, "columns" | "rows">) {
  if (rows.length < 2 || columns.every(({ sum }) => sum === undefined)) return null;
  return (
    <tfoot role="rowgroup">
      <tr role="row">
        {columns.map((column, at) => (
          <td key={column.title} role="cell" data-title={column.title} class={classOf(column)}>
            {column.sum?.(rows) ?? (at === 0 ? "Total" : null)}
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

type RowsProps<Row> = TableProps<Row> & { group: string | null };

const Rows = <Row,>({ group, columns, rows, keyOf, current, open }: RowsProps<Row>) => (
  <tbody role="rowgroup">
    {group !== null && (
      <tr class="group" role="row">
        <th scope="rowgroup" role="rowheader" colSpan={columns.length}>
          {group} <span class="faint">({rows.length})</span>
        </th>
      </tr>
    )}
    {rows.map((row) => (
      <tr
        key={keyOf(row)}
        role="row"
        aria-current={keyOf(row) === current ? "true" : undefined}
        class={open && "opens"}
        onClick={(event) => isForRow(event) && open?.(row)}
      >
        {columns.map((column) => {
          const { title, text, show = text } = column;
          const shown = show?.(row) ?? none;
          const blank = shown === none ? "blank" : "";
          return (
            <td key={title} role="cell" data-title={title} class={`${classOf(column)} ${blank}`}>
              {shown}
            </td>
          );
        })}
      </tr>
    ))}
  </tbody>
);

export function Table<Row>(props: TableProps<Row>) {
  const { name, empty, foot, groupOf = () => null, isShown = () => true } = props;
  const [sorted, sort] = useState<Sorted | null>(props.order ?? null);
  const [isWhole, setWhole] = useState(false);
  const by = props.columns.find(({ title }) => title === sorted?.title);
  const rows = sorted && by ? sortedBy(props.rows, by, sorted) : props.rows;
  const shown = isWhole ? rows : rows.filter(isShown);
  const columns = props.columns.filter(
    ({ isFileOnly, isOptional, text }) =>
      isFileOnly !== true &&
      (isOptional !== true || props.rows.some((row) => (text?.(row) ?? null) !== null)),
  );
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
        {/* Roles are lost where styles make cards of the rows. */}
        <table class="rows" role="table">
          <caption class="unseen">{name}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <Head key={column.title} {...{ column, sorted, sort }} />
              ))}
            </tr>
          </thead>
          {[...Map.groupBy(shown, groupOf)].map(([group, its]) => (
            <Rows key={group} {...props} {...{ group, columns }} rows={its} />
          ))}
          <Sums columns={columns} rows={rows} />
        </table>
      </div>
      <div class="foot">
        {foot}
        {shown.length < rows.length && (
          <Button class="quiet" onClick={() => setWhole(true)}>
            Show all {rows.length}
          </Button>
        )}
        <Button class="quiet" onClick={() => exportRows({ ...props, rows })}>
          Save as CSV
        </Button>
      </div>
    </>
  );
}
