/**
 * How large numbers may be. SQLite's integers have 64 bits and JavaScript's 53. A number between the two is
 * written without complaint, and then no driver can read the row.
 */

export const largestInteger = Number.MAX_SAFE_INTEGER;

/** Tokens that one request may ask for. No model has a thousandth of that room. */
export const mostTokensAsked = 1_000_000_000;
/** Tokens that a usage may have and be believed: ten times as many. */
export const mostTokensBelieved = 10 * mostTokensAsked;
/** Micro-USD of one provider call: a million USD. A larger sum only says that a figure is absurd. */
const mostMicroUsd = 1_000_000_000_000;

/** Rounds up, once, at the end of what is reckoned for a provider call; null: the sum is no number. */
export const wholeMicroUsd = (microUsd: number): number | null =>
  // Prices carry at most six decimals; rounding there first keeps 0.1 + 0.2 from costing a micro-USD.
  Number.isNaN(microUsd)
    ? null
    : Math.min(mostMicroUsd, Math.ceil(Math.round(microUsd * 1e6) / 1e6));

/** The nearest number that every driver gives back; null: the value is no number. */
export const asReadable = (value: number): number | null =>
  Number.isNaN(value) ? null : Math.max(-largestInteger, Math.min(largestInteger, value));
