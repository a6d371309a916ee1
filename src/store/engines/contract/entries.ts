/** What a ledger asks the books to enter, and their answers. Both are plain values, since they cross threads. */
import type { Booking } from "../../../domain/audit/bookings.ts";
import type { HealthChange } from "../../../domain/choice/health.ts";
import type { Bound, Statement } from "./sql.ts";

export interface EnteredClaim {
  /** values in the order of `claimNames` */
  values: Bound[];
  /** the first code of a record with this claim */
  code: string;
  /** see `LesserClaim` */
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
  /** values in the order of `calledNames` */
  row: Bound[];
  /** the first claim, then lesser ones in their order */
  claims: EnteredClaim[];
  /** the first code of a record that a limit refused; null: nothing is limited */
  limitedCode: string | null;
  /** nothing is written where only what running calls have reserved is in the way */
  mayWait: boolean;
  /** `expiresAt` is null where the session keeps its expiry */
  session: { id: string; expiresAt: number | null } | null;
  replay: { key: string; contentSha256: string; expiresAt: number } | null;
}

export interface SettleEntry {
  kind: "settle";
  id: string;
  tenantId: string;
  now: number;
  /** values in the order of `endedNames` */
  row: Bound[];
  outcome: string;
  chargedTokens: number;
  chargedMicroUsd: number;
  /** the model of bookings that name no model; null: the model that was chosen */
  model: string | null;
  bookings: Booking[];
  health: HealthChange[];
  /** scopes of circuits that the call closes */
  closes: string[];
  /** statements that write what is kept of the call; they run once the call's row has ended */
  kept: Statement[];
}

export type Entry = AdmitEntry | SettleEntry;

export type Answer =
  | {
      state: "admitted";
      number: number;
      /** which claim, 0 is the first */
      rung: number;
      /** two values for each hold, one hold after the other: what is used, and the oldest bucket */
      standing: (number | null)[];
    }
  | {
      state: "refused";
      rung: number;
      position: number;
      retryAfterMs: number | null;
      standing: (number | null)[];
    }
  | { state: "waits" }
  | { state: "repeated"; requestId: string; contentSha256: string }
  | { state: "settled" };

/** null: the books leave the entry to the ledger's own SQL, and have written nothing. */
export type Enter = (entry: Entry) => Answer | null;
