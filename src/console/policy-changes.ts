/** What a change of a policy changed. Its event has the whole policy; the event of the change before has the older one. */
export interface PolicyEvent {
  action: string;
  target: string;
  detail: Readonly<Record<string, unknown>>;
}

export interface MemberChange {
  member: string;
  /** as JSON; null: the policy had no such member, or has none any more */
  before: string | null;
  after: string | null;
}

const textOf = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/**
 * @param events newest first
 * @returns the members that differ; null: no change of a policy, or the policy before is in no event of these
 */
export function policyChanges(
  event: PolicyEvent,
  events: readonly PolicyEvent[],
): MemberChange[] | null {
  const { action, target, detail } = event;
  if (action !== "policy.replace") return null;
  const older = events
    .slice(events.indexOf(event) + 1)
    .find((each) => each.action === action && each.target === target);
  if (older === undefined) return null;
  const members = new Set([...Object.keys(older.detail), ...Object.keys(detail)]);
  return [...members]
    .map((member) => ({
      member,
      before: textOf(older.detail[member]),
      after: textOf(detail[member]),
    }))
    .filter(({ before, after }) => before !== after);
}
