/** Columns of tables, and what several of them show. */
import type { ComponentChildren } from "preact";
import type { Cell } from "../csv.ts";
import { count, dateOf, day, none, shortTime, time } from "../format.ts";

export interface Column<Row> {
  title: string;
  /** `text` by default */
  show?: (row: Row) => ComponentChildren;
  /** CSV cell; absent if the column is not exported */
  text?: (row: Row) => Cell;
  isNumber?: true;
  /** `text` by default, and without both the column can't be sorted; `null` sorts last */
  order?: (row: Row) => Cell;
  /** shown below the rows */
  sum?: (rows: readonly Row[]) => ComponentChildren;
  /** CSV only */
  isFileOnly?: true;
  /** hidden on phones */
  isWide?: true;
  /** hidden while no row has a `text` */
  isOptional?: true;
}

type Given<Value> = Value | null | undefined;
type Of<Row, Value> = (row: Row) => Given<Value>;

/** In the reader's zone, with full precision in the title. */
export const Time = ({ at, show = shortTime }: { at: number; show?: (ms: number) => string }) => (
  <time class="nowrap" dateTime={dateOf(at).toISOString()} title={time(at)}>
    {show(at)}
  </time>
);

/** Unambiguous in spreadsheets. */
export const isoOf = (at: Given<number>): string | null =>
  at === null || at === undefined ? null : dateOf(at).toISOString();

type BriefProps = { text: Given<string>; isCode?: boolean; size?: string };

/** At most two lines, with the whole text in the title. */
export function Brief({ text, isCode = false, size = "" }: BriefProps) {
  const Tag = isCode ? "code" : "span";
  return text ? <Tag class={`brief ${size}`} title={text} children={text} /> : <>{none}</>;
}

/** Cells show their text, or else `show`. */
export const column = <Row,>(
  title: string,
  text: (row: Row) => Cell,
  show?: (row: Row) => ComponentChildren,
): Column<Row> => ({ title, text, ...(show && { show }) });

export const numberColumn = <Row,>(
  title: string,
  of: Of<Row, number>,
  shown: (value: Given<number>) => string = (value) => String(value ?? none),
): Column<Row> => ({
  title,
  isNumber: true,
  isOptional: true,
  show: (row) => shown(of(row)),
  text: (row) => of(row) ?? null,
});

/** Hidden while no row has a text. */
export const textColumn = <Row,>(title: string, of: Of<Row, string>, size = ""): Column<Row> => ({
  title,
  isOptional: true,
  show: (row) => (of(row) ? <Brief text={of(row)} size={size} /> : none),
  text: (row) => of(row) ?? null,
});

/** Phones leave out the text for no time. */
export const timeColumn = <Row,>(title: string, of: Of<Row, number>, show = shortTime) =>
  column<Row>(
    title,
    (row) => isoOf(of(row)),
    (row) => {
      const at = of(row) ?? null;
      return at === null ? none : <Time {...{ at, show }} />;
    },
  );

export const dayColumn = <Row,>(title: string, of: Of<Row, number>) => timeColumn(title, of, day);

/** Cut to one line, with the whole text in the title. */
export const lineColumn = <Row,>(title: string, of: (row: Row) => string | null) =>
  textColumn(title, of, "line");

/** In the CSV only. */
export const fileColumn = <Row,>(title: string, text: (row: Row) => Cell): Column<Row> => ({
  title,
  text,
  isFileOnly: true,
});

/** Numbers with their sum below. */
export const sumColumn = <Row,>(
  title: string,
  of: (row: Row) => number,
  format: (value: number) => string = count,
): Column<Row> => ({
  title,
  isNumber: true,
  show: (row) => format(of(row)),
  text: of,
  sum: (rows) => format(rows.reduce((sum, row) => sum + of(row), 0)),
});
