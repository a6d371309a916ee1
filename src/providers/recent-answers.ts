/** Which credentials' endpoints answered a moment ago, so that a connection to them most likely stands. */

/** ms */
const recentForMs = 1_000;

/** What is remembered of one credential's endpoint. */
export interface RecentAnswer {
  /** Whether it answered within the last second, and no request to it has failed since. */
  isRecent(): boolean;
  answered(): void;
  failed(): void;
}

export type RecentAnswers = (credentialId: string) => RecentAnswer;

/** @param deps.capacity credentials; beyond it the one whose answer is oldest is forgotten */
export function createRecentAnswers(deps: { now: () => number; capacity: number }): RecentAnswers {
  const answeredAt = new Map<string, number>();
  return (id) => ({
    isRecent: () => deps.now() - (answeredAt.get(id) ?? -Infinity) < recentForMs,
    answered() {
      answeredAt.delete(id);
      answeredAt.set(id, deps.now());
      const [oldest] = answeredAt.keys();
      if (answeredAt.size > deps.capacity && oldest !== undefined) answeredAt.delete(oldest);
    },
    failed: () => void answeredAt.delete(id),
  });
}
