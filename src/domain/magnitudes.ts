/** Bounds of numbers. SQLite stores 64-bit integers, but no driver can read back one above 2^53. */

export const largestInteger = Number.MAX_SAFE_INTEGER;

export const maxRequestTokens = 1_000_000_000;
export const maxPlausibleTokens = 10 * maxRequestTokens;
const maxMicroUsd = 1_000_000_000_000;

export const wholeMicroUsd = (microUsd: number): number | null =>
  // Prices have at most six decimals; rounding there first keeps 0.1 + 0.2 from costing a micro-USD.
  Number.isNaN(microUsd)
    ? null
    : Math.min(maxMicroUsd, Math.ceil(Math.round(microUsd * 1e6) / 1e6));

export const asReadable = (value: number): number | null =>
  Number.isNaN(value) ? null : Math.max(-largestInteger, Math.min(largestInteger, value));
