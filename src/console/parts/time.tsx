/** A time in the reader's zone, with full precision in the title. */
import { dateOf, none, shortTime, time } from "../format.ts";

interface TimeProps {
  at: number | null | undefined;
  show?: (ms: number) => string;
}

export const Time = ({ at, show = shortTime }: TimeProps) =>
  at === null || at === undefined ? (
    <>{none}</>
  ) : (
    <time class="nowrap" dateTime={dateOf(at).toISOString()} title={time(at)}>
      {show(at)}
    </time>
  );

/** Unambiguous in spreadsheets. */
export const isoOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : dateOf(at).toISOString();
