/** What people are told without asking: that a budget runs out, and that something stopped working. */

export const alertKinds = [
  "budget_crossed",
  "credential_failing",
  "circuit_open",
  "server_failing",
  "seals_stopped",
  "sink_behind",
] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface AlertPolicy {
  /** per cent of each budget at which people are told; absent: `defaultShares` */
  shares?: number[];
  /** absent: alerts stand in their list and in the log of events alone */
  webhookUrl?: string;
}

export const defaultShares: readonly number[] = [50, 80, 100];

/** ms for which a circuit has to be open, or records have to wait for their seal, before people are told. */
export const circuitOpenMs = 10 * 60_000;
export const sealsStoppedMs = 15 * 60_000;
/** ms for which a stretch of a chain could not be sent to the audit sink. */
export const sinkBehindMs = 30 * 60_000;

/** One thing that people are told once in a period. */
export interface AlertSubject {
  tenantId: string;
  kind: AlertKind;
  /** id of whatever it is about; of a circuit its scope */
  subject: string;
  /** of a budget, such as `tenant.usdPerDay`; null: the alert is about no budget */
  name: string | null;
  /** per cent of the budget; null: the alert is about no budget */
  share: number | null;
  /** ms since the epoch; of trouble that lasts, the day in UTC */
  periodFrom: number;
  /** null: the period has no end */
  periodUntil: number | null;
  /** of a budget, in the unit of its limit; null: the alert is about no budget */
  limit: number | null;
  used: number | null;
}

export interface Alert extends AlertSubject {
  id: string;
  at: number;
}

/** How a budget stands in one of its periods: whatever is counted against a limit may be one. */
export interface BudgetLine {
  tenantId: string;
  /** such as `tenant.usdPerDay` */
  name: string;
  subject: string;
  /** in the unit in which people wrote the limit */
  limit: number;
  /** without what running calls have reserved */
  used: number;
  periodFrom: number;
  periodUntil: number | null;
  /** a share that is crossed, and that nobody was told of yet */
  share: number;
}

const dayMs = 86_400_000;

/** Trouble that lasts is told once a day. */
export const dayOfTrouble = (now: number): Pick<AlertSubject, "periodFrom" | "periodUntil"> => {
  const periodFrom = Math.floor(now / dayMs) * dayMs;
  return { periodFrom, periodUntil: periodFrom + dayMs };
};

export const alertOfBudget = (line: BudgetLine): AlertSubject => ({
  kind: "budget_crossed",
  ...line,
});
