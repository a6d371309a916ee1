import { latestTime } from "../domain/latest-time.ts";

/** `Intl` rejects some browser languages, such as `en-US@posix` in containers. */
function isTaken(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length >= 0;
  } catch {
    return false;
  }
}

export const language = isTaken(navigator.language) ? navigator.language : "en-US";

export const zone = new Intl.DateTimeFormat(language).resolvedOptions().timeZone;

export const none = "–";

const numbers = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options);
const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options);
/** @param max the most digits after the point */
const digits = (min: number, max = min) => ({
  minimumFractionDigits: min,
  maximumFractionDigits: max,
});

const whole = numbers(digits(0));
const short = numbers({ notation: "compact", maximumFractionDigits: 1 });
const small = numbers({ maximumSignificantDigits: 2 });
const share = numbers({ style: "percent", maximumFractionDigits: 1 });
const usdWith = (min: number, max = min) =>
  numbers({ style: "currency", currency: "USD", ...digits(min, max) });
const usdWhole = usdWith(2);
const usdBelowOne = usdWith(2, 4);
const usdSmall = usdWith(2, 6);

type Shown = (value: number | null | undefined) => string;
export const orNone =
  (shown: (value: number) => string): Shown =>
  (value) =>
    value === null || value === undefined ? none : shown(value);

export const count = orNone(whole.format);
/** `2 models` */
export const counted = (amount: number, noun: string): string =>
  `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`;
/** Keeps the first digits of fractions on scales of cents. */
export const compact = (value: number): string =>
  (value !== 0 && Math.abs(value) < 1 ? small : short).format(value);
/** Decimal: 1 GB is 10⁹ bytes. */
export function bytes(value: number): string {
  const [unit, scale] = value < 1e9 ? (["MB", 1e6] as const) : (["GB", 1e9] as const);
  return `${(value < scale ? small : short).format(value / scale)} ${unit}`;
}
export const percent = (value: number): string => share.format(value);
/** For columns: equal decimals align the digits. */
export const percentInColumn = numbers({ style: "percent", ...digits(1) }).format;
const inColumn = (min: number, max = min) => {
  const least = 10 ** -max;
  const { format } = usdWith(min, max);
  return orNone((value) => (value > 0 && value < least ? `<${format(least)}` : format(value)));
};
export const usdInCents = inColumn(2);
export const usdOfCall = inColumn(4);
/** Per million tokens, some of which cost less than a cent. */
export const usdOfPrice = inColumn(2, 4);

/** Small calls cost fractions of a cent. */
export const usd = orNone((value) => {
  const size = Math.abs(value);
  if (value === 0 || size >= 1) return usdWhole.format(value);
  return (size < 0.1 ? usdSmall : usdBelowOne).format(value);
});

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
export const oneDay = 24 * hour;

const tenths = numbers(digits(1));
const hundredths = numbers(digits(2));

export const duration = orNone((ms) => {
  if (ms < second) return `${whole.format(ms)} ms`;
  if (ms < minute) return `${(ms < 10 * second ? hundredths : tenths).format(ms / second)} s`;
  if (ms < hour) return `${Math.round(ms / minute)} min`;
  if (ms < 2 * oneDay) return `${Math.round(ms / hour)} h`;
  return `${Math.round(ms / oneDay)} d`;
});

const calendarDay = { month: "short", day: "numeric" } as const;
const clockTime = { hour: "numeric", minute: "2-digit" } as const;
const moment = dates({ dateStyle: "medium", timeStyle: "medium" });
const dayAndSecond = dates({ ...calendarDay, ...clockTime, second: "2-digit" });
const dayAndClock = dates({ ...calendarDay, hour: "2-digit", minute: "2-digit" });
const monthInUtc = dates({ month: "short", year: "numeric", timeZone: "UTC" });
const dayInUtc = dates({ dateStyle: "medium", timeZone: "UTC" });

/** Clamps invalid times of foreign rows, which would break a whole list. */
export const dateOf = (ms: number): Date => new Date(Math.min(ms, latestTime));
export const time = orNone((ms) => moment.format(dateOf(ms)));
const dayOfYear = dates({ dateStyle: "medium" });
/** Other years with the year. */
export const day = (ms: number, now = Date.now()): string =>
  (dateOf(ms).getFullYear() === new Date(now).getFullYear() ? dayHere : dayOfYear).format(
    dateOf(ms),
  );
/** Always with the day, for copying; other years with the year. */
export const shortTime = (ms: number, now = Date.now()): string =>
  dateOf(ms).getFullYear() === new Date(now).getFullYear() ? dayAndSecond.format(ms) : time(ms);
/** An hour in the reader's zone, or a day in UTC. */
export const bucketTime = (ms: number, bucket: "hour" | "day" | "month"): string =>
  ({ hour: dayAndClock, day: dayInUtc, month: monthInUtc })[bucket].format(ms);

const clock = dates(clockTime);
const dayHere = dates(calendarDay);
const shortDayInUtc = dates({ ...calendarDay, timeZone: "UTC" });

/** The first hour of each day shows the day. */
export function axisTimes(moments: readonly number[], bucket: "hour" | "day" | "month"): string[] {
  if (bucket === "month") return moments.map((at) => monthInUtc.format(at));
  if (bucket === "day") return moments.map((at) => shortDayInUtc.format(at));
  const days = moments.map((at) => dayHere.format(at));
  return moments.map((at, index) =>
    days[index] === days[index - 1] ? clock.format(at) : `${clock.format(at)}\n${days[index]}`,
  );
}

// The surrounding text is English.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
export function fromNow(ms: number, now = Date.now()): string {
  const away = ms - now;
  const size = Math.abs(away);
  if (size < minute) return relative.format(Math.round(away / second), "second");
  if (size < hour) return relative.format(Math.round(away / minute), "minute");
  if (size < 2 * oneDay) return relative.format(Math.round(away / hour), "hour");
  return relative.format(Math.round(away / oneDay), "day");
}

/** For a `datetime-local` field, in the reader's zone. */
export function localText(at: number | null): string {
  if (at === null) return "";
  const moved = dateOf(at - dateOf(at).getTimezoneOffset() * 60_000);
  return moved.toISOString().slice(0, 16);
}

/** From a `datetime-local` field, in the reader's zone. */
export const millisOf = (text: string): number | null =>
  text === "" ? null : new Date(text).getTime();

/** For a `date` field, in the reader's zone. */
export const dateText = (ms: number): string => localText(ms).slice(0, 10);
export const monthStart = (now: number): string => `${dateText(now).slice(0, 8)}01`;

/** `no_eligible_model` → `no eligible model` */
export const spaced = (name: string): string => name.replaceAll("_", " ");
/** `deniedModels` → `denied models`, but names of people’s own as they are */
export const wordsOf = (member: string): string =>
  /^[a-z]+([A-Z][a-z]+)+$/.test(member)
    ? member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    : member;
/** At most five, and how many more. */
export const few = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
export const capitalized = (text: string): string =>
  text.replace(/^./, (first) => first.toUpperCase());
