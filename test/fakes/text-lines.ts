/** Lines of an export that stands in memory, as the program `audit` reads them from a file. */
import type { ExportLine } from "../../src/domain/audit/exports.ts";
import type { ReadLine } from "../../src/domain/audit/verification-section.ts";

export const readTextLines = (text: string): ReadLine<ExportLine>[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line, at) => ({ number: at + 1, text: line, parsed: JSON.parse(line) as ExportLine }));
