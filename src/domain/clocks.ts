/** Hosts' clocks may differ or be set back, so a time far in the future must not block for ever. */

/** Tolerated skew in ms. */
export const clockSlackMs = 60_000;

/** A monotonic clock in ms. On Workers, the host's only clock is the time of day; a jump back counts as no time. */
export function createElapsed(read: () => number): () => number {
  let [last, behind] = [read(), 0];
  return () => {
    const at = read();
    if (at < last) behind += last - at;
    last = at;
    return at + behind;
  };
}
