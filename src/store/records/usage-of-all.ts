import { sql, type SQL } from "drizzle-orm";
import { asReadable } from "../../domain/magnitudes.ts";
import type { UsageQuery, UsageOfAllBy, UsageRow, UsageStore } from "../../domain/ports/ledger.ts";
import { err, ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { figures, isSound, usageBucketStart } from "../usage/usage-figures.ts";

const hourSeconds = 3_600;
const daySeconds = 86_400;
/** About a tenth of a second of CPU. */
const maxAdded = 50_000;

interface Range {
  width: number;
  from: number;
  to: number;
}

const columns = sql.raw(figures.join(", "));
const within = (column: string, { from, to }: Omit<Range, "width">): SQL =>
  sql`${sql.raw(column)} >= ${from} and ${sql.raw(column)} < ${to}`;

/** Reads whole days from daily sums. */
function rangesOf({ bucket, from, to }: Pick<UsageQuery, "bucket" | "from" | "to">): Range[] {
  if (bucket === "hour") return [{ width: hourSeconds, from, to }];
  const firstDay = Math.ceil(from / daySeconds) * daySeconds;
  const end = Math.floor(to / daySeconds) * daySeconds;
  if (firstDay >= end) return [{ width: hourSeconds, from, to }];
  return [
    { width: hourSeconds, from, to: firstDay },
    { width: daySeconds, from: firstDay, to: end },
    { width: hourSeconds, from: end, to },
  ];
}

const delivered = (asked: UsageQuery<UsageOfAllBy>): SQL =>
  asked.by === "tenant"
    ? sql`select hour, tenant_id as grouped, ${columns} from delivered_usage
        where ${within("hour", asked)}`
    : sql.join(
        rangesOf(asked).map(
          (range) => sql`select at as hour, model as grouped, ${columns} from usage_totals
            where width = ${range.width} and ${within("at", range)}`,
        ),
        sql` union all `,
      );

type SummedRow = { at: number; grouped: string } & Record<(typeof figures)[number], number>;

const rowOf = (row: SummedRow): UsageRow => {
  const figure = (name: (typeof figures)[number]): number => asReadable(row[name]) ?? 0;
  const { at, grouped } = row;
  const outcomes = {
    succeeded: figure("succeeded"),
    failed: figure("failed"),
    refused: figure("refused"),
    cancelled: figure("cancelled"),
    unknown: figure("unknown"),
  };
  return {
    at,
    group: grouped,
    requests: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    ...outcomes,
    inputTokens: figure("input_tokens"),
    outputTokens: figure("output_tokens"),
    costMicroUsd: figure("cost_micro_usd"),
  };
};

export const createReadAll =
  (db: Database): UsageStore["readAll"] =>
  async ({ limit, ...range }) => {
    const asked = {
      ...range,
      from: Math.floor(range.from / (hourSeconds * 1_000)) * hourSeconds,
      to: Math.ceil(range.to / (hourSeconds * 1_000)) * hourSeconds,
    };
    const own = sql.raw(asked.by === "tenant" ? "tenant_id" : "model");
    const read = await db.read(async (builder) => {
      if (asked.by === "tenant") {
        const [counted] = await builder.all<{ count: number }>(sql`
          select count(*) as count from (
            select 1 from delivered_usage where ${within("hour", asked)} limit ${maxAdded + 1})`);
        if (Number(counted?.count) > maxAdded) return null;
      }
      const sums = figures.map((name) => sql`total(${sql.raw(name)}) as ${sql.raw(name)}`);
      return builder.all<SummedRow>(sql`
        select ${usageBucketStart(asked.bucket, sql.raw("hour"))} as at, grouped,
          ${sql.join(sums, sql`, `)}
        from (
          select hour, ${own} as grouped, ${columns} from usage
            where ${within("hour", asked)} and ${isSound}
          union all ${delivered(asked)})
        group by 1, 2 order by 1, 2 limit ${limit}`);
    });
    if (!read.ok) return read;
    return read.value === null
      ? err({
          reason: "invalid_params",
          path: "to",
          detail: `More than ${maxAdded} hours of tenants: ask for a shorter range, or by the model.`,
        })
      : ok(read.value.map(rowOf));
  };
