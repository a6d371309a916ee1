/**
 * Which endpoints answered a moment ago, so that a connection to them most likely stands. Whose request was answered says
 * nothing of that, so tenants share it.
 */

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
  const answeredAt = new Map<string, number>();
  return (endpoint) => ({
    isRecent: () => deps.now() - (answeredAt.get(endpoint) ?? -Infinity) < recentForMs,
    answered() {
      answeredAt.delete(endpoint);
      answeredAt.set(endpoint, deps.now());
      const [oldest] = answeredAt.keys();
      if (answeredAt.size > deps.capacity && oldest !== undefined) answeredAt.delete(oldest);
    },
    failed: () => void answeredAt.delete(endpoint),
  });
}
