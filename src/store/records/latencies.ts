/**
 * Durations of calls, and usage by group, tag and endpoint. The job follows the chain of seals: a record's position says whether it is counted.
 * Corrected records are skipped, since a correction moves a record to a later seal.
 */
import { sql } from "drizzle-orm";
import { largestInteger } from "../../domain/magnitudes.ts";
import { merged, histogramText, noCalls, readHistogram } from "../../domain/latencies.ts";
import type {
  CountedRow,
  HistogramRow,
  LatencyStore,
  TimedCall,
} from "../../domain/ports/latencies.ts";
import { ok } from "../../domain/result.ts";
import { arraysOf } from "../rows/json-arrays.ts";
import { raw, type Database } from "../db.ts";
import {
  addGrouped,
  endpointIn,
  figuresOf,
  groupedUsageOf,
  type GroupedCall,
} from "../usage/grouped-usage.ts";
import { execute } from "../execute.ts";
import { readTiming } from "../rows/packed-columns.ts";

const secondsOf = { hour: 3_600, day: 86_400 };
/** Rows of all tenants merged for one answer, each with up to some hundred counts. */
const maxMerged = 5_000;

const figure = (column: string) =>
  sql.raw(`max(0, min(coalesce(cast(r.${column} as integer), 0), ${largestInteger}))`);

/** Corrections of calls that had no known outcome. */
const corrected = (member: string, column: string) =>
  sql`coalesce(r.correction ->> ${member}, r.${sql.raw(column)}, 0)`;

interface CallRow extends GroupedCall {
  keyId: string;
  serverId: string;
  model: string;
  total: number;
  overhead: number;
  timing: string | null;
  seal: number;
  position: number;
}

/** Excludes the time that approvers took. */
function callOf(row: CallRow): TimedCall[] {
  if (row.timing === null) return [];
  const waited = Math.max(0, readTiming(row.timing)?.approve ?? 0);
  const total = Math.max(0, row.total - waited);
  const provider = Math.max(0, row.total - row.overhead);
  return [
    {
      at: row.at,
      durations: { total, provider, overhead: Math.max(0, row.overhead - waited) },
      groups: {
        model: row.model,
        key: row.keyId,
        server: row.serverId,
        endpoint: endpointIn(row.asked),
      },
    },
  ];
}

/** Several keys of a person count as that person. */
const userOfKey = sql`coalesce((select k.user_id from api_keys k
  where k.id = latencies.grouped and k.tenant_id = latencies.tenant_id), '')`;

const keyOf = ({ width, by, at, group }: Omit<HistogramRow, "histogram">): string =>
  JSON.stringify([width, by, at, group]);

const readCounted = (db: Database, tenantId: string, rows: readonly HistogramRow[]) =>
  db.read(async (builder) => {
    const found = await builder.all<Omit<HistogramRow, "histogram"> & { histogram: string }>(sql`
      select l.width, l.by, l.at, l.grouped as "group", l.histogram
      from json_each(${JSON.stringify(rows.map(({ width, by, at, group }) => [width, by, at, group]))}) j
        cross join latencies l on l.tenant_id = ${tenantId} and l.width = j.value ->> 0
          and l.by = j.value ->> 1 and l.at = j.value ->> 2 and l.grouped = j.value ->> 3`);
    return new Map(found.map((row) => [keyOf(row), readHistogram(row.histogram) ?? noCalls]));
  });

const followingTheChain = (db: Database): Pick<LatencyStore, "pending" | "callsAfter"> => ({
  pending: (limit) =>
    db.read((builder) =>
      builder.all<{ tenantId: string; seal: number; position: number }>(sql`
        select t.id as tenantId, coalesce(c.seal, 0) as seal, coalesce(c.position, -1) as position
        from tenants t left join latency_cursors c on c.tenant_id = t.id
        where exists (select 1 from sampling_requests r
          where r.tenant_id = t.id and r.seal_number is not null
            and (r.seal_number, r.seal_position) > (coalesce(c.seal, 0), coalesce(c.position, -1)))
        order by coalesce(c.counted_at, 0), t.id limit ${limit}`),
    ),
  async callsAfter(cursor, limit) {
    const { tenantId, seal, position } = cursor;
    const found = await db.read((builder) =>
      builder.all<CallRow>(sql`
        select ${figure("admitted_at")} as at, r.key_id as keyId,
          coalesce(r.server_id, '') as serverId, coalesce(r.model, '') as model,
          ${figure("total_ms")} as total, ${figure("overhead_ms")} as overhead,
          r.asked as asked, r.created_at as createdAt,
          case when r.correction is null then nullif(r.outcome, 'unknown')
            when r.outcome = 'unknown' then r.correction ->> 'outcome' end as outcome,
          ${corrected("inputTokens", "input_tokens")} as inputTokens,
          ${corrected("outputTokens", "output_tokens")} as outputTokens,
          ${corrected("costMicroUsd", "cost_micro_usd")} as costMicroUsd,
          case when r.outcome in ('succeeded', 'failed') and r.correction is null
            and r.total_ms is not null then coalesce(r.timing, '') end as timing,
          r.seal_number as seal, r.seal_position as position
        from sampling_requests r
        where r.tenant_id = ${tenantId} and r.seal_number is not null
          and (r.seal_number, r.seal_position) > (${seal}, ${position})
        order by r.seal_number, r.seal_position limit ${limit}`),
    );
    if (!found.ok) return found;
    const last = found.value.at(-1) ?? cursor;
    const next = { tenantId, seal: last.seal, position: last.position };
    return ok({
      calls: found.value.flatMap(callOf),
      grouped: groupedUsageOf(found.value),
      next,
      passed: found.value.length,
    });
  },
});

interface CountedText {
  at: number;
  group: string;
  histogram: string;
}

const countedIn = (rows: readonly CountedText[]): CountedRow[] =>
  rows.flatMap(({ at, group, histogram: text }) => {
    const histogram = readHistogram(text);
    return histogram === null ? [] : [{ at: at * 1_000, group, histogram }];
  });

export const createLatencyStore = (db: Database): LatencyStore => ({
  ...followingTheChain(db),
  async count(from, to, { rows, grouped, now }) {
    const { tenantId } = from;
    const before = await readCounted(db, tenantId, rows);
    if (!before.ok) return before;
    const sums = rows.map((row) => {
      const { width, by, at, group, histogram } = row;
      const sum = merged(before.value.get(keyOf(row)) ?? noCalls, histogram);
      return [width, by, at, group, histogramText(sum)];
    });
    const isUnmoved = sql`${`${from.seal} ${from.position}`} = coalesce((select seal || ' ' || position
      from latency_cursors where tenant_id = ${tenantId}), '0 -1')`;
    // Only this statement changes counts and moves the cursor, so an unmoved cursor proves that `before` is
    // current.
    return execute(db, [
      ...arraysOf(sums).map((some) =>
        raw(sql`
          insert into latencies (tenant_id, width, "by", at, grouped, histogram)
          select ${tenantId}, j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4
          from json_each(${some}) j where ${isUnmoved}
          on conflict (tenant_id, width, "by", at, grouped)
          do update set histogram = excluded.histogram, delivered = 0`),
      ),
      ...arraysOf(grouped.map((row) => [row.kind, row.hour, row.name, ...figuresOf(row)])).map(
        (some) => addGrouped(tenantId, some, isUnmoved),
      ),
      raw(sql`
        insert into latency_cursors (tenant_id, seal, position, counted_at)
        select ${tenantId}, ${to.seal}, ${to.position}, ${now} where ${isUnmoved}
        on conflict (tenant_id) do update set seal = excluded.seal, position = excluded.position,
          counted_at = excluded.counted_at`),
    ]);
  },
  async read(tenantId, { from, to, bucket, by }) {
    const width = secondsOf[bucket];
    const first = Math.floor(from / (width * 1_000)) * width;
    const found = await db.read((builder) =>
      builder.all<CountedText>(sql`
        select at, ${by === "user" ? userOfKey : sql`grouped`} as "group", histogram from latencies
        where tenant_id = ${tenantId} and width = ${width} and "by" = ${by === "user" ? "key" : by}
          and at >= ${first} and at < ${Math.ceil(to / 1_000)}`),
    );
    return found.ok ? ok(countedIn(found.value)) : found;
  },
  async readAll({ from, to, bucket, by }) {
    const width = secondsOf[bucket];
    const first = Math.floor(from / (width * 1_000)) * width;
    const within = sql`width = ${width} and at >= ${first} and at < ${Math.ceil(to / 1_000)}`;
    const [own, delivered] =
      by === "tenant" ? ["latencies.tenant_id", "tenant_id"] : ["grouped", "model"];
    const found = await db.read((builder) =>
      builder.all<CountedText>(sql`
        select at, ${sql.raw(own)} as "group", histogram
        from tenants t cross join latencies
          on latencies.tenant_id = t.id and "by" = 'model' and ${within}
        union all
        select at, ${sql.raw(delivered)}, histogram from delivered_latencies where ${within}
        limit ${maxMerged + 1}`),
    );
    if (!found.ok) return found;
    return ok(found.value.length > maxMerged ? null : countedIn(found.value));
  },
});
