/** Columns of figures and of texts that keep to one line. */
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
  show: (row) => shown(of(row)),
  text: (row) => of(row) ?? null,
});

/** Hidden while no row has one. Cut texts are in the title. */
export const textColumn = <Row,>(title: string, of: (row: Row) => Given<string>): Column<Row> => ({
  title,
  isOptional: true,
  show(row) {
    const text = of(row) ?? none;
    if (text === none) return none;
    return (
      <span class="one-line short" title={text}>
        {text}
      </span>
    );
  },
  text: (row) => of(row) ?? null,
});
