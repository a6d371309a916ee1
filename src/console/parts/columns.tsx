/** Columns that several lists have. */
import { day, time } from "../format.ts";
import type { Column } from "./table.tsx";
import { isoOf, Time } from "./time.tsx";

type At<Row> = (row: Row) => number | null | undefined;

export const timeColumn = <Row,>(title: string, at: At<Row>): Column<Row> => ({
  title,
  show: (row) => <Time at={at(row)} />,
  text: (row) => isoOf(at(row)),
});

export const dayColumn = <Row,>(title: string, at: At<Row>): Column<Row> => ({
  title,
  show(row) {
    const ms = at(row);
    if (ms === null || ms === undefined) return "–";
    return (
      <span class="nowrap" title={time(ms)}>
        {day(ms)}
      </span>
    );
  },
  text: (row) => isoOf(at(row)),
});

/** In the CSV only. */
export const fileColumn = <Row,>(
  title: string,
  text: Column<Row>["text"] & object,
): Column<Row> => ({
  title,
  text,
  isFileOnly: true,
});
