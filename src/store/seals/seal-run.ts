import { and, asc, eq, getTableColumns, gt, lte, sql, type SQL } from "drizzle-orm";
import type { SamplingRecord, UnreadableRecord } from "../../domain/audit/record.ts";
import { largestInteger } from "../../domain/magnitudes.ts";
import { ok } from "../../domain/result.ts";
import {
  maxUnsealed,
  statementOf,
  type SealStore,
  type SealWithLeaves,
  type WaitingRecord,
} from "../../domain/audit/seals.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { appendEventWhere } from "../events.ts";
import { createJobLease } from "./job-leases.ts";
import { readRecords } from "../records/readable.ts";
import { evidenceOf, type RequestRow } from "../records/record-codes.ts";
import { toRecord } from "../records/records.ts";
import { samplingRequests } from "../schema.ts";
import { headOf } from "./seal-columns.ts";
import { appendNotices, previousPositionOf } from "./sealed-deletions.ts";
import { auditKeys, jobLeases, recordNumbers, seals } from "../schema/seal-schema.ts";
import { isUnreadableNow, type NoteUnreadable } from "../records/unreadable.ts";

type SealRun = Pick<
  SealStore,
  | "claim"
  | "release"
  | "cursor"
  | "keepCursor"
  | "waitingTenants"
  | "numberedTenants"
  | "waiting"
  | "reopen"
  | "append"
>;

/** Records that one transaction removes from the chain to be sealed again. */
const reopenedAtOnce = 2_000;

// Inlined: SQLite doesn't use a partial index with a parameter.
const unsealed = sql`${samplingRequests.sealNumber} is null and ${samplingRequests.outcome} <> 'admitted'`;

const fingerprint = (record: SamplingRecord) => [
  record.id,
  record.outcome,
  record.settledAt,
  record.costMicroUsd,
  record.usage?.inputTokens ?? null,
  record.usage?.outputTokens ?? null,
  record.correction?.at ?? null,
];

/** Writes the seal if it is the next one and no record has changed. */
function insertSeal(seal: SealWithLeaves, records: readonly SamplingRecord[]): Compiled {
  const { tenantId, number, signature, leaves, checked } = seal;
  const table = getTableColumns(seals);
  const columns = { ...statementOf(seal), signature, leaves, checked };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const asRead = JSON.stringify(records.map(fingerprint));
  const encoded = (name: keyof typeof columns) =>
    columns[name] === null ? null : table[name].mapToDriverValue(columns[name]);
  // The unary plus disables the tenant's index: each record is found by id.
  return raw(sql`
    insert into seals (${sql.join(
      names.map((name) => sql.identifier(table[name].name)),
      sql`, `,
    )})
    select ${sql.join(
      names.map((name) => sql`${encoded(name)}`),
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
    on conflict do nothing`);
}

const waitingOf = (row: RequestRow): WaitingRecord => ({
  record: toRecord(row, false),
  evidence: evidenceOf(row),
  previousPosition: previousPositionOf(row),
});

/** A foreign row may hold a number that no driver returns. */
const readable = sql.raw(`record_number between 1 and ${largestInteger}`);
const readableOf = (value: SQL): SQL => sql`max(0, min(coalesce(cast((${value}) as integer), 0),
  ${sql.raw(String(largestInteger))}))`;

const presentStatement = (tenantId: string): SQL => sql`
  select number from (
    select record_number as number from sampling_requests
    where tenant_id = ${tenantId} and outcome = 'admitted' and seal_number is null and ${readable}
    union all
    select * from (
      select record_number from sampling_requests
      where tenant_id = ${tenantId} and seal_number is null and outcome <> 'admitted'
        and ${readable}
      order by record_number limit ${maxUnsealed}))
  order by number limit ${maxUnsealed}`;

const scalarsStatement = (tenantId: string): SQL => sql`
  select ${readableOf(sql`select last from record_numbers where tenant_id = ${tenantId}`)} as counter,
    ${readableOf(sql`select max(seal_number) from sampling_requests
      where tenant_id = ${tenantId} and seal_number is not null`)} as highest_seal`;

export const createSealRun = (db: Database, note: NoteUnreadable): SealRun => ({
  ...createJobLease(db, "seal"),
  cursor: (name) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select({ cursor: jobLeases.cursor })
        .from(jobLeases)
        .where(eq(jobLeases.job, name));
      return row?.cursor ?? "";
    }),
  keepCursor: (name, cursor) =>
    execute(db, [
      db.builder
        .insert(jobLeases)
        .values({ job: name, until: 0, cursor })
        .onConflictDoUpdate({ target: jobLeases.job, set: { cursor } }),
    ]),
  // Skips from tenant to tenant by index instead of scanning all records.
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
  numberedTenants: (after, limit) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({ id: recordNumbers.tenantId })
        .from(recordNumbers)
        .where(gt(recordNumbers.tenantId, after))
        .orderBy(asc(recordNumbers.tenantId))
        .limit(limit);
      return rows.map(({ id }) => id);
    }),
  async waiting(tenantId, before, limit) {
    const found = await readRecords(
      db,
      async (builder, row) => {
        const [heads, rows, numbers, scalars] = await builder.batch([
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
            .orderBy(asc(samplingRequests.recordNumber))
            .limit(limit),
          builder
            .select({ number: sql<number>`n.number` })
            .from(sql`(${presentStatement(tenantId)}) n`),
          builder
            .select({
              counter: sql<number>`n.counter`,
              highestSealInRows: sql<number>`n.highest_seal`,
            })
            .from(sql`(${scalarsStatement(tenantId)}) n`),
        ]);
        return { heads, rows, numbers, scalars };
      },
      ({ rows }) => rows.map(({ row }) => row),
    );
    if (!found.ok) return found;
    const { read, decode } = found.value;
    const { heads, rows, numbers, scalars } = read;
    const unreadable: UnreadableRecord[] = [];
    const waiting = rows.flatMap(({ row }) => {
      const decoded = decode(row);
      if (decoded.ok) return [waitingOf(decoded.value)];
      unreadable.push({ tenantId, id: row.id, problem: decoded.error });
      return [];
    });
    // A seal orders records by their end.
    const records = waiting.toSorted(
      ({ record: a }, { record: b }) =>
        (a.settledAt ?? 0) - (b.settledAt ?? 0) || (a.id < b.id ? -1 : 1),
    );
    // Reported records are skipped from now on; this page may hold nothing else.
    await note(unreadable);
    return ok({
      head: heads[0] ?? null,
      records,
      counter: scalars[0]?.counter ?? 0,
      present: numbers.map(({ number }) => number),
      highestSealInRows: scalars[0]?.highestSealInRows ?? 0,
    });
  },
  reopen(tenantId, after, event) {
    const none = sql`not exists (select 1 from seals where tenant_id = ${tenantId}
      and number > ${after})`;
    return execute(db, [
      appendEventWhere(event, none),
      raw(sql`
        update sampling_requests set seal_number = null, seal_position = null,
          former_seal = null, former_position = null
        where ${none} and id in (select r.id from sampling_requests r
          where r.tenant_id = ${tenantId} and r.seal_number > ${after} limit ${reopenedAtOnce})`),
    ]);
  },
  async append(seal, records, { key, event, notices }) {
    const { tenantId, number, signature, checked } = seal;
    const ids = JSON.stringify(records.map(({ id }) => id));
    const isThere = sql`exists (select 1 from seals s where s.tenant_id = ${tenantId}
      and s.number = ${number} and s.signature = ${signature})`;
    const place = sql`
      update sampling_requests set seal_number = ${number}, seal_position = j.key,
        former_seal = null, former_position = null
      from json_each(${ids}) j
      where sampling_requests.id = j.value and +sampling_requests.tenant_id = ${tenantId}
        and ${isThere}`;
    const counted = sql`
      update record_numbers set last = ${checked?.through ?? 0}
      where tenant_id = ${tenantId} and last < ${checked?.through ?? 0} and ${isThere}`;
    const { id, publicKey, code } = key;
    // A repaired record is treated like any other.
    const mended = sql`
      delete from unreadable_records where tenant_id = ${tenantId}
        and request_id in (select value from json_each(${ids}))`;
    const before = [
      raw(mended),
      db.builder
        .insert(auditKeys)
        .values({ id, publicKey, code, createdAt: seal.sealedAt })
        .onConflictDoUpdate({ target: auditKeys.id, set: { publicKey, code } }),
      insertSeal(seal, records),
      raw(place),
      raw(counted),
      ...appendNotices(notices, isThere),
      ...(event === null ? [] : [appendEventWhere(event, isThere)]),
    ];
    const written = await db.write([
      ...before,
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
    return written.ok ? ok((written.value[before.length] ?? []).length > 0) : written;
  },
});
