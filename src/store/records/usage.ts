/** Written by the transactions that end requests, so it agrees with the records, and plots don't read records. */
import { and, asc, eq, gte, lt, sql, type SQL } from "drizzle-orm";
import type { Correction } from "../../domain/audit/record.ts";
import type { UsageBy, UsageOfTenant, UsageRowKey, UsageStore } from "../../domain/ports/ledger.ts";
import { ok } from "../../domain/result.ts";
import { largestInteger } from "../../domain/magnitudes.ts";
import { estimateIn } from "../rows/decisions.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import { usage } from "../schema/ledger-schema.ts";
import { isFreshIn } from "./record-numbers.ts";
import type { NoteUnreadable } from "./unreadable.ts";
import {
  figures,
  isSound,
  outcomes,
  raisedFigures,
  usageBucketStart,
} from "../usage/usage-figures.ts";
import { createReadAll } from "./usage-of-all.ts";

const hourMs = 3_600_000;
/** Inlined: drivers bind numbers as floats, whose division doesn't round. */
export const hourOf = sql.raw(`coalesce(r.admitted_at, r.created_at) / ${hourMs} * 3600`);
export const usageHourOf = (moment: number): number => Math.floor(moment / hourMs) * 3_600;

const add = (added: { figures: readonly SQL[]; condition: SQL }): Compiled =>
  raw(sql`
    insert into usage (tenant_id, hour, key_id, server_id, model, ${sql.raw(figures.join(", "))})
    select r.tenant_id, ${hourOf}, r.key_id, coalesce(r.server_id, ''), coalesce(r.model, ''),
      ${sql.join([...added.figures], sql`, `)}
    from sampling_requests r where ${added.condition}
    group by 1, 2, 3, 4, 5
    on conflict (tenant_id, hour, key_id, server_id, model) do update set ${raisedFigures}`);

const countOf = (outcome: string): SQL[] =>
  outcomes.map((name) => (name === outcome ? sql`count(*)` : sql`0`));

export const refusedUsage = ({ id, tenantId }: { id: string; tenantId: string }): Compiled =>
  add({
    figures: [...countOf("refused"), sql`0`, sql`0`, sql`0`],
    condition: sql`r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'refused' and ${sql.raw(isFreshIn("r"))}`,
  });

/** `null` if unreadable, so that other rows still count. */
export const estimateOf = (figure: "inputTokens" | "outputTokens", table = "r"): SQL =>
  sql.raw(estimateIn(`${table}.decision`, figure));

/** Must run before the sweep ends the rows. */
export const sweptUsage = (condition: SQL): Compiled =>
  add({
    figures: [
      ...countOf("unknown"),
      sql`sum(coalesce(${estimateOf("inputTokens")}, 0))`,
      sql`sum(coalesce(${estimateOf("outputTokens")}, 0))`,
      // Clamped: an overflow would fail the sweep of all rows.
      sql`sum(min(coalesce(r.reserved_micro_usd, 0), ${largestInteger}))`,
    ],
    condition,
  });

/** Must run before the rows are reopened; reverts what the sweep added. */
export const unsweptUsage = (condition: SQL): Compiled[] => [
  add({
    figures: [
      ...countOf("unknown").map((count) => sql`-${count}`),
      sql`-sum(coalesce(r.input_tokens, 0))`,
      sql`-sum(coalesce(r.output_tokens, 0))`,
      sql`-sum(coalesce(r.cost_micro_usd, 0))`,
    ],
    condition,
  }),
  // If another model answered, nothing remains under the chosen one.
  raw(sql`
    delete from usage where ${sql.raw(figures.map((name) => `${name} = 0`).join(" and "))}
      and (tenant_id, hour, key_id, server_id, model) in (
        select r.tenant_id, ${hourOf}, r.key_id, coalesce(r.server_id, ''), coalesce(r.model, '')
        from sampling_requests r where ${condition})`),
];

export const correctable = sql`(r.outcome = 'unknown' or r.usage_implausible = 1)`;

/** Must run before the row has the correction, since the difference is computed from the row. */
export function correctedUsage(
  ids: { tenantId: string; id: string },
  correction: Correction,
): Compiled {
  const now = (outcome: string): SQL =>
    sql`(coalesce(r.correction ->> 'outcome', r.outcome) = ${outcome})`;
  return add({
    figures: [
      ...outcomes.map(
        (outcome) => sql`sum(${outcome === correction.outcome ? 1 : 0} - ${now(outcome)})`,
      ),
      sql`sum(${correction.inputTokens} - coalesce(r.correction ->> 'inputTokens', r.input_tokens, 0))`,
      sql`sum(${correction.outputTokens} - coalesce(r.correction ->> 'outputTokens', r.output_tokens, 0))`,
      sql`sum(${correction.costMicroUsd} - coalesce(r.correction ->> 'costMicroUsd', r.cost_micro_usd, 0))`,
    ],
    condition: sql`r.id = ${ids.id} and r.tenant_id = ${ids.tenantId} and ${correctable}`,
  });
}

const groupOf = {
  model: usage.model,
  key: usage.keyId,
  user: sql<string>`coalesce((select k.user_id from api_keys k
    where k.id = usage.key_id and k.tenant_id = usage.tenant_id), '')`.as("user_of_key"),
  server: usage.serverId,
  endpoint: sql<string>`usage.name`.as("endpoint"),
  all: sql<string>`''`.as("all_calls"),
} as const satisfies Record<UsageBy, unknown>;

const byEndpoint = sql`(select * from grouped_usage where kind = 'endpoint') usage`;

export const createUsageStore = (db: Database, note: NoteUnreadable): UsageStore => {
  /** @param where `unsound` counts rows skipped because of invalid integers */
  const rowsOf = (
    {
      from,
      to,
      bucket,
      limit,
      after = null,
    }: Omit<UsageOfTenant, "by"> & { limit: number; after?: UsageRowKey | null },
    { group, where }: { group: (typeof groupOf)[UsageBy]; where?: SQL },
  ) =>
    db.read(async (builder) => {
      const firstHour = Math.floor(from / hourMs) * 3_600;
      const begins =
        bucket === "all"
          ? // Inlined: drivers bind numbers as floats.
            sql.raw(`${firstHour * 1_000}`)
          : usageBucketStart(bucket, usage.hour);
      const at = sql<number>`${begins}`.mapWith(Number);
      const total = (column: SQL | (typeof usage)[keyof typeof usage.$inferSelect]) =>
        // `total`, since `sum` fails beyond 64 bits.
        sql<number>`total(case when ${isSound} then ${column} end)`.mapWith(Number);
      return builder
        .select({
          at,
          group,
          requests: total(
            sql`${usage.succeeded} + ${usage.failed} + ${usage.refused} + ${usage.cancelled} + ${usage.unknown}`,
          ),
          succeeded: total(usage.succeeded),
          failed: total(usage.failed),
          refused: total(usage.refused),
          cancelled: total(usage.cancelled),
          unknown: total(usage.unknown),
          unsound: sql<number>`sum(not (${isSound}))`.mapWith(Number),
          inputTokens: total(usage.inputTokens),
          outputTokens: total(usage.outputTokens),
          costMicroUsd: total(usage.costMicroUsd),
        })
        .from(group === groupOf.endpoint ? byEndpoint : usage)
        .where(
          and(
            where,
            gte(usage.hour, Math.max(firstHour, (after?.at ?? 0) / 1_000)),
            lt(usage.hour, Math.ceil(to / hourMs) * 3_600),
          ),
        )
        .groupBy(sql`1`, sql`2`)
        .having(after === null ? undefined : sql`(${at}, ${group}) > (${after.at}, ${after.group})`)
        .orderBy(asc(sql`1`), asc(sql`2`))
        .limit(limit);
    });
  return {
    async read(tenantId, asked) {
      const rows = await rowsOf(asked, {
        group: groupOf[asked.by],
        where: eq(usage.tenantId, tenantId),
      });
      if (!rows.ok) return rows;
      if (rows.value.some(({ unsound }) => unsound > 0))
        await note([{ tenantId, id: "usage", problem: "a figure isn't a readable integer" }]);
      return ok(rows.value.map(({ unsound: _, ...row }) => row));
    },
    readAll: createReadAll(db),
  };
};
