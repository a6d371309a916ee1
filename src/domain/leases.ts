/** How long a call may hold what it holds while nothing is heard of it. */
import { clockSlackMs } from "./clocks.ts";

/** ms: no policy gives a call more. */
export const longestDeadlineMs = 90_000;
/** ms by which a lease outlives the longest call: its deadline and its settlement. */
export const leaseSlackMs = 30_000;
export const longestLeaseMs = longestDeadlineMs + leaseSlackMs;

/** ms since the epoch: a lease that ends later was written before a clock was set back, and holds nothing. */
export const latestLeaseEnd = (now: number): number => now + longestLeaseMs + clockSlackMs;
