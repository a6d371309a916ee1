/** Calendar windows. Times are in seconds since the epoch. */

export interface Window {
  /** inclusive */
  from: number;
  /** exclusive */
  until: number;
}

const daySeconds = 86_400;

function firstOfMonth(year: number, month: number): number {
  // Years start in March here, so that the leap day is the last day of a year (Hinnant, "days_from_civil").
  const shifted = year * 12 + month - 2;
  const marchYear = Math.floor(shifted / 12);
  const marchMonth = shifted - marchYear * 12;
  const leaps =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leaps + Math.floor((153 * marchMonth + 2) / 5) - 719_468;
}

function monthOf(day: number): number {
  // Too late by at most one month: an average month has 30.436875 days.
  let month = 1970 * 12 + Math.floor(day / 30.436875) + 1;
  while (firstOfMonth(0, month) > day) month -= 1;
  return month;
}

export function dayOf(seconds: number): Window {
  const from = Math.floor(seconds / daySeconds) * daySeconds;
  return { from, until: from + daySeconds };
}

export function isoDay(now: number): string {
  const day = Math.floor(now / (daySeconds * 1_000));
  const month = monthOf(day);
  const parts = [(month % 12) + 1, day - firstOfMonth(0, month) + 1];
  return [Math.floor(month / 12), ...parts].map((part) => String(part).padStart(2, "0")).join("-");
}

const padded = (part: number, length = 2): string => String(part).padStart(length, "0");

/** In UTC, for example `2026-11-26T17:00:00.000Z`. @param now ms since the epoch, an integer */
export function isoTime(now: number): string {
  const ms = now - Math.floor(now / (daySeconds * 1_000)) * daySeconds * 1_000;
  const clock = [3_600_000, 60_000, 1_000].map((unit, at) =>
    padded(Math.floor(ms / unit) % (at === 0 ? 24 : 60)),
  );
  return `${isoDay(now)}T${clock.join(":")}.${padded(ms % 1_000, 3)}Z`;
}

export interface Calendar {
  day: Window;
  /** starts on Monday (ISO 8601) */
  week: Window;
  month: Window;
}

/** @param timeZone absent: UTC. @param now ms since the epoch */
export type CalendarOf = (timeZone: string | undefined, now: number) => Calendar;

export type OffsetAt = (seconds: number) => number;

const utc: OffsetAt = () => 0;

/** If clocks skip midnight, the moment of the skip. If midnight comes twice, the first one on this day. */
function dayBegin(day: number, offsetAt: OffsetAt): number {
  const midnight = day * daySeconds;
  const offsets = [offsetAt(midnight - daySeconds), offsetAt(midnight + daySeconds)];
  const begins = offsets
    .map((offset) => midnight - offset)
    .filter((moment) => moment + offsetAt(moment) >= midnight);
  return Math.min(...begins);
}

export function calendarAt(seconds: number, offsetAt: OffsetAt = utc): Calendar {
  const today = Math.floor((seconds + offsetAt(seconds)) / daySeconds);
  const month = monthOf(today);
  // Day 0 was a Thursday.
  const monday = today - ((((today + 3) % 7) + 7) % 7);
  const window = (from: number, until: number): Window => ({
    from: dayBegin(from, offsetAt),
    until: dayBegin(until, offsetAt),
  });
  return {
    day: window(today, today + 1),
    week: window(monday, monday + 7),
    month: window(firstOfMonth(0, month), firstOfMonth(0, month + 1)),
  };
}
