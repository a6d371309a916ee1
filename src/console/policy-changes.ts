import { sentenceOf } from "../domain/alert-messages.ts";
import type { Alert } from "../domain/alerts.ts";
import { tamperingTexts } from "../domain/audit/tampering-messages.ts";
import { isObject } from "../domain/json.ts";
import type { Schemas } from "./api.ts";
import { capitalized, duration, time, usd, wordsOf } from "./format.ts";
import { limitTitleOf } from "./limit-titles.ts";
import { kinds, stopsOf } from "./switches.ts";

/** Changed members of a policy. Events contain the whole policy, so the previous event has the old one. */
export type PolicyEvent = Pick<Schemas["AdminEvent"], "action" | "target" | "detail">;

type MemberChange = { member: string; before: unknown; after: unknown };
type Members = Readonly<Record<string, unknown>>;

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const changedMembers = (before: Members, after: Members): MemberChange[] =>
  Object.keys({ ...before, ...after })
    .map((member) => ({ member, before: before[member], after: after[member] }))
    .filter((change) => !isSame(change.before, change.after));

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
  return older === undefined ? null : changedMembers(older.detail, detail);
}

const titles: Readonly<Record<string, string>> = {
  perUser: "Each person",
  limits: "Whole tenant",
  capture: "Captured content",
  userNames: "Names of people",
  retentionDays: "Record retention (days)",
  maxTokens: "Maximum tokens per answer",
  stage: "Decided",
  url: "Address",
  baseUrl: "Base URL",
};

const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mode: {
    auto: "not needed",
    request: "of the request",
    result: "of the result",
    both: "of the request and the result",
  },
  onTimeout: { deny: "denied if undecided", approve: "approved if undecided" },
  approvers: { others: "only by others", self: "people may approve their own calls" },
  capture: { none: "off", full: "requests and results" },
  userNames: { none: "not stored", keep: "stored" },
  stage: { request: "the request", result: "the result" },
};
const phrases: Readonly<Record<string, (value: string) => string>> = {
  costUsdAbove: (value) => `above ${usd(Number(value))}`,
  tools: (tools) => `tool ${tools}`,
  servers: (servers) => `server ${servers}`,
  models: (models) => `model ${models}`,
  timeoutSeconds: (seconds) => `${duration(Number(seconds) * 1_000)} to decide`,
  until: (ms) => `until ${time(Number(ms))}`,
  limits: (each) => each,
  receivers: (each) => each,
  subject: (id) => `for ${id}`,
  by: (name) => `by ${name}`,
  webhookUrl: (url) => `webhook ${url}`,
  thresholds: (shares) => `at ${shares} %`,
};

function memberText([name, value]: [string, unknown]): string {
  const title = limitTitleOf(name);
  if (name === "when" && isObject(value))
    return `if ${Object.entries(value).map(memberText).join(" or ")}`;
  const text = JSON.stringify(value) === "{}" ? "unlimited" : valueText(value);
  const phrase = values[name]?.[text] ?? phrases[name]?.(text);
  if (title === undefined) return phrase ?? `${wordsOf(name)}: ${text}`;
  const unit = title.startsWith("USD") ? title : title.toLowerCase();
  return `${text} ${unit.replace(/ per (?!run)/, " a ")}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return "not set";
  if (Array.isArray(value)) return value.map(valueText).join(", ") || "none";
  if (isObject(value)) return Object.entries(value).map(memberText).join(", ") || "none";
  return `${value as string | number | boolean | null}`.replace(
    /^(?:user:)?[a-z]+_\w{20,}(?=\w{6}$)/,
    "…",
  );
}

function topText(member: string, value: unknown): string {
  if (member !== "stopped") return values[member]?.[String(value)] ?? valueText(value);
  return switchesIn(value).join(", ") || "none";
}

/** @param stopped a policy's, or the reason in a ceiling */
function switchesIn(stopped: unknown = {}): string[] {
  const stops = isObject(stopped)
    ? stopsOf({ policy: { stopped }, stoppedByOperator: null })
    : stopsOf({ policy: {}, stoppedByOperator: String(stopped) });
  return stops.map(({ kind, name, why }) => `${`${kinds[kind]} ${name}`.trim()}, reason: ${why}`);
}

function switched({ before, after }: MemberChange): string[] {
  const [old, now] = [switchesIn(before), switchesIn(after)];
  const lifted = old.filter((each) => !now.includes(each)).map((each) => `Lifted: ${each}`);
  return [
    ...lifted,
    ...now.filter((each) => !old.includes(each)).map((each) => `Stopped: ${each}`),
  ];
}

/** What was done, if nothing else was changed than kill switches. */
export function switchAction(changes: readonly MemberChange[] | null): string | undefined {
  const [change, another] = changes ?? [];
  if (change?.member !== "stopped" || another !== undefined) return undefined;
  const [text = "", more] = switched(change);
  if (more) return "changed kill switches";
  return text.startsWith("Lifted") ? "lifted a kill switch" : "turned on a kill switch";
}

export const memberTitle = (member: string): string =>
  titles[member] ?? capitalized(wordsOf(member));

/** SHA-256 as hex or base64url */
const isHash = (value: unknown): boolean =>
  typeof value === "string" && /^([0-9a-f]{64}|[\w-]{43})$/.test(value);

/** An event's detail, in words, without hashes and the target's name. */
export const detailTexts = (
  { action, target, detail }: PolicyEvent,
  names: Readonly<Record<string, string>>,
): string[] => {
  if (action === "audit.tampered" || action === "row.rejected") return tamperingTexts(detail);
  const named = (id: string): string => names[id] ?? `…${id.slice(-6)}`;
  const alert = detail as unknown as Alert;
  if (action === "alert.raised")
    return [sentenceOf(alert, named(alert.subject.replace(/^\w+:/, "")))];
  return Object.entries(detail)
    .filter(([, value]) => value !== null && !isHash(value) && value !== names[target])
    .map(([member, value]) => {
      const isTime = member.endsWith("At") && typeof value === "number";
      const isId = typeof value === "string" && /^[a-z]+_.{26}/.test(value);
      const text = isTime ? time(value) : isId ? named(value) : topText(member, value);
      const isOfOne = member === "limits" && !/^(policy|ceiling)\./.test(action);
      const title = isOfOne ? "Limits" : memberTitle(member.replace(/Id$/, ""));
      return `${title}: ${text}`;
    });
};

/** What is set of some members, for example "Each person: 5 USD a day. Runs: 2 USD per run" */
export function membersText(policy: Members, members: readonly string[]): string {
  const set = members.filter((member) => policy[member] !== undefined);
  const [first = ""] = members;
  if (members.length === 1 || set.length === 0) return topText(first, policy[first]);
  return set
    .map((member) => `${memberTitle(member)}: ${topText(member, policy[member])}`)
    .join(". ");
}

/** Without members that are the same in the other one. */
const differing = (one: unknown, other: unknown): unknown =>
  isObject(one) && isObject(other)
    ? Object.fromEntries(Object.entries(one).filter(([name, its]) => !isSame(its, other[name])))
    : one;

/** In words, for example "Each person: 3 USD a day → 5 USD a day" */
export function changeText(change: MemberChange): string {
  const { member, before, after } = change;
  if (member === "stopped") return switched(change).join("; ");
  const now = topText(member, differing(after, before));
  const old = before === undefined ? "" : `${topText(member, differing(before, after))} → `;
  return `${memberTitle(member)}: ${old}${now}`;
}
