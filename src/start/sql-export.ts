/**
 * A database from the text that `wrangler d1 export` writes. Only the kinds of statements that an export has are run:
 * the text comes from elsewhere, and SQL can open other files.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { err, ok, type Result } from "../domain/result.ts";
import { openLocally, type Local } from "../store/embedded/local.ts";

const sqliteHeader = "SQLite format 3\0";

/** Whether the file is a database, and no text of SQL. */
export async function isDatabaseFile(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(sqliteHeader.length), 0);
    return buffer.toString("latin1") === sqliteHeader;
  } finally {
    await file.close();
  }
}

const exported =
  /^(?:create table|create (?:unique )?index|insert into|delete from sqlite_sequence|analyze sqlite_schema)\b/i;
/** All of it is one transaction anyway, and the tables have no foreign keys. */
const skipped = /^(?:begin transaction|commit|pragma (?:defer_)?foreign_keys)\b/i;

/** The statements of a text that comes in pieces. A semicolon between quotes ends none. */
export async function* statementsOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  let at = 0;
  let quote: string | null = null;
  for await (const piece of pieces) {
    text += piece;
    for (; at < text.length; at += 1) {
      const character = text[at] as string;
      if (quote !== null) {
        // A doubled quote ends the text and begins it again.
        if (character === quote) quote = null;
      } else if (character === "'" || character === '"' || character === "`") quote = character;
      else if (character === ";") {
        const statement = text.slice(0, at).trim();
        if (statement !== "") yield statement;
        text = text.slice(at + 1);
        at = -1;
      }
    }
  }
  if (text.trim() !== "") yield text.trim();
}

/** What a fault may show of a statement: the values in it may be secret. */
const beginningOf = (statement: string): string =>
  statement.slice(0, 40).split(/['"(]/)[0]?.trim() ?? "";

/** What is wrong with a statement of the text; null: it was run, or needs not be. */
function run(made: Local, statement: string): string | null {
  if (skipped.test(statement)) return null;
  if (!exported.test(statement)) return "is no part of an export";
  try {
    made.exec(statement);
    return null;
  } catch {
    // SQLite's own message may repeat a value.
    return "can't be run";
  }
}

/** Writes the database that the text describes into a new file. */
export async function databaseFromExport(
  from: string,
  path: string,
): Promise<Result<null, string>> {
  const made = openLocally(path, "writes");
  let count = 0;
  try {
    made.exec("begin");
    for await (const statement of statementsOf(createReadStream(from, "utf8"))) {
      count += 1;
      const problem = run(made, statement);
      if (problem === null) continue;
      made.exec("rollback");
      return err(`its statement ${count} ${problem}: ${beginningOf(statement)}`);
    }
    made.exec("commit");
    return ok(null);
  } finally {
    made.close();
  }
}
