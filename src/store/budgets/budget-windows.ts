import type { CalendarOf } from "../../domain/calendar.ts";
import {
  limitNameOf,
  longestPauseSeconds,
  moneyResources,
  periodOf,
  runBucketSeconds,
  type Resource,
} from "../../domain/limits/resources.ts";

/** How long a period is still checked after its end, in s: a budget may be crossed in the last minute. */
const lookBackSeconds = 3_600;

type BudgetWindow = [
  resource: Resource,
  member: string,
  first: number,
  last: number,
  /** s since the epoch; `null` if the end is unknown. */
  until: number | null,
  zone: string | null,
  /** s of inactivity that end the period. */
  pause: number | null,
];

export const windowColumns = [
  "resource",
  "member",
  "first",
  "last",
  "until",
  "zone",
  "pause",
] as const;

export const utc = "UTC";

/** Rates per minute have no alerts: they would fire every minute. */
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

export function budgetWindows(about: {
  now: number;
  zones: readonly string[];
  calendarOf: CalendarOf;
}): string {
  const windows = moneyResources.flatMap((resource) => windowsOf(resource, about));
  return `[${[...new Set(windows.map((window) => JSON.stringify(window)))].join(",")}]`;
}
