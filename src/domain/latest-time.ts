/** The last JavaScript date, in ms since the epoch (ECMA-262, section 21.4.1.1). */
export const latestTime = 8.64e15;
