export const commonTitles = {
  requestsPerMinute: "Requests per minute",
  tokensPerMinute: "Tokens per minute",
  concurrent: "Concurrent calls",
  usdPerDay: "USD per day",
  usdPerMonth: "USD per month",
} as const;
export const otherTitles = {
  requestsPerDay: "Requests per day",
  requestsPerWeek: "Requests per week",
  requestsPerMonth: "Requests per month",
  requestsTotal: "Requests in total",
  tokensPerDay: "Tokens per day",
  tokensPerWeek: "Tokens per week",
  tokensPerMonth: "Tokens per month",
  tokensTotal: "Tokens in total",
  usdPerMinute: "USD per minute",
  usdPerWeek: "USD per week",
  usdTotal: "USD in total",
} as const;
export const limitTitles = { ...commonTitles, ...otherTitles };
export type LimitName = keyof typeof limitTitles;

/** Limits that have no field of their own in a form. */
const furtherTitles: Readonly<Record<string, string>> = {
  ...limitTitles,
  callsPerRun: "Calls per run",
  usdPerRun: "USD per run",
  newRunsPerDay: "New runs per day",
  storageBytes: "Storage",
};
const kinds: Readonly<Record<string, string>> = { user: "person", ceiling: "operator’s ceiling" };
const owners: Readonly<Record<string, string>> = {
  tenant: "Tenant",
  ceiling: "Operator’s ceiling",
};

const partsOf = (limit: string) => {
  const [scope = "", which = ""] = limit.split(".");
  return { scope, kind: kinds[scope] ?? scope, title: furtherTitles[which] ?? which };
};

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
  const short = bare.replace(/^[a-z]+_\w{20,}(?=\w{6}$)/, "…");
  return owners[scope] ?? names[subject] ?? names[bare] ?? `${kind} ${short}`;
}
