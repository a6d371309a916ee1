/** Calendars of time zones. `Intl` knows all zones in every runtime. */
import type { Calendar, OffsetAt } from "../../domain/calendar.ts";
import { createCalendar } from "../../domain/limits/calendars.ts";
import { memoizedByText } from "../../domain/memoized.ts";

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });

export function isTimeZone(name: string): boolean {
  // Some runtimes accept offsets such as "+02:00".
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** `GMT`, `GMT+05:30`, or with seconds for historical times. */
const offsetText = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function offsetsOf(timeZone: string): OffsetAt {
  const format = formatOf(timeZone);
  return (seconds) => {
    const [, sign, hours, minutes, rest] = offsetText.exec(format.format(seconds * 1_000)) ?? [];
    const ahead = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(rest ?? 0);
    return sign === "-" ? -ahead : ahead;
  };
}

const utc = "UTC";
const calendarIn = memoizedByText((timeZone: string) =>
  createCalendar(timeZone === utc || !isTimeZone(timeZone) ? () => 0 : offsetsOf(timeZone)),
);

/** @param timeZone defaults to UTC. @param now ms since the epoch */
export const calendarOf = (timeZone: string | undefined, now: number): Calendar =>
  calendarIn(timeZone ?? utc)(now);
