/**
 * Usage by group, tag and endpoint, from sealed records. A call with an unknown outcome counts once it is corrected or ends,
 * so a record that is sealed again counts once.
 */
import { sql, type SQL } from "drizzle-orm";
import { asReadable } from "../../domain/magnitudes.ts";
import { samplingEndpoint } from "../../domain/model-endpoint.ts";
import type { GroupedUsageRow } from "../../domain/ports/latencies.ts";
import type { UsageFigures } from "../../domain/ports/ledger.ts";
import { raw, type Builder, type Compiled } from "../db.ts";
import { readAsked } from "../rows/packed-columns.ts";
import { figures, outcomes, raised } from "./usage-figures.ts";

export interface GroupedCall {
  /** ms since the epoch of the admission; 0 if refused */
  at: number;
  createdAt: number;
  asked: string | null;
  /** `null` if it doesn't count, or not yet */
  outcome: string | null;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

type Named = Pick<GroupedUsageRow, "kind" | "name">;

const endpointOf = ({ endpoint = samplingEndpoint }: { endpoint?: unknown }): unknown => endpoint;

const readNames = (stored: string | null) => (stored === null ? null : readAsked(stored)) ?? {};

export const endpointIn = (stored: string | null): string => String(endpointOf(readNames(stored)));

/** A foreign row may hold anything. */
function namesIn(stored: string | null): Named[] {
  const asked = readNames(stored);
  const { groups, tag } = asked;
  const all: (readonly [Named["kind"], unknown])[] = [
    ...(Array.isArray(groups) ? groups.map((group: unknown) => ["group", group] as const) : []),
    ["tag", tag],
    ["endpoint", endpointOf(asked)],
  ];
  return all.flatMap(([kind, name]) => (typeof name === "string" ? [{ kind, name }] : []));
}

const none: UsageFigures = {
  succeeded: 0,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicroUsd: 0,
};

export function groupedUsageOf(calls: readonly GroupedCall[]): GroupedUsageRow[] {
  const rows = new Map<string, GroupedUsageRow>();
  for (const call of calls) {
    const outcome = outcomes.find((each) => each === call.outcome);
    if (outcome === undefined) continue;
    const hour = Math.floor((call.at || call.createdAt) / 3_600_000) * 3_600;
    for (const { kind, name } of namesIn(call.asked)) {
      const id = JSON.stringify([kind, hour, name]);
      const row = rows.get(id) ?? { kind, hour, name, ...none };
      rows.set(id, {
        ...row,
        [outcome]: row[outcome] + 1,
        inputTokens: row.inputTokens + (asReadable(call.inputTokens) ?? 0),
        outputTokens: row.outputTokens + (asReadable(call.outputTokens) ?? 0),
        costMicroUsd: row.costMicroUsd + (asReadable(call.costMicroUsd) ?? 0),
      });
    }
  }
  return [...rows.values()];
}

export const figuresOf = (row: UsageFigures): number[] => [
  ...outcomes.map((outcome) => row[outcome]),
  row.inputTokens,
  row.outputTokens,
  row.costMicroUsd,
];

export const addGrouped = (tenantId: string, rows: string, condition: SQL): Compiled =>
  raw(sql`
    insert into grouped_usage (tenant_id, kind, hour, name, ${sql.raw(figures.join(", "))})
    select ${tenantId}, j.value ->> 0, j.value ->> 1, j.value ->> 2,
      ${sql.raw(figures.map((_, at) => `j.value ->> ${at + 3}`).join(", "))}
    from json_each(${rows}) j where ${condition}
    on conflict (tenant_id, kind, hour, name) do update set ${raised}`);

/** ms since the epoch; `null` if all ended calls are counted */
export async function firstUncounted(builder: Builder, tenantId: string): Promise<number | null> {
  const [row] = await builder.all<{ at: number | null }>(sql`
    select min(at) as at from (
      select * from (
        select r.created_at as at from sampling_requests r
        where r.tenant_id = ${tenantId} and r.seal_number is null and r.outcome <> 'admitted'
        order by r.record_number limit 1)
      union all select * from (
        select r.created_at from sampling_requests r
        left join latency_cursors c on c.tenant_id = r.tenant_id
        where r.tenant_id = ${tenantId} and r.seal_number is not null
          and (r.seal_number, r.seal_position) > (coalesce(c.seal, 0), coalesce(c.position, -1))
        order by r.seal_number, r.seal_position limit 1))`);
  return row?.at ?? null;
}
