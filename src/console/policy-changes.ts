import { time } from "./format.ts";
import { limitTitles, type LimitName } from "./limit-titles.ts";

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
  if (action !== "policy.replace" && action !== "ceiling.replace") return null;
  const older = events
    .slice(events.indexOf(event) + 1)
    .find((each) => each.action === action && each.target === target);
  if (older === undefined) return null;
  return changedMembers(older.detail, detail);
}

const titles: Readonly<Record<string, string>> = { perUser: "Each person", limits: "Whole tenant" };

/** `deniedModels` → `denied models` */
const spacedName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

function memberText([name, value]: [string, unknown]): string {
  const title = limitTitles[name as LimitName];
  if (title === undefined || isObject(value)) return `${spacedName(name)}: ${valueText(value)}`;
  const unit = title.startsWith("USD") ? title : title.toLowerCase();
  return `${String(value)} ${unit.replace(" per ", " a ")}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ") || "none";
  if (isObject(value)) return Object.entries(value).map(memberText).join(", ") || "none";
  return String(value);
}

export const memberTitle = (member: string): string =>
  titles[member] ?? spacedName(member).replace(/^./, (one) => one.toUpperCase());

/** An event's detail, in words, without hashes and the target's name. */
export const detailTexts = (
  { target, detail }: PolicyEvent,
  names: Readonly<Record<string, string>>,
): string[] =>
  Object.entries(detail)
    .filter(
      ([member, value]) => value !== null && !member.endsWith("Hash") && value !== names[target],
    )
    .map(([member, value]) => {
      const isTime = member.endsWith("At") && typeof value === "number";
      const id = typeof value === "string" && /^[a-z]+_.{26}/.test(value) ? value : null;
      const name = id === null ? null : (names[id] ?? `…${id.slice(-6)}`);
      return `${memberTitle(member.replace(/Id$/, ""))}: ${isTime ? time(value) : (name ?? valueText(value))}`;
    });

/** In words, for example "Each person: 5 USD a day, before: 3 USD a day" */
export function changeText({ member, before, after }: MemberChange): string {
  const [old, now] = [before, after].map((json) =>
    json === null ? "not set" : valueText(JSON.parse(json)),
  );
  return `${memberTitle(member)}: ${now}${before === null ? "" : `, before: ${old}`}`;
}
