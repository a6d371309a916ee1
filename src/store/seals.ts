/** The audit chain: one row per seal, and in each record's row its place in it. */
import { and, asc, between, desc, eq, getTableColumns, gt, gte, lt, lte, sql } from "drizzle-orm";
import type { SamplingRecord, UnreadableRecord } from "../domain/audit.ts";
import { ok } from "../domain/result.ts";
import { statementOf, type Place, type Seal, type SealStore } from "../domain/seals.ts";
import { raw, type Builder, type Database } from "./db.ts";
import { createJobTurn } from "./job-turns.ts";
import { readRecords } from "./readable.ts";
import { toRecord } from "./records.ts";
import { samplingRequests } from "./schema.ts";
import { auditKeys, seals } from "./seal-schema.ts";
import { isUnreadable, isUnreadableNow, type NoteUnreadable } from "./unreadable.ts";

const { leaves: _leaves, ...withoutLeaves } = getTableColumns(seals);

// Spelt out, and not a parameter: or the partial index would not be used.
const unsealed = sql`${samplingRequests.sealNumber} is null and ${samplingRequests.outcome} <> 'admitted'`;

/** What of a record could have changed between reading and sealing it. */
const fingerprint = (record: SamplingRecord) => [
  record.id,
  record.outcome,
  record.settledAt,
  record.costMicroUsd,
  record.usage?.inputTokens ?? null,
  record.usage?.outputTokens ?? null,
  record.correction?.at ?? null,
];

const headOf = (builder: Builder, tenantId: string) =>
  builder
    .select(withoutLeaves)
    .from(seals)
    .where(eq(seals.tenantId, tenantId))
    .orderBy(desc(seals.number))
    .limit(1);

export const createSealStore = (db: Database, note: NoteUnreadable): SealStore => ({
  ...createJobTurn(db, "seal"),
  // From tenant to tenant through the index, and not over all that waits.
  waitingTenants: (after, limit) =>
    db.read(async (builder) => {
      const rows = await builder.all<{ id: string }>(sql`
        with recursive t(id) as (
          select min(tenant_id) from sampling_requests
          where seal_number is null and outcome <> 'admitted' and tenant_id > ${after}
          union all
          select (select min(r.tenant_id) from sampling_requests r
            where r.seal_number is null and r.outcome <> 'admitted' and r.tenant_id > t.id)
          from t where t.id is not null)
        select id from t where id is not null limit ${limit}`);
      return rows.map(({ id }) => id);
    }),
  async waiting(tenantId, before, limit) {
    const found = await readRecords(
      db,
      async (builder, row) => {
        const [heads, rows] = await builder.batch([
          headOf(builder, tenantId),
          builder
            .select({ row })
            .from(samplingRequests)
            .where(
              and(
                eq(samplingRequests.tenantId, tenantId),
                unsealed,
                lte(samplingRequests.settledAt, before),
                sql`not ${isUnreadableNow(before)}`,
              ),
            )
            .orderBy(asc(samplingRequests.settledAt), asc(samplingRequests.id))
            .limit(limit),
        ]);
        return { head: heads[0] ?? null, rows };
      },
      ({ rows }) => rows.map(({ row }) => row),
    );
    if (!found.ok) return found;
    const { read, decode } = found.value;
    const unreadable: UnreadableRecord[] = [];
    const records = read.rows.flatMap(({ row }) => {
      const decoded = decode(row);
      if (decoded.ok) return [toRecord(decoded.value, false)];
      unreadable.push({ tenantId, id: row.id, problem: decoded.error });
      return [];
    });
    // From now on they stand in nobody's way: this page may hold nothing else.
    await note(unreadable);
    return ok({ head: read.head, records });
  },
  countWaiting: (tenantId) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select({
          all: sql<number>`count(*)`.mapWith(Number),
          unreadable: sql<number>`coalesce(sum(${isUnreadable}), 0)`.mapWith(Number),
        })
        .from(samplingRequests)
        // The moment says nothing, but it decides for the index of what is not sealed.
        .where(
          and(
            eq(samplingRequests.tenantId, tenantId),
            unsealed,
            gte(samplingRequests.settledAt, 0),
          ),
        );
      const { all = 0, unreadable = 0 } = row ?? {};
      return { waiting: all - unreadable, unreadable };
    }),
  async append(seal, records, key) {
    const { tenantId, number, signature, leaves } = seal;
    const columns = { ...statementOf(seal), signature, leaves };
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const asRead = JSON.stringify(records.map(fingerprint));
    const ids = JSON.stringify(records.map(({ id }) => id));
    // The plus keeps the tenant's index out of it: each record is found by its id.
    const insert = sql`
      insert into seals (${sql.join(
        names.map((name) => sql.identifier(getTableColumns(seals)[name].name)),
        sql`, `,
      )})
      select ${sql.join(
        names.map((name) => sql`${columns[name]}`),
        sql`, `,
      )}
      where ${number} = 1 + coalesce((select max(number) from seals where tenant_id = ${tenantId}), 0)
        and ${records.length} = (
          select count(*) from json_each(${asRead}) j cross join sampling_requests r
          where r.id = j.value ->> 0 and +r.tenant_id = ${tenantId} and r.seal_number is null
            and r.outcome <> 'admitted' and r.outcome = j.value ->> 1
            and r.settled_at is j.value ->> 2 and r.cost_micro_usd is j.value ->> 3
            and r.input_tokens is j.value ->> 4 and r.output_tokens is j.value ->> 5
            and r.correction ->> 'at' is j.value ->> 6)
      on conflict do nothing`;
    const place = sql`
      update sampling_requests set seal_number = ${number}, seal_position = j.key
      from json_each(${ids}) j
      where sampling_requests.id = j.value and +sampling_requests.tenant_id = ${tenantId}
        and exists (select 1 from seals s where s.tenant_id = ${tenantId} and s.number = ${number}
          and s.signature = ${signature})`;
    // One that somebody has mended is like any other from now on.
    const mended = sql`
      delete from unreadable_records where tenant_id = ${tenantId}
        and request_id in (select value from json_each(${ids}))`;
    const written = await db.write([
      raw(mended),
      db.builder
        .insert(auditKeys)
        .values({ ...key, createdAt: seal.sealedAt })
        .onConflictDoNothing(),
      raw(insert),
      raw(place),
      db.builder
        .select({ number: seals.number })
        .from(seals)
        .where(
          and(
            eq(seals.tenantId, tenantId),
            eq(seals.number, number),
            eq(seals.signature, signature),
          ),
        ),
    ]);
    return written.ok ? ok((written.value[4] ?? []).length > 0) : written;
  },
  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows: Seal[] = await builder
        .select(withoutLeaves)
        .from(seals)
        .where(
          and(
            eq(seals.tenantId, tenantId),
            page.cursor === null ? undefined : lt(seals.number, Number(page.cursor)),
          ),
        )
        .orderBy(desc(seals.number))
        .limit(page.limit + 1);
      const data = rows.slice(0, page.limit);
      const last = data.at(-1);
      const more = rows.length > page.limit && last !== undefined;
      return { data, nextCursor: more ? String(last.number) : null };
    }),
  head: (tenantId) =>
    db.read(async (builder) => {
      const [head] = await headOf(builder, tenantId);
      return head ?? null;
    }),
  reach: (tenantId, { after, from, to }) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select({
          first: sql<number | null>`min(${seals.number})`,
          last: sql<number | null>`max(${seals.number})`,
        })
        .from(seals)
        .where(
          and(
            eq(seals.tenantId, tenantId),
            gt(seals.number, after),
            from === undefined ? undefined : gte(seals.lastCreatedAt, from),
            to === undefined ? undefined : lt(seals.firstCreatedAt, to),
          ),
        );
      const { first = null, last = null } = row ?? {};
      return first === null || last === null ? null : { first, last };
    }),
  spans: (tenantId, { first, last }, limit) =>
    db.read((builder) =>
      builder
        .select({ number: seals.number, count: seals.count })
        .from(seals)
        .where(and(eq(seals.tenantId, tenantId), between(seals.number, first, last)))
        .orderBy(asc(seals.number))
        .limit(limit),
    ),
  async read(tenantId, { first, last }) {
    const found = await readRecords(
      db,
      async (builder, row) => {
        const [chain, rows] = await builder.batch([
          builder
            .select()
            .from(seals)
            .where(and(eq(seals.tenantId, tenantId), between(seals.number, first, last)))
            .orderBy(asc(seals.number)),
          builder
            .select({ row })
            .from(samplingRequests)
            .where(
              and(
                eq(samplingRequests.tenantId, tenantId),
                between(samplingRequests.sealNumber, first, last),
              ),
            )
            .orderBy(asc(samplingRequests.sealNumber), asc(samplingRequests.sealPosition)),
        ]);
        return { chain, rows };
      },
      ({ rows }) => rows.map(({ row }) => row),
    );
    if (!found.ok) return found;
    const { read, decode } = found.value;
    const unreadable: (Place & UnreadableRecord)[] = [];
    const records = read.rows.flatMap(({ row }) => {
      const place = { seal: Number(row.sealNumber), position: Number(row.sealPosition) };
      const decoded = decode(row);
      if (decoded.ok) return [{ ...place, record: toRecord(decoded.value, false) }];
      unreadable.push({ ...place, tenantId, id: row.id, problem: decoded.error });
      return [];
    });
    await note(unreadable);
    return ok({ seals: read.chain, records, unreadable });
  },
  keys: () =>
    db.read((builder) =>
      builder
        .select({ id: auditKeys.id, publicKey: auditKeys.publicKey })
        .from(auditKeys)
        .orderBy(asc(auditKeys.createdAt), asc(auditKeys.id)),
    ),
  async keepKeys(keys, now) {
    const written = await db.write(
      keys.map((key) =>
        db.builder
          .insert(auditKeys)
          .values({ ...key, createdAt: now })
          .onConflictDoNothing(),
      ),
    );
    return written.ok ? ok(null) : written;
  },
});
