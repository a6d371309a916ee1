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

const owners: Readonly<Record<string, string>> = {
  tenant: "the whole tenant",
  ceiling: "the operator’s ceiling",
};
const ownerTexts: Readonly<Record<string, string>> = { user: "person" };

const bare = (subject: string): string =>
  subject.replace(/^(?:tag|group|user):/, "").replace(/^[a-z]+_\w{20,}(?=\w{6}$)/, "…");

/**
 * @param subject as in the API
 * @param name display name of the subject
 */
export function limitTitle(limit: string, subject?: string, name?: string): string {
  const [owner = "", which = ""] = limit.split(".");
  const title = limitTitles[which as LimitName] ?? which;
  const of = name ?? (subject === undefined ? "" : bare(subject));
  return `${title}, ${owners[owner] ?? `${ownerTexts[owner] ?? owner} ${of}`.trim()}`;
}
