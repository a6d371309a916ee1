/** ms since the epoch of the last moment that JavaScript has a date for. Source: ECMA-262, section 21.4.1.1. */
export const latestTime = 8.64e15;
