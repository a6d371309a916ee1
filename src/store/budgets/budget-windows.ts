/** Periods of budgets that are open, or were of late, as rows of a query. */
import type { CalendarOf } from "../../domain/calendar.ts";
import {
  limitNameOf,
  longestPauseSeconds,
  moneyResources,
  periodOf,
  runBucketSeconds,
  type Resource,
} from "../../domain/limits/resources.ts";

/** s for which a period that is over is still looked at: a budget may be crossed in its last minute. */
const lookBackSeconds = 3_600;

/** In the order of `windowMembers`. */
type BudgetWindow = [
  resource: Resource,
  member: string,
  /** the buckets that are looked at */
  first: number,
  last: number,
  /** s since the epoch; null: it has no end, or none that is known */
  until: number | null,
  /** of the tenants that have this period; null: of all */
  zone: string | null,
  /** s: of a period that a pause ends */
  pause: number | null,
];

export const windowMembers = [
  "resource",
  "member",
  "first",
  "last",
  "until",
  "zone",
  "pause",
] as const;

/** What a policy without a time zone has. */
export const utc = "UTC";

/** Rates of a minute are no budgets: their alerts would come each minute. */
function windowsOf(
  resource: Resource,
  { now, zones, calendarOf }: { now: number; zones: readonly string[]; calendarOf: CalendarOf },
): BudgetWindow[] {
  const period = periodOf(resource);
  const member = limitNameOf(resource);
  const second = Math.floor(now / 1_000);
  switch (period) {
    case "minute":
    case "running":
      return [];
    case "total":
      return [[resource, member, 0, 0, null, null, null]];
    case "run": {
      const first = second - lookBackSeconds - runBucketSeconds;
      return [[resource, member, first, second, null, null, longestPauseSeconds]];
    }
    default:
      return zones.flatMap((zone) =>
        [now - lookBackSeconds * 1_000, now].map((at): BudgetWindow => {
          const { from, until } = calendarOf(zone, at)[period];
          return [resource, member, from, from, until, zone, null];
        }),
      );
  }
}

/** @param zones of the tenants, @returns JSON */
export function budgetWindows(about: {
  now: number;
  zones: readonly string[];
  calendarOf: CalendarOf;
}): string {
  const windows = moneyResources.flatMap((resource) => windowsOf(resource, about));
  return `[${[...new Set(windows.map((window) => JSON.stringify(window)))].join(",")}]`;
}
