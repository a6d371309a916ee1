/** Detects queues that grow faster than they are served. Wait times alone can't: a cold start is slow, too. */

/** ms; growth must continue for two windows */
const windowMs = 1_000;

export interface QueueTrend {
  note(length: number, now: number): void;
  served(waitedMs: number, now: number): void;
  isGrowing(now: number): boolean;
}

export function createQueueTrend(longestWaitMs: number): QueueTrend {
  let length = 0;
  let servedAt = 0;
  let windowBegan = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let shortestBefore = Number.POSITIVE_INFINITY;
  let windowsOfGrowth = 0;
  let minWaitMs = Number.POSITIVE_INFINITY;
  let isGrowing = false;

  const endWindow = (now: number): void => {
    windowsOfGrowth = shortest > shortestBefore ? windowsOfGrowth + 1 : 0;
    if (windowsOfGrowth >= 2 && minWaitMs > longestWaitMs) isGrowing = true;
    shortestBefore = shortest;
    shortest = length;
    minWaitMs = Number.POSITIVE_INFINITY;
    windowBegan = now;
  };

  const restart = (now: number): void => {
    servedAt = now;
    windowBegan = now;
    shortest = 0;
    shortestBefore = Number.POSITIVE_INFINITY;
    windowsOfGrowth = 0;
    minWaitMs = Number.POSITIVE_INFINITY;
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
      minWaitMs = Math.min(minWaitMs, waitedMs);
      if (waitedMs <= longestWaitMs) isGrowing = false;
    },
    // Includes queues that are not served at all, for example if a database hangs.
    isGrowing: (now) => length > 0 && (isGrowing || now - servedAt > 2 * longestWaitMs),
  };
}

const minRetryMs = 100;
const maxRetryMs = 30_000;
const halfMs = 5_000;

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
    /** ms until a refused call may retry: at most the longest wait of the last 10 s */
    retryAfterMs(now: number): number {
      roll(now);
      const waitedMs = Math.ceil(Math.max(longest, longestBefore));
      return Math.min(maxRetryMs, Math.max(minRetryMs, waitedMs));
    },
  };
}
