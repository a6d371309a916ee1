/** The calendar of a time zone, reckoned once a day. */
import { calendarAt, type Calendar, type OffsetAt } from "../calendar.ts";

/** @returns the windows in which a moment lies, in ms since the epoch */
export function createCalendar(offsetAt: OffsetAt): (now: number) => Calendar {
  let last: Calendar | null = null;
  return (now) => {
    const second = Math.floor(now / 1_000);
    if (last === null || second < last.day.from || second >= last.day.until)
      last = calendarAt(second, offsetAt);
    return last;
  };
}
