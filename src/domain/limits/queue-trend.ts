/**
 * Whether one tenant's queue of new calls grows faster than it is served. Long waits alone don't show that: a cold start is slow
 * until its code is compiled, and then clears the queue. Pure: the caller passes the time.
 */

/** ms; growth has to continue for two windows */
const windowMs = 1_000;

export interface QueueTrend {
  /** `length` calls wait now. */
  note(length: number, now: number): void;
  /** A call left the queue for its slot. */
  served(waitedMs: number, now: number): void;
  isGrowing(now: number): boolean;
}

/** @param longestWaitMs a queue whose calls wait no longer than this isn't growing */
export function createQueueTrend(longestWaitMs: number): QueueTrend {
  let length = 0;
  let servedAt = 0;
  let windowBegan = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let shortestBefore = Number.POSITIVE_INFINITY;
  let windowsOfGrowth = 0;
  /** the shortest wait that ended in this window */
  let leastWaitMs = Number.POSITIVE_INFINITY;
  let isGrowing = false;

  const endWindow = (now: number): void => {
    windowsOfGrowth = shortest > shortestBefore ? windowsOfGrowth + 1 : 0;
    if (windowsOfGrowth >= 2 && leastWaitMs > longestWaitMs) isGrowing = true;
    shortestBefore = shortest;
    shortest = length;
    leastWaitMs = Number.POSITIVE_INFINITY;
    windowBegan = now;
  };

  const restart = (now: number): void => {
    servedAt = now;
    windowBegan = now;
    shortest = 0;
    shortestBefore = Number.POSITIVE_INFINITY;
    windowsOfGrowth = 0;
    leastWaitMs = Number.POSITIVE_INFINITY;
    isGrowing = false;
  };

  return {
    note(next, now) {
      if (length === 0) restart(now);
      else if (now - windowBegan >= windowMs) endWindow(now);
      length = next;
      shortest = Math.min(shortest, next);
    },
    served(waitedMs, now) {
      servedAt = now;
      leastWaitMs = Math.min(leastWaitMs, waitedMs);
      if (waitedMs <= longestWaitMs) isGrowing = false;
    },
    // Also where nothing is served any more: a database that hangs.
    isGrowing: (now) => length > 0 && (isGrowing || now - servedAt > 2 * longestWaitMs),
  };
}

/** ms within which a retry is suggested, at least and at most */
const leastRetryMs = 100;
const mostRetryMs = 30_000;
const halfMs = 5_000;

/** How long calls waited lately. */
export function createRecentWaits() {
  let began = 0;
  let longest = 0;
  let longestBefore = 0;
  const roll = (now: number): void => {
    if (now - began < halfMs) return;
    longestBefore = now - began < 2 * halfMs ? longest : 0;
    longest = 0;
    began = now;
  };
  return {
    note(waitedMs: number, now: number): void {
      roll(now);
      longest = Math.max(longest, waitedMs);
    },
    /** ms after which a refused call may try again: no longer than any wait that ended in the last 10 s */
    retryAfterMs(now: number): number {
      roll(now);
      const waitedMs = Math.ceil(Math.max(longest, longestBefore));
      return Math.min(mostRetryMs, Math.max(leastRetryMs, waitedMs));
    },
  };
}
