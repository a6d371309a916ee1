import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import {
  latencyOf,
  merged,
  noCalls,
  type Histogram,
  type Latency,
} from "../../../domain/latencies.ts";
import type { CountedRow, LatencyQuery, LatencyStore } from "../../../domain/ports/latencies.ts";
import type { NameStore } from "../../../domain/ports/names.ts";
import type { PlacementStore } from "../../../domain/ports/placements.ts";
import type {
  UsageQuery,
  UsageBy,
  UsageOfAllBy,
  UsageOfTenant,
  UsageRowKey,
  UsageRow,
  UsageStore,
} from "../../../domain/ports/ledger.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import { tenantFor, type AdminDeps } from "../access/access.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** ms: default and longest range */
const ranges = {
  hour: { shownMs: dayMs, longestMs: 31 * dayMs },
  day: { shownMs: 30 * dayMs, longestMs: 366 * dayMs },
  month: { shownMs: 366 * dayMs, longestMs: 3_660 * dayMs },
  all: { shownMs: 30 * dayMs, longestMs: Number.POSITIVE_INFINITY },
} as const;
const maxRows = 2_000;
const microUsd = 1_000_000;

/** Money in USD. */
export type ShownUsage = Omit<UsageRow, "costMicroUsd"> & {
  costUsd: number;
  /** `null` if no call is counted; absent if there are too many tenants for one answer */
  latency?: Latency | null;
};

const shown = ({ costMicroUsd, ...row }: UsageRow): ShownUsage => ({
  ...row,
  costUsd: costMicroUsd / microUsd,
});

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

type Range<Bucket> = Omit<UsageQuery, "by" | "bucket"> & { bucket: Bucket };

export interface UsagePage {
  cursor?: string | undefined;
  limit?: number | undefined;
}

const cursorOf = ({ at, group }: UsageRowKey): string => `${at}.${group}`;

function placeIn(cursor: string | undefined): UsageRowKey | null | undefined {
  if (cursor === undefined) return null;
  const [, at, group] = /^(\d{1,15})\.(.*)$/s.exec(cursor) ?? [];
  return at === undefined || group === undefined ? undefined : { at: Number(at), group };
}

function rangeOf<Bucket extends keyof typeof ranges>(
  { bucket, ...asked }: Partial<Range<Bucket>> & { bucket: Bucket },
  now: number,
): Result<Range<Bucket>, Refusal> {
  const { shownMs, longestMs } = ranges[bucket];
  // Includes the current hour or day.
  const to = asked.to ?? (asked.from === undefined ? now + 1 : asked.from + shownMs);
  const from = asked.from ?? Math.max(0, to - shownMs);
  if (from >= to) return refused("to", "Must be after `from`.");
  return to - from > longestMs
    ? refused("to", `At most ${longestMs / dayMs} days by the ${bucket}.`)
    : ok({ from, to, bucket });
}

const shownRows = (rows: readonly UsageRow[]): Result<{ data: ShownUsage[] }, Refusal> =>
  rows.length > maxRows
    ? refused("to", `More than ${maxRows} rows: ask for a shorter range, or by the day.`)
    : ok({ data: rows.map(shown) });

interface UsageDeps extends AdminDeps {
  usage: UsageStore;
  latencies: Pick<LatencyStore, "read" | "readAll">;
  names: NameStore;
  placements: Pick<PlacementStore, "namesOf">;
}

const timedRowsOf =
  ({ latencies }: Pick<UsageDeps, "latencies">) =>
  async (
    tenantId: string,
    rows: readonly ShownUsage[],
    asked: LatencyQuery<UsageBy>,
  ): AsyncResult<ShownUsage[]> => {
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (first === undefined || last === undefined) return ok([]);
    const widthMs = asked.bucket === "hour" ? hourMs : dayMs;
    const counted = await latencies.read(tenantId, {
      bucket: asked.bucket,
      by: asked.by === "all" ? "model" : asked.by,
      from: Math.max(asked.from, first.at),
      to: Math.min(asked.to, last.at + widthMs),
    });
    return counted.ok ? ok(withLatency(rows, counted.value, asked.by)) : counted;
  };

export const createUsageAdmin = (deps: UsageDeps, timedRows = timedRowsOf(deps)) => ({
  async read(
    actor: Actor,
    slug: string,
    {
      by = "model",
      bucket = "hour",
      cursor,
      limit = maxRows,
      ...asked
    }: Partial<UsageOfTenant> & UsagePage,
  ) {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { id } = tenant.value;
    const range = rangeOf({ ...asked, bucket }, deps.now());
    if (!range.ok) return range;
    const after = placeIn(cursor);
    if (after === undefined) return refused("cursor", "Unknown cursor.");
    const found = await deps.usage.read(id, { ...range.value, by, limit: limit + 1, after });
    if (!found.ok) return found;
    const rows = found.value.slice(0, limit);
    const last = rows.at(-1);
    const nextCursor = found.value.length > limit && last !== undefined ? cursorOf(last) : null;
    const data = rows.map(shown);
    const timed =
      bucket === "hour" || bucket === "day"
        ? await timedRows(id, data, { ...range.value, bucket, by })
        : ok(data);
    if (!timed.ok) return timed;
    const isNamed = by === "key" || by === "user" || by === "server";
    const groups = isNamed ? data.map(({ group }) => group) : [];
    const names = await deps.names.of(id, [...new Set(groups)]);
    return names.ok ? ok({ data: timed.value, names: names.value, nextCursor }) : names;
  },

  /** `group` is a tenant's id unless grouped by model. */
  async readAll(
    actor: Actor,
    { by = "tenant", bucket = "hour", ...asked }: Partial<UsageQuery<UsageOfAllBy>>,
  ) {
    if (actor.kind !== "operator")
      return err({
        reason: "forbidden",
        action: "only the operator can read the usage of all tenants",
      } as const);
    const range = rangeOf({ ...asked, bucket }, deps.now());
    if (!range.ok) return range;
    const found = await deps.usage.readAll({ ...range.value, by, limit: maxRows + 1 });
    const rows = found.ok ? shownRows(found.value) : found;
    if (!rows.ok) return rows;
    const counted =
      bucket === "month" ? ok(null) : await deps.latencies.readAll({ ...range.value, bucket, by });
    if (!counted.ok) return counted;
    const { data } = rows.value;
    const groups = by === "tenant" ? data.map(({ group }) => group) : [];
    const names = await deps.placements.namesOf(groups);
    if (!names.ok) return names;
    const timed = counted.value === null ? data : withLatency(data, counted.value, by);
    return ok({ data: timed, names: names.value });
  },
});
