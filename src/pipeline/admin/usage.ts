/** What a tenant used, for plots. */
import type { Refusal } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import {
  latencyOf,
  merged,
  noCalls,
  type Histogram,
  type Latency,
} from "../../domain/latencies.ts";
import type { CountedRow, LatencyStore } from "../../domain/ports/latencies.ts";
import type { NameStore } from "../../domain/ports/names.ts";
import type { PlacementStore } from "../../domain/ports/placements.ts";
import type {
  UsageAsked,
  UsageBy,
  UsageOfAllBy,
  UsageRow,
  UsageStore,
} from "../../domain/ports/ledger.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { tenantFor, type AdminDeps } from "./access.ts";

const dayMs = 86_400_000;
/** ms: the range that is shown by default, and the longest that may be asked for. */
const ranges = {
  hour: { shownMs: dayMs, longestMs: 31 * dayMs },
  day: { shownMs: 30 * dayMs, longestMs: 366 * dayMs },
} as const;
const mostRows = 2_000;
const microUsd = 1_000_000;

/** Usage as the API shows it, with money in USD. */
export type ShownUsage = Omit<UsageRow, "costMicroUsd"> & {
  costUsd: number;
  /** null: no call is counted; absent: of more tenants than one answer adds up */
  latency?: Latency | null;
};

const shown = ({ costMicroUsd, ...row }: UsageRow): ShownUsage => ({
  ...row,
  costUsd: costMicroUsd / microUsd,
});

/** The rows with how long their calls took. */
function withLatency(
  rows: readonly ShownUsage[],
  counted: readonly CountedRow[],
  by: UsageBy | UsageOfAllBy,
): ShownUsage[] {
  const nameOf = ({ at, group }: { at: number; group: string }): string =>
    by === "all" ? String(at) : `${at} ${group}`;
  const sums = new Map<string, Histogram>();
  for (const row of counted)
    sums.set(nameOf(row), merged(sums.get(nameOf(row)) ?? noCalls, row.histogram));
  return rows.map((row) => ({ ...row, latency: latencyOf(sums.get(nameOf(row)) ?? noCalls) }));
}

const refused = (path: string, detail: string) =>
  err({ reason: "invalid_params", path, detail } as const);

type Range = Partial<Omit<UsageAsked, "by">>;

/** What is asked for, with defaults: the last day by hours, or 30 days by days. */
function rangeOf(
  { bucket = "hour", ...asked }: Range,
  now: number,
): Result<Omit<UsageAsked, "by">, Refusal> {
  const { shownMs, longestMs } = ranges[bucket];
  // The hour or day that has begun is included.
  const to = asked.to ?? (asked.from === undefined ? now + 1 : asked.from + shownMs);
  const from = asked.from ?? Math.max(0, to - shownMs);
  if (from >= to) return refused("to", "Must be after `from`.");
  return to - from > longestMs
    ? refused("to", `At most ${longestMs / dayMs} days by the ${bucket}.`)
    : ok({ from, to, bucket });
}

const shownRows = (rows: readonly UsageRow[]): Result<{ data: ShownUsage[] }, Refusal> =>
  rows.length > mostRows
    ? refused("to", `More than ${mostRows} rows: ask for a shorter range, or by the day.`)
    : ok({ data: rows.map(shown) });

export const createUsageAdmin = (
  deps: AdminDeps & {
    usage: UsageStore;
    latencies: Pick<LatencyStore, "read" | "readAll">;
    names: NameStore;
    placements: Pick<PlacementStore, "namesOf">;
  },
) => ({
  async read(actor: Actor, slug: string, { by = "model", ...asked }: Partial<UsageAsked>) {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const range = rangeOf(asked, deps.now());
    if (!range.ok) return range;
    const limit = mostRows + 1;
    const found = await deps.usage.read(tenant.value.id, { ...range.value, by, limit });
    const rows = found.ok ? shownRows(found.value) : found;
    if (!rows.ok) return rows;
    const counted = await deps.latencies.read(tenant.value.id, {
      ...range.value,
      by: by === "all" ? "model" : by,
    });
    if (!counted.ok) return counted;
    const groups = by === "model" || by === "all" ? [] : rows.value.data.map(({ group }) => group);
    const names = await deps.names.of(tenant.value.id, groups);
    return names.ok
      ? ok({ data: withLatency(rows.value.data, counted.value, by), names: names.value })
      : names;
  },

  /** Of all tenants; `group` is a tenant's id unless it is asked by the model. */
  async readAll(actor: Actor, { by = "tenant", ...asked }: Partial<UsageAsked<UsageOfAllBy>>) {
    if (actor.kind !== "operator")
      return err({
        reason: "forbidden",
        action: "the usage of all tenants is the operator's",
      } as const);
    const range = rangeOf(asked, deps.now());
    if (!range.ok) return range;
    const found = await deps.usage.readAll({ ...range.value, by, limit: mostRows + 1 });
    const rows = found.ok ? shownRows(found.value) : found;
    if (!rows.ok) return rows;
    const counted = await deps.latencies.readAll({ ...range.value, by });
    if (!counted.ok) return counted;
    const { data } = rows.value;
    const groups = by === "tenant" ? data.map(({ group }) => group) : [];
    const names = await deps.placements.namesOf(groups);
    if (!names.ok) return names;
    const timed = counted.value === null ? data : withLatency(data, counted.value, by);
    return ok({ data: timed, names: names.value });
  },
});
