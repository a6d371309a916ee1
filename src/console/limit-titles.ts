import { capitalized } from "./format.ts";

const units = { requests: "Requests", tokens: "Tokens", usd: "USD" } as const;
const periods = {
  PerMinute: "per minute",
  PerDay: "per day",
  PerWeek: "per week",
  PerMonth: "per month",
  Total: "in total",
} as const;
export type LimitName = `${keyof typeof units}${keyof typeof periods}` | "concurrent";

export const limitTitles = Object.fromEntries([
  ...Object.entries(units).flatMap(([unit, what]) =>
    Object.entries(periods).map(([period, when]) => [`${unit}${period}`, `${what} ${when}`]),
  ),
  ["concurrent", "Concurrent calls"],
]) as Record<LimitName, string>;

/** Limits that have no field of their own in a form. */
const furtherTitles: Readonly<Record<string, string>> = {
  ...limitTitles,
  callsPerRun: "Calls per run",
  usdPerRun: "USD per run",
  newRunsPerDay: "New runs per day",
  storageBytes: "Storage",
};
const kinds: Readonly<Record<string, string>> = { user: "person", ceiling: "operator’s ceiling" };

const partsOf = (limit: string) => {
  const [scope = "", which = ""] = limit.split(".");
  return { scope, kind: kinds[scope] ?? scope, title: furtherTitles[which] ?? which };
};

export const limitTitleOf = (name: string): string | undefined => furtherTitles[name];

/** @param limit with its scope, as in the API */
export const limitTitle = (limit: string): string => partsOf(limit).title;

/** "USD per day, key" */
export const scopedTitle = (limit: string): string =>
  `${partsOf(limit).title}, ${partsOf(limit).kind}`;

/** Whose limit it is. An empty subject is each of its kind. @param names by id or by subject */
export function ownerTitle(
  { name, subject }: { name: string; subject: string },
  names: Readonly<Record<string, string>>,
): string {
  const { scope, kind } = partsOf(name);
  const bare = subject.replace(/^(?:tag|group|user):/, "");
  if (subject === "") return `Each ${kind}`;
  if (/^(?:tenant|ceiling)$/.test(scope)) return capitalized(kind);
  const short = bare.replace(/^[a-z]+_\w{20,}(?=\w{6}$)/, "…");
  return names[subject] ?? names[bare] ?? `${kind} ${short}`;
}
