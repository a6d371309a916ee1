/** Makes holds of a policy and a reservation. A store only sums, compares and adds holds. */
import { calendarAt, type Calendar } from "../calendar.ts";
import type { CallBounds } from "../choice/policy.ts";
import {
  isMoney,
  limitNameOf,
  longestPauseSeconds,
  measureOf,
  moneyResources,
  resources,
  runBucketOf,
  tokenResources,
  windowOf,
  type Measure,
  type NodeLimits,
  type Resource,
} from "./resources.ts";

/** Whose limits. One call is charged at every node that names it. */
export const limitScopes = ["tenant", "key", "server", "user", "group", "tag", "run"] as const;
export type LimitScope = (typeof limitScopes)[number];

/** Nodes that one call may be charged at. */
export const mostNodes = 16;

/** The run that a call names, which begins with the call unless it has made one before. */
export interface BeginningRun {
  /** of the run's node, whose calls are counted */
  subject: string;
  /** s since the epoch: a run that goes on has a call in this bucket or a later one */
  since: number;
}

/** The amount that one call asks for, of one limit. */
export interface Hold {
  scope: LimitScope;
  /** whose limit: the id of the tenant, the key or the server; of other nodes as `subjectOf` makes it */
  subject: string;
  resource: Resource;
  /** the first bucket that counts, in s since the epoch */
  since: number;
  /** the bucket that this hold is added to */
  bucket: number;
  /** s: the window begins after the last pause that was longer; absent: it begins at `since` */
  pause?: number;
  /** present: a run is counted if it begins with this call, and is nothing if it goes on */
  begins?: BeginningRun;
  /** s since the epoch, when the window ends, `endOfTime` if never; null: the window slides */
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

export const nameOfLimit = (hold: Pick<Hold, "scope" | "resource" | "ceiling">): string =>
  `${hold.ceiling === true ? "ceiling" : hold.scope}.${limitNameOf(hold.resource)}`;

const namedScopes: ReadonlySet<string> = new Set(["ceiling", ...limitScopes]);

/** Whether a text is one that `nameOfLimit` may have made. */
export function isLimitName(text: string): boolean {
  const [scope = "", limit = "", ...rest] = text.split(".");
  return namedScopes.has(scope) && /^\w+$/.test(limit) && rest.length === 0;
}

const microUsd = 1_000_000;

/** A limit in the unit in which it is counted. */
const countedAs = (resource: Resource, limit: number): number =>
  isMoney(resource) ? Math.round(limit * microUsd) : limit;

export interface LimitedScope {
  scope: LimitScope;
  subject: string;
  limits: NodeLimits;
  /** which limits are the operator's ceiling; absent: none */
  fromCeiling?: ReadonlySet<keyof NodeLimits>;
  /** of a key: the subject of the run that the call names */
  run?: string;
}

/** The smallest limit of money that applies, in micro-USD; null: none applies. */
export function smallestBudget(scopes: readonly LimitedScope[]): number | null {
  const budgets = scopes.flatMap(({ limits }) =>
    moneyResources.flatMap((resource) => limits[limitNameOf(resource)] ?? []),
  );
  return budgets.length === 0 ? null : countedAs("usd_day", Math.min(...budgets));
}

export const callBoundsOf = (scopes: readonly LimitedScope[]): CallBounds => ({
  tokens: Math.min(
    Number.POSITIVE_INFINITY,
    ...scopes.flatMap(({ limits }) =>
      tokenResources.flatMap((resource) => limits[limitNameOf(resource)] ?? []),
    ),
  ),
  microUsd: smallestBudget(scopes) ?? Number.POSITIVE_INFINITY,
});

const beginsAt = (subject: string, second: number): BeginningRun => ({
  subject,
  since: runBucketOf(second) - longestPauseSeconds,
});

/** The holds of one node, one for each of its limits. */
function holdsOfScope(
  { scope, subject, limits, fromCeiling, run }: LimitedScope,
  input: { second: number; calendar: Calendar; amounts: Record<Measure, number> },
): Hold[] {
  const { second, calendar, amounts } = input;
  return resources.flatMap((resource): Hold[] => {
    const limit = limits[limitNameOf(resource)];
    if (limit === undefined) return [];
    const window = windowOf(resource, { second, calendar });
    return [
      {
        scope,
        subject,
        resource,
        since: window?.from ?? second - windowSeconds,
        bucket: window?.bucket ?? second,
        ...(window?.pause !== undefined && { pause: window.pause }),
        ...(measureOf(resource) === "runs" &&
          run !== undefined && { begins: beginsAt(run, second) }),
        until: window?.until ?? null,
        limit: countedAs(resource, limit),
        amount: amounts[measureOf(resource)],
        ...(fromCeiling?.has(limitNameOf(resource)) === true && { ceiling: true }),
      },
    ];
  });
}

/**
 * Minutes: one-second buckets over the last minute. The current second and the whole second 60 s ago both count, so no
 * minute ever holds more than the limit, at the price of a second's delay at most. Days, weeks and months: one bucket
 * each.
 */
export function holdsOf(input: {
  /** ms since the epoch */
  now: number;
  scopes: readonly LimitedScope[];
  tokens: number;
  microUsd: number;
  /** the tenant's days, weeks and months; absent: those of UTC */
  calendar?: Calendar;
}): Hold[] {
  const second = Math.floor(input.now / 1_000);
  const { calendar = calendarAt(second) } = input;
  const amounts = { requests: 1, tokens: input.tokens, calls: 1, runs: 1, usd: input.microUsd };
  return input.scopes.flatMap((each) => holdsOfScope(each, { second, calendar, amounts }));
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
