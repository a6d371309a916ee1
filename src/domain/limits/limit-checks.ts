/** Turns a policy and a reservation into limit checks. Stores only sum, compare and add. */
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

/** A call counts against each subject that it belongs to. */
export const limitScopes = ["tenant", "key", "server", "user", "group", "tag", "run"] as const;
export type LimitScope = (typeof limitScopes)[number];

export const maxNodes = 16;

export interface BeginningRun {
  subject: string;
  /** s since the epoch; usage in this bucket or a later one means that the run has already begun */
  since: number;
}

export interface LimitCheck {
  scope: LimitScope;
  /** id of the tenant, key or server; for other scopes, see `subjectOf` */
  subject: string;
  resource: Resource;
  since: number;
  bucket: number;
  /** s; the window starts after the last gap in usage longer than this; absent: at `since` */
  pause?: number;
  /** counts a run only if the call starts it */
  begins?: BeginningRun;
  /** end of the window, s since the epoch; `endOfTime`: never; null: sliding window */
  until: number | null;
  limit: number;
  amount: number;
  ceiling?: true;
}

export interface LimitState {
  name: string;
  limit: number;
  /** used or reserved; may exceed the limit if a call cost more than reserved */
  used: number;
  remaining: number;
  /** s until the window ends; for a sliding window, upper bound until its oldest usage expires */
  resetSeconds: number;
  windowSeconds: number;
}

export const windowSeconds = 60;

export const longestWaitSeconds = windowSeconds + 1;

/** Clocks of other hosts may be a minute ahead; later buckets were written before a clock was set back. */
export const lastBucketOf = ({ bucket, until }: Pick<LimitCheck, "bucket" | "until">): number =>
  until === null ? bucket + windowSeconds : until - 1;

/** Retry delay for concurrency refusals: a call may have ended by then. */
export const concurrencyRetryMs = 1_000;

export const nameOfLimit = (check: Pick<LimitCheck, "scope" | "resource" | "ceiling">): string =>
  `${check.ceiling === true ? "ceiling" : check.scope}.${limitNameOf(check.resource)}`;

const namedScopes: ReadonlySet<string> = new Set(["ceiling", ...limitScopes]);

export function isLimitName(text: string): boolean {
  const [scope = "", limit = "", ...rest] = text.split(".");
  return namedScopes.has(scope) && /^\w+$/.test(limit) && rest.length === 0;
}

const microUsd = 1_000_000;

const countedAs = (resource: Resource, limit: number): number =>
  isMoney(resource) ? Math.round(limit * microUsd) : limit;

export interface LimitedScope {
  scope: LimitScope;
  subject: string;
  limits: NodeLimits;
  fromCeiling?: ReadonlySet<keyof NodeLimits>;
  /** of a key: the subject of the call's run */
  run?: string;
}

/** Infinity: no limit. */
function smallestLimit(scopes: readonly LimitedScope[], among: readonly Resource[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const { limits } of scopes)
    for (const resource of among)
      smallest = Math.min(smallest, limits[limitNameOf(resource)] ?? smallest);
  return smallest;
}

/** micro-USD; null: no budget. */
export function smallestBudget(scopes: readonly LimitedScope[]): number | null {
  const smallest = smallestLimit(scopes, moneyResources);
  return smallest === Number.POSITIVE_INFINITY ? null : countedAs("usd_day", smallest);
}

export const callBoundsOf = (scopes: readonly LimitedScope[]): CallBounds => ({
  tokens: smallestLimit(scopes, tokenResources),
  microUsd: smallestBudget(scopes) ?? Number.POSITIVE_INFINITY,
});

const beginsAt = (subject: string, second: number): BeginningRun => ({
  subject,
  since: runBucketOf(second) - longestPauseSeconds,
});

function checksOfScope(
  { scope, subject, limits, fromCeiling, run }: LimitedScope,
  input: { second: number; calendar: Calendar; amounts: Record<Measure, number> },
): LimitCheck[] {
  const { second, calendar, amounts } = input;
  const checks: LimitCheck[] = [];
  for (const resource of resources) {
    const limit = limits[limitNameOf(resource)];
    if (limit === undefined) continue;
    const window = windowOf(resource, { second, calendar });
    checks.push({
      scope,
      subject,
      resource,
      since: window?.from ?? second - windowSeconds,
      bucket: window?.bucket ?? second,
      ...(window?.pause !== undefined && { pause: window.pause }),
      ...(measureOf(resource) === "runs" && run !== undefined && { begins: beginsAt(run, second) }),
      until: window?.until ?? null,
      limit: countedAs(resource, limit),
      amount: amounts[measureOf(resource)],
      ...(fromCeiling?.has(limitNameOf(resource)) === true && { ceiling: true }),
    });
  }
  return checks;
}

/** A sliding minute sums 61 one-second buckets, so that no 60 s exceed the limit. */
export function limitChecksOf(input: {
  now: number;
  scopes: readonly LimitedScope[];
  tokens: number;
  microUsd: number;
  calendar?: Calendar;
}): LimitCheck[] {
  const second = Math.floor(input.now / 1_000);
  const { calendar = calendarAt(second) } = input;
  const amounts = { requests: 1, tokens: input.tokens, calls: 1, runs: 1, usd: input.microUsd };
  return input.scopes.flatMap((each) => checksOfScope(each, { second, calendar, amounts }));
}

export function stateOf(
  check: LimitCheck,
  { used, oldest, now }: { used: number; oldest: number | null; now: number },
): LimitState {
  const second = Math.floor(now / 1_000);
  const sliding =
    check.resource === "concurrent"
      ? second + 1
      : Math.min(oldest ?? second, second) + longestWaitSeconds;
  return {
    name: nameOfLimit(check),
    limit: check.limit,
    used,
    remaining: Math.max(0, check.limit - used),
    resetSeconds: Math.max(1, (check.until ?? sliding) - second),
    windowSeconds: check.until === null ? windowSeconds : check.until - check.since,
  };
}
