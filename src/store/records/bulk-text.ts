/**
 * Texts of bulk writes, which one set of statements does for many callers at once. A server compiles each statement
 * anew, which takes longer than running it. So sixty callers' statements should not be sixty times one caller's.
 */
import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteAsyncDialect();

/**
 * A statement's text, for a module that makes the text once. The numbers that `sql` puts in stand in the text; the
 * parameters of a bulk write are JSON, written as ?1, ?2 and so on.
 */
export function textOf(statement: SQL): string {
  const { sql, params } = dialect.sqlToQuery(statement.inlineParams());
  if (params.length > 0) throw new Error("a bulk write's text has parameters of its own");
  return sql.replaceAll(/\s+/g, " ").trim();
}

/** One JSON array of many JSON texts. */
export const arrayOf = (texts: readonly string[]): string => `[${texts.join(",")}]`;
