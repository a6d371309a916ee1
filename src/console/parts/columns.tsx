/** Columns of tables, and what several of them show. */
import type { ComponentChildren } from "preact";
import { count, dateOf, day, none, shortTime, time as wholeTime } from "../format.ts";

export type Cell = string | number | boolean | null;

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
  <time class="nowrap" dateTime={dateOf(at).toISOString()} title={wholeTime(at)}>
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
const of = <Row,>(
  title: string,
  text: (row: Row) => Cell,
  show?: (row: Row) => ComponentChildren,
): Column<Row> => ({ title, text, ...(show && { show }) });

/** Phones leave out the text for no time. */
const time = <Row,>(title: string, at: Of<Row, number>, show = shortTime) =>
  of<Row>(
    title,
    (row) => isoOf(at(row)),
    (row) => {
      const its = at(row) ?? null;
      return its === null ? none : <Time at={its} show={show} />;
    },
  );

/** Hidden while no row has a text. */
const text = <Row,>(title: string, textOf: Of<Row, string>, size = ""): Column<Row> => ({
  title,
  isOptional: true,
  show: (row) => (textOf(row) ? <Brief text={textOf(row)} size={size} /> : none),
  text: (row) => textOf(row) ?? null,
});

export const column = {
  of,
  time,
  text,
  day: <Row,>(title: string, at: Of<Row, number>) => time(title, at, day),
  /** Cut to one line, with the whole text in the title. */
  line: <Row,>(title: string, textOf: (row: Row) => string | null) => text(title, textOf, "line"),
  /** In the CSV only. */
  file: <Row,>(title: string, textOf: (row: Row) => Cell): Column<Row> => ({
    ...of(title, textOf),
    isFileOnly: true,
  }),
  number: <Row,>(
    title: string,
    numberOf: Of<Row, number>,
    shown: (value: Given<number>) => string = (value) => String(value ?? none),
  ): Column<Row> => ({
    title,
    isNumber: true,
    isOptional: true,
    show: (row) => shown(numberOf(row)),
    text: (row) => numberOf(row) ?? null,
  }),
  /** Numbers with their sum below. */
  sum: <Row,>(
    title: string,
    numberOf: (row: Row) => number,
    format: (value: number) => string = count,
  ): Column<Row> => ({
    title,
    isNumber: true,
    show: (row) => format(numberOf(row)),
    text: numberOf,
    sum: (rows) => format(rows.reduce((sum, row) => sum + numberOf(row), 0)),
  }),
};
