/** Counts in sentences that people read. */

/** Such as "1 seal" and "2 seals". `plural`: for a noun whose plural is not made by an "s". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
