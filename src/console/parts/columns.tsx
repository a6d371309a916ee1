/** Columns that several lists have. */
import { count, day, none, shortTime } from "../format.ts";
import { textColumn } from "./cells.tsx";
import type { Column } from "./table.tsx";
import { isoOf, Time } from "./time.tsx";

type At<Row> = (row: Row) => number | null | undefined;

/** Phones leave out the text for no time. */
const shownIn =
  <Row,>(at: At<Row>, show: (ms: number) => string) =>
  (row: Row) => {
    const ms = at(row) ?? null;
    return ms === null ? none : <Time at={ms} show={show} />;
  };

export const timeColumn = <Row,>(title: string, at: At<Row>): Column<Row> => ({
  title,
  show: shownIn(at, shortTime),
  text: (row) => isoOf(at(row)),
});

export const dayColumn = <Row,>(title: string, at: At<Row>): Column<Row> => ({
  ...timeColumn(title, at),
  show: shownIn(at, day),
});

/** Cut to one line, with the whole text in the title. */
export const lineColumn = <Row,>(title: string, of: (row: Row) => string | null) =>
  textColumn(title, of, "line");

/** In the CSV only. */
export const fileColumn = <Row,>(
  title: string,
  text: Column<Row>["text"] & object,
): Column<Row> => ({ title, text, isFileOnly: true });

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
