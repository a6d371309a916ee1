/** Policy and reservation into holds; a store only sums, compares and bumps them. */
import type { CallBounds } from "../choice/policy.ts";
import { calendarMonthOf, dayOf, type Window } from "../calendar.ts";
import type { Limits } from "../choice/policy.ts";

/** Money is counted in whole micro-USD. */
export type Resource = "requests" | "tokens" | "concurrent" | "usd_day" | "usd_month";

export const moneyResources = ["usd_day", "usd_month"] as const satisfies Resource[];
export const isMoney = (resource: Resource): boolean =>
  resource === "usd_day" || resource === "usd_month";

export type LimitScope = "tenant" | "key" | "server";

/** Room asked for, of one limit. */
export interface Hold {
  scope: LimitScope;
  /** whose: the tenant's, the key's or the server's id */
  subject: string;
  resource: Resource;
  /** the first bucket that counts, in seconds since the epoch */
  since: number;
  /** the bucket that this hold is added to */
  bucket: number;
  /** s since the epoch at which a calendar window ends; null: a sliding one */
  until: number | null;
  limit: number;
  amount: number;
  /** present: the limit is the operator's ceiling for the tenant, which is smaller than its own */
  ceiling?: true;
}

/** How one limit stands after admission. */
export interface LimitState {
  /** such as `tenant.requestsPerMinute`; the operator's for the tenant: `ceiling.requestsPerMinute` */
  name: string;
  /** of money in micro-USD */
  limit: number;
  remaining: number;
  /** s until the oldest of what is used is free again, at the latest */
  resetSeconds: number;
  windowSeconds: number;
}

export const windowSeconds = 60;

/** s: the longest that a sliding window makes anybody wait, the oldest second included. */
export const longestWaitSeconds = windowSeconds + 1;

/**
 * The last bucket that counts. Of a sliding window that is a minute ahead: two clocks may differ by as much.
 * What is later was counted before the clock was set back, and would block until the clock is there again.
 */
export const lastBucketOf = ({ bucket, until }: Pick<Hold, "bucket" | "until">): number =>
  until === null ? bucket + windowSeconds : until - 1;

/** Until a call that holds concurrency may end; one that refuses for it says to come back then. */
export const concurrencyRetryMs = 1_000;

const limitNames = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrent: "concurrent",
  usd_day: "usdPerDay",
  usd_month: "usdPerMonth",
} as const satisfies Record<Resource, keyof Limits>;

const resources = Object.keys(limitNames) as Resource[];

export const nameOfLimit = (hold: Pick<Hold, "scope" | "resource" | "ceiling">): string =>
  `${hold.ceiling === true ? "ceiling" : hold.scope}.${limitNames[hold.resource]}`;

const microUsd = 1_000_000;

/** A limit in the unit in which it is counted. */
const countedAs = (resource: Resource, limit: number): number =>
  isMoney(resource) ? Math.round(limit * microUsd) : limit;

export interface LimitedScope {
  scope: LimitScope;
  subject: string;
  limits: Limits;
  /** those that are the operator's ceiling; absent: none */
  fromCeiling?: ReadonlySet<keyof Limits>;
}

/** The smallest limit of money that applies, in micro-USD; null: none does. */
export function smallestBudget(scopes: readonly LimitedScope[]): number | null {
  const budgets = scopes.flatMap(({ limits }) =>
    moneyResources.flatMap((resource) => limits[limitNames[resource]] ?? []),
  );
  return budgets.length === 0 ? null : countedAs("usd_day", Math.min(...budgets));
}

export const callBoundsOf = (scopes: readonly LimitedScope[]): CallBounds => ({
  tokens: Math.min(
    ...scopes.map(({ limits }) => limits.tokensPerMinute ?? Number.POSITIVE_INFINITY),
  ),
  microUsd: smallestBudget(scopes) ?? Number.POSITIVE_INFINITY,
});

/**
 * Rates: one-second buckets over the last minute, the current second and the whole one 60 s ago
 * included: never more than the limit in any minute, at the price of at most a second's delay. Money:
 * the day and the month, in UTC, one bucket each.
 */
export function holdsOf(input: {
  /** ms since the epoch */
  now: number;
  scopes: readonly LimitedScope[];
  tokens: number;
  microUsd: number;
}): Hold[] {
  const second = Math.floor(input.now / 1_000);
  const amounts: Record<Resource, number> = {
    requests: 1,
    tokens: input.tokens,
    concurrent: 1,
    usd_day: input.microUsd,
    usd_month: input.microUsd,
  };
  const calendar: Partial<Record<Resource, Window>> = {
    usd_day: dayOf(second),
    usd_month: calendarMonthOf(second),
  };
  return input.scopes.flatMap(({ scope, subject, limits, fromCeiling }) =>
    resources.flatMap((resource): Hold[] => {
      const limit = limits[limitNames[resource]];
      if (limit === undefined) return [];
      const window = calendar[resource];
      return [
        {
          scope,
          subject,
          resource,
          since: window?.from ?? second - windowSeconds,
          bucket: window?.from ?? second,
          until: window?.until ?? null,
          limit: countedAs(resource, limit),
          amount: amounts[resource],
          ...(fromCeiling?.has(limitNames[resource]) === true && { ceiling: true }),
        },
      ];
    }),
  );
}

/** How a limit stands, from what the ledger summed. `oldest`: the first bucket in use, if any. */
export function stateOf(
  hold: Hold,
  { used, oldest, now }: { used: number; oldest: number | null; now: number },
): LimitState {
  const second = Math.floor(now / 1_000);
  const sliding =
    hold.resource === "concurrent"
      ? second + 1
      : Math.min(oldest ?? second, second) + longestWaitSeconds;
  return {
    name: nameOfLimit(hold),
    limit: hold.limit,
    remaining: Math.max(0, hold.limit - used),
    resetSeconds: Math.max(1, (hold.until ?? sliding) - second),
    windowSeconds: hold.until === null ? windowSeconds : hold.until - hold.since,
  };
}
