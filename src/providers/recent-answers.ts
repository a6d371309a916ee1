/** Endpoints that answered recently, so that a connection most likely exists. Shared by tenants. */
import { createBoundedMap } from "../domain/bounded-map.ts";

/** ms */
const recentForMs = 1_000;

export interface RecentAnswer {
  /** An answer within the last second and no failed request since. */
  isRecent(): boolean;
  answered(): void;
  failed(): void;
}

export type RecentAnswers = (endpoint: string) => RecentAnswer;

/** @param deps.capacity endpoints; the oldest answer is dropped */
export function createRecentAnswers(deps: { now: () => number; capacity: number }): RecentAnswers {
  const answeredAt = createBoundedMap<string, number>(deps.capacity);
  return (endpoint) => ({
    isRecent: () => deps.now() - (answeredAt.get(endpoint) ?? -Infinity) < recentForMs,
    answered: () => answeredAt.set(endpoint, deps.now()),
    failed: () => void answeredAt.delete(endpoint),
  });
}
