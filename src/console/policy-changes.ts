/** Changed members of a policy. Events contain the whole policy, so the previous event has the old one. */
export interface PolicyEvent {
  action: string;
  target: string;
  detail: Readonly<Record<string, unknown>>;
}

export interface MemberChange {
  member: string;
  before: string | null;
  after: string | null;
}

const textOf = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/**
 * @param events newest first
 * @returns `null` if the events lack the policy change before
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
