import { csvBreak, csvCell } from "../domain/audit/csv.ts";

export type Cell = string | number | boolean | null;

export const csvOf = (titles: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [titles, ...rows].map((row) => row.map((cell) => csvCell(cell)).join(",")).join(csvBreak) +
  csvBreak;

export function download(name: string, file: { text: string; type: string }): void {
  const url = URL.createObjectURL(new Blob([file.text], { type: file.type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started reading by then.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
