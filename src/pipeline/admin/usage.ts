/** What a tenant used, for plots. */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Actor } from "../../domain/tenancy/access.ts";
import type { UsageAsked, UsageRow, UsageStore } from "../../domain/ports/ledger.ts";
import { err, ok } from "../../domain/result.ts";
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
export type ShownUsage = Omit<UsageRow, "costMicroUsd"> & { costUsd: number };

const shown = ({ costMicroUsd, ...row }: UsageRow): ShownUsage => ({
  ...row,
  costUsd: costMicroUsd / microUsd,
});

const refused = (path: string, detail: string) =>
  err({ reason: "invalid_params", path, detail } as const);

export const createUsageAdmin =
  (deps: AdminDeps & { usage: UsageStore }) =>
  /** By default the last day by hours, or 30 days by days. */
  async (
    actor: Actor,
    slug: string,
    { bucket = "hour", by = "model", ...asked }: Partial<UsageAsked>,
  ): AsyncResult<{ data: ShownUsage[] }> => {
    const tenant = await tenantFor(deps, actor, slug);
    if (!tenant.ok) return tenant;
    const { shownMs, longestMs } = ranges[bucket];
    // The hour or day that has begun is included.
    const to = asked.to ?? (asked.from === undefined ? deps.now() + 1 : asked.from + shownMs);
    const from = asked.from ?? Math.max(0, to - shownMs);
    if (from >= to) return refused("to", "Must be after `from`.");
    if (to - from > longestMs)
      return refused("to", `At most ${longestMs / dayMs} days by the ${bucket}.`);
    const found = await deps.usage.read(tenant.value.id, {
      from,
      to,
      bucket,
      by,
      limit: mostRows + 1,
    });
    if (!found.ok) return found;
    return found.value.length > mostRows
      ? refused("to", `More than ${mostRows} rows: ask for a shorter range, or by the day.`)
      : ok({ data: found.value.map(shown) });
  };
