/**
 * What a clock is believed. Times of day are the hosts' own: two may differ, and each may be set back. What was
 * written by a clock that was far ahead must neither hold for as long as the clock was ahead, nor count for ever.
 */

/** ms that clocks may be apart and count as one. A time further ahead was written before a clock was set back. */
export const clockSlackMs = 60_000;

/**
 * ms that have passed since any moment, for durations: never fewer than before, whatever `read` says. Where
 * the host's own clock of durations is its time of day (the Workers runtime), a jump back counts as no time.
 */
export function createElapsed(read: () => number): () => number {
  let [last, behind] = [read(), 0];
  return () => {
    const at = read();
    if (at < last) behind += last - at;
    last = at;
    return at + behind;
  };
}
