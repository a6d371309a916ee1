/**
 * How far sealing anew has come under each master key, and which master keys and versions a database's
 * seals show.
 */
import { and, eq, sql, type SQL } from "drizzle-orm";
import { ok } from "../domain/result.ts";
import type { ForeignSeals, SealingRow, SealingStore } from "../domain/tenancy/sealing.ts";
import { appendEventWhere } from "./events.ts";
import { raw, type Builder, type Database, type Row } from "./db.ts";
import { createJobTurn } from "./job-turns.ts";
import { sealing } from "./seal-schema.ts";

const rowOf = (row: Row): SealingRow => ({
  keyId: String(row["key_id"]),
  adopts: Number(row["adopts"]) === 1,
  step: String(row["step"]) as SealingRow["step"],
  since: Number(row["since"]),
  code: String(row["code"]),
});

const all = raw(sql`select * from sealing`);

/** The tables and columns of secrets that are sent out of the router. */
const secrets = sql`
  select sealed as text from credentials union all
  select sealed from servers where sealed is not null union all
  select sealed from server_tokens where sealed is not null union all
  select sealed from user_tokens where sealed is not null`;

/** A seal reads `<version>.<12 characters of the key's id>.…`, and a code reads the same way. */
const madeBy = (version: string, keyIds: readonly string[]): SQL =>
  sql`substr(text, 1, 16) in (${sql.join(
    keyIds.map((keyId) => sql`${`${version}.${keyId}.`}`),
    sql`, `,
  )})`;

const foreignIn = (table: "credentials" | "servers", keyIds: readonly string[]): SQL => sql`
  select ${table} as kind, substr(sealed, 4, 12) as key_id, count(*) as n,
    substr(sealed, 4, 12) in (${sql.join(
      keyIds.map((keyId) => sql`${keyId}`),
      sql`, `,
    )}) as own
  from ${sql.identifier(table)} where sealed is not null group by 2`;

async function tracesIn(builder: Builder, keyIds: readonly string[]) {
  const codes = sql`select code as text from api_keys where code is not null`;
  const [row] = await builder.all<Record<string, number>>(sql`
    select
      exists(select 1 from (${secrets} union all ${codes})
        where ${madeBy("v2", keyIds)} or ${madeBy("c1", keyIds)}) as second,
      exists(select 1 from (${secrets}) where ${madeBy("v1", keyIds)}) as first,
      exists(select 1 from (${secrets} union all ${codes})) as sealed,
      exists(select 1 from api_keys) or exists(select 1 from captures)
        or exists(select 1 from results) as used`);
  const has = (name: string): boolean => Number(row?.[name]) === 1;
  return { second: has("second"), first: has("first"), sealed: has("sealed"), used: has("used") };
}

async function foreignSealsIn(builder: Builder, keyIds: readonly string[]): Promise<ForeignSeals> {
  const rows = await builder.all<{ kind: string; key_id: string; n: number; own: number }>(
    sql`${foreignIn("credentials", keyIds)} union all ${foreignIn("servers", keyIds)}`,
  );
  const counted = (kind: string) => {
    const ofKind = rows.filter((row) => row.kind === kind);
    const sum = (some: typeof ofKind): number => some.reduce((total, { n }) => total + n, 0);
    return { all: sum(ofKind), foreign: sum(ofKind.filter(({ own }) => own === 0)) };
  };
  const keyIdsThere = rows.filter(({ own }) => own === 0).map(({ key_id }) => key_id);
  return {
    credentials: counted("credentials"),
    servers: counted("servers"),
    keyIds: [...new Set(keyIdsThere)],
  };
}

export const createSealingStore = (db: Database): SealingStore => ({
  states: () => db.read((builder): Promise<SealingRow[]> => builder.select().from(sealing)),
  traces: (keyIds) => db.read((builder) => tracesIn(builder, keyIds)),
  foreign: (keyIds) => db.read((builder) => foreignSealsIn(builder, keyIds)),
  async begin(row, instead) {
    const written = await db.write([
      db.builder.insert(sealing).values(row).onConflictDoNothing(),
      db.builder
        .update(sealing)
        .set(row)
        .where(and(eq(sealing.keyId, row.keyId), eq(sealing.code, instead ?? row.code))),
      all,
    ]);
    return written.ok ? ok((written.value[2] ?? []).map(rowOf)) : written;
  },
  async advance(row, from, event) {
    const isStill = sql`exists (select 1 from sealing where key_id = ${row.keyId} and code = ${from})`;
    const written = await db.write([
      // The event stands before the change that it tells of: after the change the condition would
      // no longer hold.
      ...(event === null ? [] : [appendEventWhere(event, isStill)]),
      db.builder
        .update(sealing)
        .set(row)
        .where(and(eq(sealing.keyId, row.keyId), eq(sealing.code, from))),
    ]);
    return written.ok ? ok(null) : written;
  },
  ...createJobTurn(db, "reseal"),
});
