/** A time in the reader's zone, with full precision in the title. */
import { dateOf, none, shortTime, time } from "../format.ts";

export const Time = ({ at }: { at: number | null | undefined }) =>
  at === null || at === undefined ? (
    <>{none}</>
  ) : (
    <time class="nowrap" dateTime={dateOf(at).toISOString()} title={time(at)}>
      {shortTime(at)}
    </time>
  );

/** Unambiguous in spreadsheets. */
export const isoOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : dateOf(at).toISOString();
