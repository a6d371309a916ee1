import { and, eq, sql, type SQL } from "drizzle-orm";
import type { ForeignSeals, SealingState, SealingStore } from "../../domain/tenancy/sealing.ts";
import { appendEventWhere } from "../events.ts";
import type { Builder, Database } from "../db.ts";
import { execute } from "../execute.ts";
import { createJobLease } from "./job-leases.ts";
import { sealing } from "../schema/seal-schema.ts";

/** Seals and codes start with `<version>.<12 characters of the key's id>.`. */
const madeBy = (column: string): SQL => sql.raw(`substr(${column}, 4, 12)`);

const foreignIn = (table: "credentials" | "servers", keyIds: readonly string[]): SQL => sql`
  select ${table} as kind, ${madeBy("sealed")} as key_id, count(*) as n,
    ${madeBy("sealed")} in (${sql.join(
      keyIds.map((keyId) => sql`${keyId}`),
      sql`, `,
    )}) as own
  from ${sql.identifier(table)} where sealed is not null group by 2`;

async function hasOthersIn(builder: Builder, keyId: string): Promise<boolean> {
  const [row] = await builder.all<{ found: number }>(sql`
    select exists(select 1 from (
      select sealed as text from credentials union all
      select sealed from servers where sealed is not null union all
      select sealed from server_tokens where sealed is not null union all
      select sealed from user_tokens where sealed is not null union all
      select code from api_keys)
    where ${madeBy("text")} <> ${keyId}) as found`);
  return Number(row?.found) === 1;
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
  states: () => db.read((builder): Promise<SealingState[]> => builder.select().from(sealing)),
  hasOthers: (keyId) => db.read((builder) => hasOthersIn(builder, keyId)),
  foreign: (keyIds) => db.read((builder) => foreignSealsIn(builder, keyIds)),
  async begin(state, instead) {
    const written = await db.write([
      db.builder.insert(sealing).values(state).onConflictDoNothing(),
      db.builder
        .update(sealing)
        .set(state)
        .where(and(eq(sealing.keyId, state.keyId), eq(sealing.since, instead ?? state.since))),
    ]);
    return written.ok
      ? db.read((builder): Promise<SealingState[]> => builder.select().from(sealing))
      : written;
  },
  advance(state, from, event) {
    const isStill = sql`exists (select 1 from sealing where key_id = ${state.keyId}
      and since = ${state.since} and step = ${from})`;
    return execute(db, [
      // Must precede the change, which ends the condition.
      ...(event === null ? [] : [appendEventWhere(event, isStill)]),
      db.builder.update(sealing).set({ step: state.step }).where(isStill),
    ]);
  },
  ...createJobLease(db, "reseal"),
});
