import { sql, type SQL } from "drizzle-orm";
import type { Limits } from "../../domain/choice/policy.ts";
import type { GroupedUsageKind } from "../../domain/ports/latencies.ts";
import type {
  TopUsage,
  TopUsageQuery,
  TopUsageStore,
  UsageGrouping,
} from "../../domain/ports/top-usage.ts";
import { ok } from "../../domain/result.ts";
import type { Builder, Database } from "../db.ts";
import { firstUncounted } from "./grouped-usage.ts";
import { figures, isSound, outcomes } from "./usage-figures.ts";

const hourMs = 3_600_000;
const hourSeconds = 3_600;

const groupOf = {
  key: sql.raw("u.key_id"),
  user: sql.raw(`coalesce((select k.user_id from api_keys k
    where k.id = u.key_id and k.tenant_id = u.tenant_id), '')`),
  server: sql.raw("u.server_id"),
  model: sql.raw("u.model"),
} as const;

const columns = sql.raw(figures.map((name) => `u.${name}`).join(", "));

const isGrouped = (by: UsageGrouping): by is GroupedUsageKind => !(by in groupOf);

type Figure = (typeof figures)[number];
type Row = Record<Figure | "requests" | "requestsBefore" | "costBefore", number> &
  Record<"allRequests" | "allCost" | "allRequestsBefore" | "allCostBefore" | "groups", number> & {
    grouped: string;
    lastHour: number;
  };

const requests = outcomes.join(" + ");

/** @param rows SQL of `hour`, `grouped` and figures, from the period before to the end of the range */
async function topOf(
  builder: Builder,
  rows: SQL,
  { from, limit }: { from: number; limit: number },
): Promise<Omit<TopUsage, "uncountedSince">> {
  // `total`, since `sum` fails beyond 64 bits.
  const totalOf = (value: string, isNow: boolean): SQL =>
    sql`total(case when u.hour ${sql.raw(isNow ? ">=" : "<")} ${from} then ${sql.raw(value)} end)`;
  const found = await builder.all<Row>(sql`
    with grouped as (
      select u.grouped,
        ${sql.join(
          figures.map((name) => sql`${totalOf(name, true)} as ${sql.raw(name)}`),
          sql`, `,
        )},
        ${totalOf(requests, true)} as requests, ${totalOf(requests, false)} as requestsBefore,
        ${totalOf("cost_micro_usd", false)} as costBefore, max(u.hour) as lastHour
      from (${rows}) u group by 1)
    select *, total(requests) over () as allRequests, total(cost_micro_usd) over () as allCost,
      total(requestsBefore) over () as allRequestsBefore,
      total(costBefore) over () as allCostBefore, total(requests <> 0) over () as groups
    from grouped order by requests = 0, cost_micro_usd desc, requests desc, grouped limit ${limit}`);
  const [one] = found;
  return {
    rows: found
      .filter((row) => row.requests !== 0)
      .map((row) => ({
        group: row.grouped,
        requests: row.requests,
        succeeded: row.succeeded,
        failed: row.failed,
        refused: row.refused,
        cancelled: row.cancelled,
        unknown: row.unknown,
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        costMicroUsd: row.cost_micro_usd,
        lastUsedAt: row.lastHour * 1_000,
        before: { requests: row.requestsBefore, costMicroUsd: row.costBefore },
      })),
    groups: one?.groups ?? 0,
    total: {
      requests: one?.allRequests ?? 0,
      costMicroUsd: one?.allCost ?? 0,
      before: {
        requests: one?.allRequestsBefore ?? 0,
        costMicroUsd: one?.allCostBefore ?? 0,
      },
    },
  };
}

/** s since the epoch, whole hours: the range, and the period of the same length before. */
function hoursOf({ from, to }: Pick<TopUsageQuery, "from" | "to">) {
  const first = Math.floor(from / hourMs) * hourSeconds;
  const end = Math.ceil(to / hourMs) * hourSeconds;
  return { before: first - (end - first), first, end };
}

export const createTopUsageStore = (db: Database): TopUsageStore => ({
  top: (tenantId, { by, limit, ...range }) =>
    db.read(async (builder) => {
      const { before, first, end } = hoursOf(range);
      const isIn = sql`u.tenant_id = ${tenantId} and u.hour >= ${before} and u.hour < ${end}
        and ${isSound}`;
      const rows = isGrouped(by)
        ? sql`select u.hour, u.name as grouped, ${columns} from grouped_usage u
              where u.kind = ${by} and ${isIn}`
        : sql`select u.hour, ${groupOf[by]} as grouped, ${columns} from usage u where ${isIn}`;
      const uncountedSince = isGrouped(by) ? await firstUncounted(builder, tenantId) : null;
      return { ...(await topOf(builder, rows, { from: first, limit })), uncountedSince };
    }),
  async limitsOf(tenantId, ids) {
    const among = sql`(select value from json_each(${JSON.stringify(ids)}))`;
    const found = await db.read((builder) =>
      builder.all<{ id: string; limits: string | null; userId: string | null }>(sql`
        select id, limits, user_id as userId
        from api_keys where tenant_id = ${tenantId} and id in ${among}
        union all
        select id, case when json_valid(policy) then policy -> '$.limits' end, null
        from servers where tenant_id = ${tenantId} and id in ${among}`),
    );
    if (!found.ok) return found;
    return ok(
      Object.fromEntries(
        found.value.flatMap(({ id, userId, ...row }) => {
          const limits = readLimits(row.limits);
          return limits || userId ? [[id, { limits: limits ?? {}, userId }] as const] : [];
        }),
      ),
    );
  },
});

function readLimits(text: string | null): Limits | null {
  try {
    const read = JSON.parse(text ?? "null") as Limits | null;
    return read === null || Object.keys(read).length === 0 ? null : read;
  } catch {
    return null;
  }
}
