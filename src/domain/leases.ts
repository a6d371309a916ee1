import { clockSlackMs } from "./clocks.ts";

export const longestDeadlineMs = 90_000;
/** ms that a lease outlives the longest call, for settlement. */
export const leaseSlackMs = 30_000;
export const longestLeaseMs = longestDeadlineMs + leaseSlackMs;

/** A longer call has to renew its lease. */
export const leaseMsFor = (deadlineMs: number): number =>
  Math.min(longestLeaseMs, deadlineMs + leaseSlackMs);

/** ms since the epoch. A later lease was written before a clock was set back, and is void. */
export const latestLeaseEnd = (now: number): number => now + longestLeaseMs + clockSlackMs;

/** ms that a stream takes at most, with the lease that it leaves behind. */
export const longestStreamMs = 3_600_000;
export const longestCallMs = longestStreamMs + longestLeaseMs;
