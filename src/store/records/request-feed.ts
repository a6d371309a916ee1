/** Changes to records, read by small indexes in one round trip. */
import { and, asc, eq, sql, type SQL } from "drizzle-orm";
import { isCaptured, markCharacters } from "../../domain/audit/capture.ts";
import type { SamplingRecord } from "../../domain/audit/record.ts";
import type { RequestFeedStore } from "../../domain/ports/request-feed.ts";
import { minIdAt } from "../../domain/tenancy/ids.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { readRecords, type RecordRow } from "./readable.ts";
import { toRecord } from "./records.ts";
import { captures, samplingRequests } from "../schema.ts";
import { recordNumbers } from "../schema/seal-schema.ts";

const maxPerBatch = 500;
/** Bound on what a reconnecting listener may have missed. */
const maxRows = 1_000;

/** Otherwise SQLite picks the list's index, which also has the outcome, and scans the tenant's history. */
const running = (tenantId: string): SQL => sql`
  select id from sampling_requests indexed by sampling_requests_live
  where tenant_id = ${tenantId} and outcome = 'admitted'`;

export const createRequestFeedStore = (db: Database): RequestFeedStore => {
  /** Skips unreadable rows, which the list of records reports. */
  const records = async (
    tenantId: string,
    ids: SQL,
  ): AsyncResult<{ row: RecordRow; record: SamplingRecord }[]> => {
    const found = await readRecords(
      db,
      (builder, row) =>
        builder
          .select({
            row,
            mark: sql<string | null>`substr(${captures.sealed}, 1, ${markCharacters})`,
          })
          .from(samplingRequests)
          .leftJoin(
            captures,
            and(
              eq(captures.requestId, samplingRequests.id),
              eq(captures.tenantId, samplingRequests.tenantId),
            ),
          )
          .where(
            and(eq(samplingRequests.tenantId, tenantId), sql`${samplingRequests.id} in (${ids})`),
          )
          .orderBy(asc(samplingRequests.id)),
      (rows) => rows.map(({ row }) => row),
    );
    if (!found.ok) return found;
    const { read, decode } = found.value;
    return ok(
      read.flatMap(({ row, mark }) => {
        const decoded = decode(row);
        if (!decoded.ok) return [];
        return [{ row: decoded.value, record: toRecord(decoded.value, isCaptured(mark)) }];
      }),
    );
  };
  return {
    state: (tenantId) =>
      db.read(async (builder) => {
        const [[counter], open] = await builder.batch([
          builder
            .select({ last: recordNumbers.last })
            .from(recordNumbers)
            .where(eq(recordNumbers.tenantId, tenantId)),
          builder
            .select({ id: samplingRequests.id })
            .from(samplingRequests)
            .where(
              and(
                eq(samplingRequests.tenantId, tenantId),
                sql`${samplingRequests.id} in (${running(tenantId)})`,
              ),
            )
            .limit(maxPerBatch),
        ]);
        return { last: counter?.last ?? 0, open: open.map(({ id }) => id) };
      }),
    async changes(tenantId, { open, last }) {
      const known = JSON.stringify(open);
      // Must match the partial index `waiting` for SQLite to use it.
      const found = await records(
        tenantId,
        sql`
          select id from (
            ${running(tenantId)} and id not in (select value from json_each(${known})) limit ${maxPerBatch})
          union all select id from (
            select id from sampling_requests where tenant_id = ${tenantId} and seal_number is null
              and outcome <> 'admitted' and record_number > ${last}
            order by record_number limit ${maxPerBatch})
          union all
            select r.id from json_each(${known}) o cross join sampling_requests r
            where r.id = o.value and r.tenant_id = ${tenantId} and r.outcome <> 'admitted'`,
      );
      if (!found.ok) return found;
      const numbers = found.value.map(({ row }) => row.recordNumber);
      return ok({
        records: found.value.map(({ record }) => record),
        last: Math.max(last, ...numbers),
        isTooMuch: found.value.length >= maxPerBatch,
      });
    },
    async since(tenantId, at) {
      // Sealed records that ended since then are in the seals since then, whenever they began.
      const found = await records(
        tenantId,
        sql`
          select id from (
            select id from sampling_requests
            where tenant_id = ${tenantId} and id > ${minIdAt("request", at)} and created_at >= ${at}
            union select id from sampling_requests
            where tenant_id = ${tenantId} and seal_number is null and outcome <> 'admitted'
              and settled_at >= ${at}
            union select id from sampling_requests
            where tenant_id = ${tenantId} and settled_at >= ${at} and seal_number > coalesce((
              select number from seals where tenant_id = ${tenantId} and sealed_at < ${at}
              order by number desc limit 1), 0))
          limit ${maxRows + 1}`,
      );
      if (!found.ok) return found;
      return ok(found.value.length > maxRows ? null : found.value.map(({ record }) => record));
    },
  };
};
