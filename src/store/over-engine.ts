/** drizzle has no driver for an engine, so the D1 driver gets an object with the few methods that it calls. */
import type { D1Database } from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import type { Answer, Entry } from "./engines/contract/entries.ts";
import type { Bound, Statement } from "./engines/contract/sql.ts";
import { createDatabase, type Database, type DatabaseOptions, type Row, type Send } from "./db.ts";
import type { Engine, Outcome, Rows } from "./engines/contract/engine.ts";

/** Other types are bugs; libsql would crash the process. */
function bound(value: unknown): Bound {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} isn't a parameter of a statement`);
}

const objectsOf = ({ columns, values }: Rows): Row[] =>
  values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));

function rowsOf(outcome: Outcome): Rows[] {
  if (outcome.ok) return outcome.rows;
  const { code, message } = outcome.fault;
  throw new Error(`${code}: ${message}`);
}

interface Prepared {
  statement: Statement;
  bind(...values: unknown[]): Prepared;
  all(): Promise<{ results: Row[] }>;
  run(): Promise<{ results: Row[] }>;
  raw(): Promise<unknown[][]>;
}

const noRows: Rows = { columns: [], values: [] };

function readingLike(engine: Pick<Engine, "read">): D1Database {
  const rows = async (statements: Statement[]): Promise<Rows[]> =>
    rowsOf(await engine.read(statements));
  const prepare = (sql: string, params: Bound[] = []): Prepared => {
    const statement = { sql, params };
    const all = async () => ({ results: objectsOf((await rows([statement]))[0] ?? noRows) });
    return {
      statement,
      bind: (...values) => prepare(sql, values.map(bound)),
      all,
      run: all,
      raw: async () => (await rows([statement]))[0]?.values ?? [],
    };
  };
  const batch = async (prepared: readonly Prepared[]): Promise<{ results: Row[] }[]> =>
    (await rows(prepared.map(({ statement }) => statement))).map((each) => ({
      results: objectsOf(each),
    }));
  return { prepare, batch } as unknown as D1Database;
}

export function openOverEngine(engine: Engine, options: DatabaseOptions = {}): Database {
  const send: Send = async (statements, { ifLost }) => {
    const outcome = await engine.write(
      statements.map(({ sql, params }) => ({ sql, params: params.map(bound) })),
      ifLost,
    );
    return rowsOf(outcome).map(objectsOf);
  };
  const enter = async (entry: Entry): Promise<Answer | null> => {
    // An entry finds its own effect by the call's id.
    const outcome = await engine.write(entry, "again");
    rowsOf(outcome);
    return outcome.ok ? (outcome.answer ?? null) : null;
  };
  return createDatabase(drizzle(readingLike(engine)), send, { ...options, enter });
}
