/**
 * Which endpoints answered a moment ago, so that a connection to them most likely stands. Whose request was answered says
 * nothing of that, so tenants share it.
 */
import { createBoundedMap } from "../domain/bounded-map.ts";

/** ms */
const recentForMs = 1_000;

/** What is remembered of one endpoint. */
export interface RecentAnswer {
  /** Whether it answered within the last second, and no request to it has failed since. */
  isRecent(): boolean;
  answered(): void;
  failed(): void;
}

export type RecentAnswers = (endpoint: string) => RecentAnswer;

/** @param deps.capacity endpoints; beyond it the one whose answer is oldest is forgotten */
export function createRecentAnswers(deps: { now: () => number; capacity: number }): RecentAnswers {
  const answeredAt = createBoundedMap<string, number>(deps.capacity);
  return (endpoint) => ({
    isRecent: () => deps.now() - (answeredAt.get(endpoint) ?? -Infinity) < recentForMs,
    answered: () => answeredAt.set(endpoint, deps.now()),
    failed: () => void answeredAt.delete(endpoint),
  });
}
