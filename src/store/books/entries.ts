/** What a ledger has entered into the books, and what it hears. Plain values, for they travel between threads. */
import type { Booking } from "../../domain/audit/bookings.ts";
import type { HealthChange } from "../../domain/choice/health.ts";
import type { Bound, Statement } from "./sql.ts";

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
  /** in the order of `admittedNames` */
  row: Bound[];
  /** the smaller claim, in the order of `claimNames`; null: there is none */
  smaller: Bound[] | null;
  /** the record's first code by what becomes of the call, as `admission-codes.ts` has them */
  codes: { admitted: string; smaller: string | null; limited: string | null };
  /** `expiresAt` null: the session's expiry stays */
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
  /** the model of bookings without one; null: the one that was chosen */
  model: string | null;
  bookings: Booking[];
  health: HealthChange[];
  /** scopes of circuits that the call closes */
  closes: string[];
  /** what is kept of the call, written once the row has ended */
  kept: Statement[];
}

export type Entry = AdmitEntry | SettleEntry;

export type Answer =
  | {
      state: "admitted";
      number: number;
      claimed: "first" | "smaller";
      /** used and oldest bucket of each hold, one after the other */
      standing: (number | null)[];
    }
  | {
      state: "refused";
      position: number;
      retryAfterMs: number | null;
      standing: (number | null)[];
    }
  | { state: "repeated"; requestId: string; contentSha256: string }
  | { state: "settled" };

/** Enters it; null: the books leave it to the ledger's own SQL, and have written nothing. */
export type Enter = (entry: Entry) => Answer | null;
