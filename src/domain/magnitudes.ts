/**
 * How large numbers may be. SQLite's integers have 64 bits and JavaScript's 53: what lies between is written
 * without complaint, and then no driver reads the row any more.
 */

export const largestInteger = Number.MAX_SAFE_INTEGER;

/** Tokens that one request may ask for: no model has a thousandth of it. */
export const mostTokensAsked = 1_000_000_000;
/** Tokens that any usage is believed: ten times that. */
export const mostTokensBelieved = 10 * mostTokensAsked;
/** Micro-USD of one provider call: a million USD. What is reckoned beyond it says only that it is absurd. */
const mostMicroUsd = 1_000_000_000_000;

/** Rounded up, once, at the end of what is reckoned of a provider call; null: it can't be reckoned. */
export const wholeMicroUsd = (microUsd: number): number | null =>
  // Prices carry at most six decimals; rounding there first keeps 0.1 + 0.2 from costing a micro-USD.
  Number.isNaN(microUsd)
    ? null
    : Math.min(mostMicroUsd, Math.ceil(Math.round(microUsd * 1e6) / 1e6));

/** The nearest number that every driver gives back; null for none at all. */
export const asReadable = (value: number): number | null =>
  Number.isNaN(value) ? null : Math.max(-largestInteger, Math.min(largestInteger, value));
