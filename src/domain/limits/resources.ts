import type { Calendar, Window } from "../calendar.ts";
import type { Limits, NewRunLimits, RunLimits } from "../choice/policy.ts";

export type NodeLimits = Limits & RunLimits & NewRunLimits;

export type Measure = "requests" | "tokens" | "calls" | "usd" | "runs";
/** `minute`: sliding. Calendar periods: the tenant's time zone. `run`: until a pause of `runPauseSeconds`. */
export type Period = "minute" | "day" | "week" | "month" | "total" | "running" | "run";

interface Counted {
  limit: keyof NodeLimits;
  measure: Measure;
  period: Period;
}

/** Money is counted in micro-USD. The keys are stored in rows. */
export const resourceTable = {
  requests: { limit: "requestsPerMinute", measure: "requests", period: "minute" },
  tokens: { limit: "tokensPerMinute", measure: "tokens", period: "minute" },
  concurrent: { limit: "concurrent", measure: "calls", period: "running" },
  usd_day: { limit: "usdPerDay", measure: "usd", period: "day" },
  usd_month: { limit: "usdPerMonth", measure: "usd", period: "month" },
  usd_minute: { limit: "usdPerMinute", measure: "usd", period: "minute" },
  usd_week: { limit: "usdPerWeek", measure: "usd", period: "week" },
  usd_total: { limit: "usdTotal", measure: "usd", period: "total" },
  requests_day: { limit: "requestsPerDay", measure: "requests", period: "day" },
  requests_week: { limit: "requestsPerWeek", measure: "requests", period: "week" },
  requests_month: { limit: "requestsPerMonth", measure: "requests", period: "month" },
  requests_total: { limit: "requestsTotal", measure: "requests", period: "total" },
  tokens_day: { limit: "tokensPerDay", measure: "tokens", period: "day" },
  tokens_week: { limit: "tokensPerWeek", measure: "tokens", period: "week" },
  tokens_month: { limit: "tokensPerMonth", measure: "tokens", period: "month" },
  tokens_total: { limit: "tokensTotal", measure: "tokens", period: "total" },
  requests_run: { limit: "callsPerRun", measure: "requests", period: "run" },
  usd_run: { limit: "usdPerRun", measure: "usd", period: "run" },
  runs_day: { limit: "newRunsPerDay", measure: "runs", period: "day" },
} as const satisfies Record<string, Counted>;

export type Resource = keyof typeof resourceTable;

export const countedOfRuns = "requests_run" satisfies Resource;

export const resources = Object.keys(resourceTable) as Resource[];

export const measureOf = (resource: Resource): Measure => resourceTable[resource].measure;
export const periodOf = (resource: Resource): Period => resourceTable[resource].period;
export const limitNameOf = (resource: Resource): keyof NodeLimits => resourceTable[resource].limit;

const measuring = (measure: Measure): Resource[] =>
  resources.filter((resource) => measureOf(resource) === measure);

export const moneyResources = measuring("usd");
export const tokenResources = measuring("tokens");
const money: ReadonlySet<string> = new Set(moneyResources);
const tokens: ReadonlySet<string> = new Set(tokenResources);
export const chargedResources: readonly Resource[] = [...tokenResources, ...moneyResources];
export const slidingCharges = chargedResources.filter(
  (resource) => periodOf(resource) === "minute",
);

export const isMoney = (resource: string): boolean => money.has(resource);
export const isTokens = (resource: string): boolean => tokens.has(resource);

/** s since the epoch: the end of an endless window. */
export const endOfTime = 253_402_300_800;

/** The pause that ends a run; the next call starts another run of that name. */
export const runPauseSeconds = 86_400;
/** Calls of a run share 15-minute buckets, so that a long run has few counters. */
export const runBucketSeconds = 900;

export const runBucketOf = (second: number): number =>
  Math.floor(second / runBucketSeconds) * runBucketSeconds;
/** s between buckets: the last call may be at the end of its bucket. */
export const longestPauseSeconds = runPauseSeconds + runBucketSeconds;

export interface CountedWindow extends Window {
  bucket: number;
  /** s; the window starts after the last longer pause; absent: at `from` */
  pause?: number;
}

export function windowOf(
  resource: Resource,
  { second, calendar }: { second: number; calendar: Calendar },
): CountedWindow | null {
  const period = periodOf(resource);
  if (period === "minute" || period === "running") return null;
  if (period === "total") return { from: 0, until: endOfTime, bucket: 0 };
  if (period !== "run") return { ...calendar[period], bucket: calendar[period].from };
  return {
    from: 0,
    until: endOfTime,
    bucket: runBucketOf(second),
    pause: longestPauseSeconds,
  };
}
