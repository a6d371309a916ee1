/** A server compiles each statement again, which takes longer than running it. */
import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteAsyncDialect();

/** The statement's text with numbers inlined; parameters are JSON, written as `?1`, `?2`, and so on. */
export function textOf(statement: SQL): string {
  const { sql, params } = dialect.sqlToQuery(statement.inlineParams());
  if (params.length > 0) throw new Error("a bulk write's text has parameters of its own");
  return sql.replaceAll(/\s+/g, " ").trim();
}

export const arrayOf = (texts: readonly string[]): string => `[${texts.join(",")}]`;
