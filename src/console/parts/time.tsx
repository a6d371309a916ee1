/** A moment in the reader's zone, with the whole of it on hover and for programs. */
import { dateOf, none, shortTime, time } from "../format.ts";

export const Time = ({ at }: { at: number | null | undefined }) =>
  at === null || at === undefined ? (
    <>{none}</>
  ) : (
    <time class="nowrap" dateTime={dateOf(at).toISOString()} title={time(at)}>
      {shortTime(at)}
    </time>
  );

/** For a CSV file: no spreadsheet mistakes it. */
export const isoOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : dateOf(at).toISOString();
