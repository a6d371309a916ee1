/** For rows that no driver can decode. One such row fails the whole page, which is then decoded row by row. */
import type { AsyncResult } from "../../domain/refusals.ts";
import { getTableColumns, sql, type SQL } from "drizzle-orm";
import { outcomes } from "../../domain/audit/record.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import type { Builder, Database } from "../db.ts";
import { samplingRequests } from "../schema.ts";

export type RecordRow = typeof samplingRequests.$inferSelect;
type Name = keyof RecordRow;
type TextRow = Record<Name, string | null>;

const columns = getTableColumns(samplingRequests);
const names = Object.keys(columns) as Name[];
const integers = names.filter((name) => columns[name].dataType === "number");
const lists = ["attempts", "limitChecks"] as const satisfies Name[];

const asText = Object.fromEntries(
  names.map((name): [string, SQL<string | null>] => [name, sql`cast(${columns[name]} as text)`]),
) as unknown as typeof columns;

function problemOf(row: RecordRow): string | null {
  for (const name of integers) {
    const value: unknown = row[name];
    if (value !== null && !Number.isSafeInteger(value)) return `${name} isn't a readable integer`;
  }
  for (const name of lists) if (!Array.isArray(row[name])) return `${name} isn't a list`;
  if (!outcomes.includes(row.outcome)) return "outcome is none that is known";
  return row.usageImplausible === null || row.overshoot === null ? "a figure is missing" : null;
}

function driverValue(name: Name, text: string): unknown {
  const { dataType } = columns[name];
  // SQLite keeps any text in a column of integers.
  if (dataType === "number" || dataType === "boolean")
    return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return text;
}

function decoded(text: TextRow): Result<RecordRow, string> {
  const row: Record<string, unknown> = {};
  for (const name of names) {
    const value = text[name];
    const column = columns[name];
    if (value === null) {
      if (column.notNull) return err(`${name} is missing`);
      row[name] = null;
      continue;
    }
    try {
      row[name] = column.mapFromDriverValue(driverValue(name, value));
    } catch {
      return err(`${name} isn't JSON`);
    }
  }
  const problem = problemOf(row as RecordRow);
  return problem === null ? ok(row as RecordRow) : err(problem);
}

function isUndecodable(cause: unknown): boolean {
  for (let error: unknown = cause; error instanceof Error; error = error.cause)
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)
      return true;
  return false;
}

export interface ReadRows<R> {
  read: R;
  decode: (row: RecordRow) => Result<RecordRow, string>;
}

export async function readRecords<R>(
  db: Database,
  work: (builder: Builder, columns: typeof samplingRequests._.columns) => Promise<R>,
  rowsOf: (read: R) => readonly RecordRow[],
): AsyncResult<ReadRows<R>> {
  const plain = await db.read(async (builder) => {
    try {
      return { read: await work(builder, columns) };
    } catch (cause) {
      if (isUndecodable(cause)) return null;
      throw cause;
    }
  });
  if (!plain.ok) return plain;
  if (plain.value !== null && rowsOf(plain.value.read).every((row) => problemOf(row) === null))
    return ok({ read: plain.value.read, decode: ok });
  const text = await db.read((builder) => work(builder, asText));
  return text.ok
    ? ok({ read: text.value, decode: (row) => decoded(row as unknown as TextRow) })
    : text;
}
