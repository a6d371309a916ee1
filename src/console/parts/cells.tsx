/** Columns of figures and of short texts. */
import { none } from "../format.ts";
import type { Column } from "./table.tsx";

type Given<Value> = Value | null | undefined;

export const numberColumn = <Row,>(
  title: string,
  of: (row: Row) => Given<number>,
  shown: (value: Given<number>) => string = (value) => String(value ?? none),
): Column<Row> => ({
  title,
  isNumber: true,
  isOptional: true,
  show: (row) => shown(of(row)),
  text: (row) => of(row) ?? null,
});

/** At most two lines, with the whole text in the title. Hidden while no row has one. */
export const textColumn = <Row,>(
  title: string,
  of: (row: Row) => Given<string>,
  size = "",
): Column<Row> => ({
  title,
  isOptional: true,
  show(row) {
    const text = of(row);
    if (!text) return none;
    return (
      <span class={`brief ${size}`} title={text}>
        {text}
      </span>
    );
  },
  text: (row) => of(row) ?? null,
});
