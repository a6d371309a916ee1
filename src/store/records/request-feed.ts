/** Records as they begin and end. Each question reads what changed, by small indexes, and one round trip. */
import { and, asc, eq, gt, sql, type SQL } from "drizzle-orm";
import { isCaptured, markCharacters } from "../../domain/audit/capture.ts";
import type { SamplingRecord } from "../../domain/audit/record.ts";
import type { RequestFeedStore } from "../../domain/ports/request-feed.ts";
import { leastIdAt } from "../../domain/tenancy/ids.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { readRecords, type RecordRow } from "./readable.ts";
import { toRecord } from "./records.ts";
import { captures, samplingRequests } from "../schema.ts";
import { recordNumbers } from "../schema/seal-schema.ts";

const mostAtOnce = 500;
/** Records that a listener who comes back may have missed, and among how many they are looked for. */
const mostMissed = 1_000;
const mostLookedAt = 5_000;
/** ms that a call may have run. */
const longestCallMs = 15 * 60_000;

/** SQLite would take the index of lists, which has the outcome too, and walk through all that the tenant ever asked. */
const running = (tenantId: string): SQL => sql`
  select id from sampling_requests indexed by sampling_requests_live
  where tenant_id = ${tenantId} and outcome = 'admitted'`;

export const createRequestFeedStore = (db: Database): RequestFeedStore => {
  /** Unreadable rows are left out here; the list of records tells of them. */
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
            .limit(mostAtOnce),
        ]);
        return { last: counter?.last ?? 0, open: open.map(({ id }) => id) };
      }),
    async changes(tenantId, { open, last }) {
      const known = JSON.stringify(open);
      // The words of the partial index `waiting`, so that SQLite takes it.
      const found = await records(
        tenantId,
        sql`
          select id from (
            ${running(tenantId)} and id not in (select value from json_each(${known})) limit ${mostAtOnce})
          union all select id from (
            select id from sampling_requests where tenant_id = ${tenantId} and seal_number is null
              and outcome <> 'admitted' and record_number > ${last}
            order by record_number limit ${mostAtOnce})
          union all
            select r.id from json_each(${known}) o cross join sampling_requests r
            where r.id = o.value and r.tenant_id = ${tenantId} and r.outcome <> 'admitted'`,
      );
      if (!found.ok) return found;
      const numbers = found.value.map(({ row }) => row.recordNumber);
      return ok({
        records: found.value.map(({ record }) => record),
        last: Math.max(last, ...numbers),
        isTooMuch: found.value.length >= mostAtOnce,
      });
    },
    async since(tenantId, at) {
      const isRecent = and(
        eq(samplingRequests.tenantId, tenantId),
        gt(samplingRequests.id, leastIdAt("request", at - longestCallMs)),
      );
      const recent = await db.read((builder) =>
        builder
          .select({ id: samplingRequests.id })
          .from(samplingRequests)
          .where(isRecent)
          .limit(mostLookedAt + 1),
      );
      if (!recent.ok) return recent;
      if (recent.value.length > mostLookedAt) return ok(null);
      const found = await records(
        tenantId,
        sql`
          select id from sampling_requests
          where ${isRecent} and (created_at >= ${at} or settled_at >= ${at})
          limit ${mostMissed + 1}`,
      );
      if (!found.ok) return found;
      return ok(found.value.length > mostMissed ? null : found.value.map(({ record }) => record));
    },
  };
};
