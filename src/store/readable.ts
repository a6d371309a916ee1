/**
 * Rows that may not be readable: an integer beyond what a driver gives back, a JSON that is none, a word that
 * this version doesn't know. One such row fails the statement that reads it, and with it all others of the
 * page. So the page is read again as text, which no driver refuses, and each row is decoded by itself.
 */
import { getTableColumns, sql, type SQL } from "drizzle-orm";
import { outcomes } from "../domain/audit/record.ts";
import type { Answer } from "../domain/ports/stores.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Builder, Database } from "./db.ts";
import { samplingRequests } from "./schema.ts";

export type RecordRow = typeof samplingRequests.$inferSelect;
type Name = keyof RecordRow;
type TextRow = Record<Name, string | null>;

const columns = getTableColumns(samplingRequests);
const names = Object.keys(columns) as Name[];
const integers = names.filter((name) => columns[name].dataType === "number");
const lists = ["attempts", "holds"] as const satisfies Name[];

const asText = Object.fromEntries(
  names.map((name): [string, SQL<string | null>] => [name, sql`cast(${columns[name]} as text)`]),
) as unknown as typeof columns;

/** What of a row is no record; null: nothing. Says which column, and never what stands there. */
function problemOf(row: RecordRow): string | null {
  for (const name of integers) {
    const value: unknown = row[name];
    if (value !== null && !Number.isSafeInteger(value)) return `${name} is no readable integer`;
  }
  for (const name of lists) if (!Array.isArray(row[name])) return `${name} is no list`;
  if (!outcomes.includes(row.outcome)) return "outcome is none that is known";
  return row.usageImplausible === null || row.overshoot === null ? "a figure is missing" : null;
}

/** As a driver would have given it. */
function driverValue(name: Name, text: string): unknown {
  const { dataType } = columns[name];
  // Digits alone: SQLite keeps any text in a column of integers.
  if (dataType === "number" || dataType === "boolean")
    return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return text;
}

/** The row that stands in the database as text, or why it is none. */
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
      return err(`${name} is no JSON`);
    }
  }
  const problem = problemOf(row as RecordRow);
  return problem === null ? ok(row as RecordRow) : err(problem);
}

/** Of what was thrown while a row was read: what the driver or drizzle could not decode. */
function isUndecodable(cause: unknown): boolean {
  for (let error: unknown = cause; error instanceof Error; error = error.cause)
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)
      return true;
  return false;
}

export interface ReadRows<R> {
  read: R;
  /** of a row that was read */
  decode: (row: RecordRow) => Result<RecordRow, string>;
}

/** `work` selects the columns that it is given, which may be twice; `rowsOf` names the rows of what it read. */
export async function readRecords<R>(
  db: Database,
  work: (builder: Builder, columns: typeof samplingRequests._.columns) => Promise<R>,
  rowsOf: (read: R) => readonly RecordRow[],
): Answer<ReadRows<R>> {
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
