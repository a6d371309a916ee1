/**
 * How far clocks are believed. Times of day are the hosts' own: two hosts may differ, and each clock may be set
 * back. A time that was written by a clock far ahead must neither hold for as long as the clock was ahead, nor
 * count for ever.
 */

/** ms that clocks may be apart. A time further ahead was written before a clock was set back. */
export const clockSlackMs = 60_000;

/**
 * ms that have passed since some moment, for durations. The figure never falls, whatever `read` says. Where the
 * host's own clock of durations is its time of day (the Workers runtime), a jump back counts as no time.
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
