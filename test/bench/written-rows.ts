/** Rows that one admission and one settlement write in the Workers runtime, which counts those of indexes too. */
import { Miniflare } from "miniflare";
import type { D1Database, D1PreparedStatement, D1Result } from "@cloudflare/workers-types";
import { openD1 } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { readMigrations } from "../setup/migrations.ts";
import { typicalCalls } from "./typical-calls.ts";

interface Written {
  sql: string;
  rows: number;
}

/** A binding that remembers how many rows each statement of a batch wrote. */
function counting(binding: D1Database): { binding: D1Database; written: Written[] } {
  const written: Written[] = [];
  const texts = new WeakMap<object, string>();
  const spy = {
    prepare(text: string) {
      const statement = binding.prepare(text);
      return new Proxy(statement, {
        get(target, name) {
          if (name !== "bind") {
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === "function" ? member.bind(target) : member;
          }
          return (...values: unknown[]) => {
            const bound = target.bind(...values);
            texts.set(bound, text);
            return bound;
          };
        },
      });
    },
    async batch<T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
      const results = await binding.batch<T>(statements);
      for (const [at, { meta }] of results.entries())
        written.push({
          sql: texts.get(statements[at] ?? {}) ?? "",
          rows: meta.rows_written,
        });
      return results;
    },
  };
  return { binding: spy as unknown as D1Database, written };
}

const tableOf = (sql: string): string =>
  /(?:into|update|from)\s+"?(\w+)"?/i.exec(sql)?.[1] ?? "nothing";

function sayRows(title: string, written: readonly Written[], say: (line: string) => void): void {
  const byTable = Map.groupBy(
    written.filter(({ rows }) => rows > 0),
    ({ sql }) => tableOf(sql),
  );
  const parts = [...byTable].map(
    ([table, its]) => `${table} ${its.map(({ rows }) => rows).join(" + ")}`,
  );
  const all = written.reduce((sum, { rows }) => sum + rows, 0);
  say(`${title} alone writes ${all} rows, those of indexes counted: ${parts.join(", ")}`);
}

export async function countWrittenRows(say: (line: string) => void): Promise<void> {
  const miniflare = new Miniflare({
    cf: false,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "rows",
          compatibilityDate: "2026-01-01",
          manifest: {
            mainModule: "worker.js",
            modules: {
              "worker.js": {
                type: "esm",
                contents: "export default { fetch: () => new Response() };",
              },
            },
          },
          env: { DB: { type: "d1", id: "rows" } },
        },
      },
    ],
  });
  try {
    const { binding, written } = counting(await miniflare.getD1Database("DB"));
    const db = openD1(binding);
    value(await migrate(db, readMigrations()));
    const calls = await typicalCalls(storesOn(db));
    // The first call of an hour and of a model writes more.
    for (let at = 0; at < 40; at += 1) await (await calls.admit(at))();
    written.length = 0;
    const settle = await calls.admit(20);
    sayRows("an admission", written, say);
    written.length = 0;
    await settle();
    sayRows("a settlement", written, say);
  } finally {
    await miniflare.dispose();
  }
}
