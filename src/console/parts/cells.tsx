/** Columns of figures and of short texts. */
import { none } from "../format.ts";
import type { Column } from "./table.tsx";

type Given<Value> = Value | null | undefined;

interface BriefProps {
  text: Given<string>;
  isCode?: boolean;
  size?: string;
}

/** At most two lines, with the whole text in the title. */
export function Brief({ text, isCode = false, size = "" }: BriefProps) {
  if (!text) return <>{none}</>;
  const shown = { class: `brief ${size}`, title: text };
  return isCode ? <code {...shown}>{text}</code> : <span {...shown}>{text}</span>;
}

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

/** Hidden while no row has a text. */
export const textColumn = <Row,>(
  title: string,
  of: (row: Row) => Given<string>,
  size = "",
): Column<Row> => ({
  title,
  isOptional: true,
  show: (row) => <Brief text={of(row)} size={size} />,
  text: (row) => of(row) ?? null,
});
