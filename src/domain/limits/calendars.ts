import { calendarAt, type Calendar, type OffsetAt } from "../calendar.ts";

export function createCalendar(offsetAt: OffsetAt): (now: number) => Calendar {
  let last: Calendar | null = null;
  return (now) => {
    const second = Math.floor(now / 1_000);
    if (last === null || second < last.day.from || second >= last.day.until)
      last = calendarAt(second, offsetAt);
    return last;
  };
}
