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

type Members = Readonly<Record<string, unknown>>;

export function changedMembers(before: Members, after: Members): MemberChange[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...members]
    .map((member) => ({ member, before: textOf(before[member]), after: textOf(after[member]) }))
    .filter((change) => change.before !== change.after);
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
  return changedMembers(older.detail, detail);
}
