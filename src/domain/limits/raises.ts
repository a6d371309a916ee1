/** Temporary limit raises. Admission compares times, so no job has to end a raise. */
import type { Limits, Raise } from "../choice/policy.ts";

const namesIn = (limits: Limits): (keyof Limits)[] => Object.keys(limits) as (keyof Limits)[];

const isInForce = ({ until }: Raise, now: number): boolean => until > now;

/** The larger of limit and raise, so a raise never narrows or introduces a limit. @param now ms since the epoch */
export function raisedLimits<L extends Limits>(
  limits: L,
  { subject, raises, now }: { subject: string; raises: readonly Raise[] | undefined; now: number },
): L {
  const larger: Limits = {};
  for (const raise of raises ?? []) {
    if (raise.subject !== subject || !isInForce(raise, now)) continue;
    for (const name of namesIn(raise.limits)) {
      const before = larger[name] ?? limits[name];
      const limit = raise.limits[name];
      if (before !== undefined && limit !== undefined && limit > before) larger[name] = limit;
    }
  }
  return { ...limits, ...larger };
}

/** @param now ms since the epoch @returns ms since the epoch; null: no raise exceeds the limit */
export function raisedUntil(
  limits: Limits,
  name: keyof Limits,
  { subject, raises, now }: { subject: string; raises: readonly Raise[] | undefined; now: number },
): number | null {
  const raised = raisedLimits(limits, { subject, raises, now })[name];
  if (raised === limits[name]) return null;
  const ends = (raises ?? [])
    .filter((raise) => raise.subject === subject && isInForce(raise, now))
    .filter((raise) => raise.limits[name] === raised)
    .map(({ until }) => until);
  return Math.max(...ends);
}

export const endOfRaises = (raises: readonly Raise[] | undefined, now: number): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...(raises ?? []).filter((raise) => isInForce(raise, now)).map(({ until }) => until),
  );
