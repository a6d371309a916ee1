/** Calendar windows in UTC, from seconds since the epoch: the domain has no clock and no `Date`. */

export interface Window {
  /** s since the epoch, inclusive */
  from: number;
  /** s since the epoch, exclusive */
  until: number;
}

const daySeconds = 86_400;

/** Days since the epoch of the first of a month; months count from 0 and may lie beyond a year. */
function firstOfMonth(year: number, month: number): number {
  // Years begin in March, so that the leap day is a year's last (Hinnant, "days_from_civil").
  const shifted = year * 12 + month - 2;
  const marchYear = Math.floor(shifted / 12);
  const marchMonth = shifted - marchYear * 12;
  const leaps =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leaps + Math.floor((153 * marchMonth + 2) / 5) - 719_468;
}

/** Months since year 0 in which a day, counted from the epoch, lies. */
function monthOf(day: number): number {
  // Never too late by more than one: an average month is 30.436875 days.
  let month = 1970 * 12 + Math.floor(day / 30.436875) + 1;
  while (firstOfMonth(0, month) > day) month -= 1;
  return month;
}

export function dayOf(seconds: number): Window {
  const from = Math.floor(seconds / daySeconds) * daySeconds;
  return { from, until: from + daySeconds };
}

export function calendarMonthOf(seconds: number): Window {
  const month = monthOf(Math.floor(seconds / daySeconds));
  return {
    from: firstOfMonth(0, month) * daySeconds,
    until: firstOfMonth(0, month + 1) * daySeconds,
  };
}
