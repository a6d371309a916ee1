import type { UsageEntry } from "../../../domain/audit/usage-entries.ts";
import type { HealthChange } from "../../../domain/choice/health.ts";
import type { Bound, Statement } from "./sql.ts";

export interface EnteredClaim {
  /** in the order of `claimNames` */
  values: Bound[];
  /** the record's first code with this claim */
  code: string;
  shortens: boolean;
}

export interface AdmitEntry {
  kind: "admit";
  id: string;
  tenantId: string;
  keyId: string;
  serverId: string | null;
  createdAt: number;
  tenantVersion: number;
  now: number;
  leaseUntil: number;
  /** in the order of `calledNames` */
  row: Bound[];
  /** in the order in which they are tried */
  claims: EnteredClaim[];
  /** the record's first code if a limit refuses; `null` without limits */
  limitedCode: string | null;
  /** write nothing if only running reservations are in the way */
  mayWait: boolean;
  session: { id: string; expiresAt: number | null } | null;
  replay: { key: string; contentSha256: string; expiresAt: number } | null;
}

export interface SettleEntry {
  kind: "settle";
  id: string;
  tenantId: string;
  now: number;
  /** in the order of `endedNames` */
  row: Bound[];
  outcome: string;
  chargedTokens: number;
  chargedMicroUsd: number;
  /** model of entries that name none; `null` for the chosen model */
  model: string | null;
  usageEntries: UsageEntry[];
  health: HealthChange[];
  closes: string[];
  kept: Statement[];
}

export type Entry = AdmitEntry | SettleEntry;

export type Answer =
  | {
      state: "admitted";
      number: number;
      rung: number;
      /** two values per check: usage and oldest bucket */
      currentUsage: (number | null)[];
    }
  | {
      state: "refused";
      rung: number;
      position: number;
      retryAfterMs: number | null;
      currentUsage: (number | null)[];
    }
  | { state: "waits" }
  | { state: "repeated"; requestId: string; contentSha256: string }
  | { state: "settled" };

/** `null` if nothing was written and SQL decides. */
export type Enter = (entry: Entry) => Answer | null;
