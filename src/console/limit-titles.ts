/** What limits are called, and whose they are. */

export const commonTitles = {
  requestsPerMinute: "Requests per minute",
  tokensPerMinute: "Tokens per minute",
  concurrent: "Calls at once",
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

const owners: Readonly<Record<string, string>> = {
  tenant: "the whole tenant",
  ceiling: "the operator’s ceiling",
};
const ownerWords: Readonly<Record<string, string>> = { user: "person" };

/** What follows the kind in the subject of a limit, such as `mail` in `tag:mail`. Of an id, its end. */
const bare = (subject: string): string =>
  subject.replace(/^(?:tag|group|user):/, "").replace(/^[a-z]+_\w{20,}(?=\w{6}$)/, "…");

/**
 * `tenant.usdPerDay` → which limit, and whose
 * @param subject whose, as the API has it; absent: the kind alone is said
 * @param name what people call the subject; absent: nobody gave it a name
 */
export function limitTitle(limit: string, subject?: string, name?: string): string {
  const [whose = "", which = ""] = limit.split(".");
  const title = limitTitles[which as LimitName] ?? which;
  const of = name ?? (subject === undefined ? "" : bare(subject));
  return `${title}, ${owners[whose] ?? `${ownerWords[whose] ?? whose} ${of}`.trim()}`;
}
