/** Makes holds of a policy and a reservation. A store only sums, compares and adds holds. */
import type { CallBounds } from "../choice/policy.ts";
import { calendarMonthOf, dayOf, type Window } from "../calendar.ts";
import type { Limits } from "../choice/policy.ts";

/** Money is counted in whole micro-USD. */
export type Resource = "requests" | "tokens" | "concurrent" | "usd_day" | "usd_month";

export const moneyResources = ["usd_day", "usd_month"] as const satisfies Resource[];
export const isMoney = (resource: Resource): boolean =>
  resource === "usd_day" || resource === "usd_month";

export type LimitScope = "tenant" | "key" | "server";

/** The amount that one call asks for, of one limit. */
export interface Hold {
  scope: LimitScope;
  /** whose limit: the id of the tenant, the key or the server */
  subject: string;
  resource: Resource;
  /** the first bucket that counts, in s since the epoch */
  since: number;
  /** the bucket that this hold is added to */
  bucket: number;
  /** s since the epoch, when a calendar window ends; null: the window slides */
  until: number | null;
  limit: number;
  amount: number;
  /** present: the limit is the operator's ceiling, which is smaller than the tenant's own */
  ceiling?: true;
}

/** How one limit stands after admission. */
export interface LimitState {
  /** such as `tenant.requestsPerMinute`; the operator's ceiling is `ceiling.requestsPerMinute` */
  name: string;
  /** in micro-USD where the limit is one of money */
  limit: number;
  /** used or reserved: beyond the limit where a call cost more than it had reserved */
  used: number;
  remaining: number;
  /** s until the oldest used amount is free again, at the latest */
  resetSeconds: number;
  windowSeconds: number;
}

export const windowSeconds = 60;

/** s: the longest time that a sliding window makes anybody wait, the oldest second included. */
export const longestWaitSeconds = windowSeconds + 1;

/**
 * The last bucket that counts. In a sliding window that is a minute ahead, since two clocks may differ by as
 * much. A later bucket was counted before a clock was set back, and would block until the clock gets there
 * again.
 */
export const lastBucketOf = ({ bucket, until }: Pick<Hold, "bucket" | "until">): number =>
  until === null ? bucket + windowSeconds : until - 1;

/** ms after which a call refused for concurrency may try again: by then another call may have ended. */
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
  /** which limits are the operator's ceiling; absent: none */
  fromCeiling?: ReadonlySet<keyof Limits>;
}

/** The smallest limit of money that applies, in micro-USD; null: none applies. */
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
 * Rates: one-second buckets over the last minute. The current second and the whole second 60 s ago both count,
 * so no minute ever holds more than the limit, at the price of a second's delay at most. Money: the day and the
 * month, in UTC, one bucket each.
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

/** How a limit stands, from what the ledger summed. `oldest`: the first bucket in use, if there is one. */
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
    used,
    remaining: Math.max(0, hold.limit - used),
    resetSeconds: Math.max(1, (hold.until ?? sliding) - second),
    windowSeconds: hold.until === null ? windowSeconds : hold.until - hold.since,
  };
}
