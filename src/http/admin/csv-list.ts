/** Lists of the admin API as CSV: `?format=csv` or `Accept: text/csv`. Columns follow from the schema. */
import { z } from "@hono/zod-openapi";
import { csvBreak, csvCell } from "../../domain/audit/csv.ts";
import { isObject } from "../../domain/json.ts";

export const csvQuery = {
  format: z
    .enum(["json", "csv"])
    .optional()
    .openapi({ description: "Default: json, or csv with `Accept: text/csv`" }),
};

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner;
}

export function rowSchemaOf(answer: z.core.$ZodType | undefined): z.core.$ZodType | null {
  if (!(answer instanceof z.ZodObject)) return null;
  const data: unknown = answer.shape["data"];
  return data instanceof z.ZodArray ? data.element : null;
}

function columnsOf(schema: z.core.$ZodType, path: readonly string[] = []): string[][] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [[...path]];
  return Object.entries(inner.shape).flatMap(([name, member]) =>
    columnsOf(member as z.core.$ZodType, [...path, name]),
  );
}

function cellAt(row: unknown, path: readonly string[]): string {
  let value = row;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  if (value === undefined || value === null) return "";
  return csvCell(
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : JSON.stringify(value),
  );
}

/** Whichever type the header names first. */
const isCsvAccepted = (accept: string | undefined): boolean =>
  (accept ?? "")
    .split(",")
    .map((range) => range.trim().toLowerCase())
    .filter((range) => !/;\s*q=0(?:\.0+)?\s*$/.test(range))
    .map((range) => range.split(";")[0]?.trim())
    .find((type) => type === "text/csv" || type === "application/json") === "text/csv";

export const isCsvAsked = (format: unknown, accept: string | undefined): boolean =>
  format === undefined ? isCsvAccepted(accept) : format === "csv";

/** The cursor of the next page is in a header, as for exports. */
export function csvResponse(list: unknown, rowSchema: z.core.$ZodType, name: string): Response {
  const { data, nextCursor } = list as { data: readonly unknown[]; nextCursor?: string | null };
  const columns = columnsOf(rowSchema);
  const lines = [
    columns.map((path) => csvCell(path.join("."))),
    ...data.map((row) => columns.map((path) => cellAt(row, path))),
  ];
  return new Response(lines.map((cells) => cells.join(",") + csvBreak).join(""), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "X-Content-Type-Options": "nosniff",
      ...(typeof nextCursor === "string" && { "X-Next-Cursor": nextCursor }),
    },
  });
}
