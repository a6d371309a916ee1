/** Conditions that are reported without being asked for, for example an exhausted budget. */

export const alertKinds = [
  "budget_crossed",
  "credential_failing",
  "circuit_open",
  "server_failing",
  "seals_stopped",
  "sink_behind",
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** `webhook`: Standard Webhooks. `custom`: the receiver's `body`, for example of an email API */
export const alertFormats = ["webhook", "slack", "discord", "teams", "custom"] as const;
export type AlertFormat = (typeof alertFormats)[number];

export interface AlertReceiver {
  webhookUrl: string;
  /** what the receiver expects; absent: `webhook` */
  format?: AlertFormat;
  /** of `custom`: JSON whose texts contain `alertPlaceholders` in braces */
  body?: string;
  /** that it gets; absent: all */
  kinds?: AlertKind[];
  /** of the policy's, for alerts about budgets; absent: all */
  thresholds?: number[];
}

export interface AlertPolicy {
  /** percentages of each budget that trigger an alert; absent: `defaultThresholds` */
  thresholds?: number[];
  /** each URL once. Alerts that no receiver gets are only listed */
  receivers?: AlertReceiver[];
}

export const maxReceivers = 5;

export const alertPlaceholders = ["title", "text", "link", "severity", "tenant"] as const;

export const defaultThresholds: readonly number[] = [50, 80, 100];

/** ms that a circuit must be open, or records must wait for a seal, before an alert. */
export const circuitOpenMs = 10 * 60_000;
export const sealsStoppedMs = 15 * 60_000;
/** ms that part of a chain must fail to reach the audit sink before an alert. */
export const sinkBehindMs = 30 * 60_000;

/** Counts of what needs attention. */
export interface Attention {
  failingCredentials: number;
  failingServers: number;
  /** alerts of the last 24 hours whose cause has no other count */
  recentAlerts: number;
}

export const noAttention: Attention = { failingCredentials: 0, failingServers: 0, recentAlerts: 0 };

/** An alert condition, reported at most once per period. */
export interface AlertSubject {
  tenantId: string;
  kind: AlertKind;
  subject: string;
  name: string | null;
  threshold: number | null;
  /** ms since the epoch; for lasting trouble, the start of the UTC day */
  periodFrom: number;
  periodUntil: number | null;
  /** in the unit of the limit; null unless the alert is about a budget */
  limit: number | null;
  used: number | null;
}

export interface Alert extends AlertSubject {
  id: string;
  at: number;
}

/** A budget whose usage in one of its periods reached `threshold` percent of the limit. */
export interface CrossedBudget {
  tenantId: string;
  name: string;
  subject: string;
  limit: number;
  used: number;
  periodFrom: number;
  periodUntil: number | null;
  threshold: number;
}

export const isFor = (
  { kinds, thresholds }: AlertReceiver,
  { kind, threshold }: Pick<Alert, "kind" | "threshold">,
): boolean =>
  kinds?.includes(kind) !== false &&
  (threshold === null || thresholds?.includes(threshold) !== false);

const dayMs = 86_400_000;

export const alertDayOf = (now: number): Pick<AlertSubject, "periodFrom" | "periodUntil"> => {
  const periodFrom = Math.floor(now / dayMs) * dayMs;
  return { periodFrom, periodUntil: periodFrom + dayMs };
};

export const alertOfBudget = (budget: CrossedBudget): AlertSubject => ({
  kind: "budget_crossed",
  ...budget,
});
